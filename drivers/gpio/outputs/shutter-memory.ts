import type { Host } from '../../../src/device/module.js';
import { type ShutterState, unknownState } from './shutter-travel.js';

/** The variable that a clean stop leaves for the next start. */
const REST = 'REST';

/**
 * Remembers the position of a shutter. Until the machine boots again it is in a boot flag, which is written
 * before anything moves, so that no crash leaves a wrong position. Across a boot only the variable REST of a
 * clean stop counts; it is cleared at the next start. After a power cut the position is unknown.
 */
export class ShutterMemory {
  readonly #host: Host;
  /** The beginning of all texts about these two lines, whichever instance uses them. */
  readonly #prefix: string;

  constructor(host: Host, lineKeys: readonly string[]) {
    this.#host = host;
    this.#prefix = `shutter ${JSON.stringify(lineKeys)} `;
  }

  /** The last position; `unknownState` if it is not certain. */
  recall(): ShutterState {
    const rest = this.#host.lastValue(REST);
    this.#host.report(REST, '');
    return this.#parse(this.#bootFlag) ?? this.#parse(rest) ?? unknownState;
  }

  /** Remembers a position. */
  keep(state: ShutterState): void {
    const { bootFlags } = this.#host;
    const before = this.#bootFlag;
    const flag = this.#format(state);
    if (flag === before) return;
    // Deleted first: no position is better than a wrong one.
    if (before !== undefined) bootFlags.delete(before);
    bootFlags.add(flag);
  }

  /** Reports the position before the gateway stops or the instance closes. */
  flush(state: ShutterState): void {
    this.#host.report(REST, this.#format(state));
  }

  get #bootFlag(): string | undefined {
    return [...this.#host.bootFlags].find((flag) => flag.startsWith(this.#prefix));
  }

  #format({ position, slat }: ShutterState): string {
    return this.#prefix + JSON.stringify([position.low, position.high, slat.low, slat.high]);
  }

  #parse(text: unknown): ShutterState | undefined {
    if (typeof text !== 'string' || !text.startsWith(this.#prefix)) return undefined;
    const [low = -1, high = -1, slatLow = -1, slatHigh = -1] = text
      .slice(this.#prefix.length + 1, -1)
      .split(',')
      .map(Number);
    const isValid = [
      [low, high],
      [slatLow, slatHigh],
    ].every(([from = -1, to = -1]) => from >= 0 && from <= to && to <= 1);
    return isValid ? { position: { low, high }, slat: { low: slatLow, high: slatHigh } } : undefined;
  }
}
