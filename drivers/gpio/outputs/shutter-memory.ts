import type { Host } from '../../../src/device/module.js';
import { unknownState, type ShutterState } from './shutter-travel.js';

/** The variable that holds what a clean stop left. */
const REST = 'REST';

/**
 * What is remembered of where a shutter stands. While the machine is up it is a mark, written before anything moves, so
 * that no crash leaves a wrong one. Over a boot only a clean stop's word counts, which is taken back at the next opening:
 * after a power cut nobody knows.
 */
export class ShutterMemory {
  readonly #host: Host;
  /** Of all that is remembered of these two lines, whichever instance is on them. */
  readonly #prefix: string;

  constructor(host: Host, lines: readonly string[]) {
    this.#host = host;
    this.#prefix = `shutter ${JSON.stringify(lines)} `;
  }

  /** Where it was left; `anywhere` where that is not known for sure. */
  recall(): ShutterState {
    const rest = this.#host.lastValue(REST);
    this.#host.report(REST, '');
    return this.#read(this.#mark) ?? this.#read(rest) ?? unknownState;
  }

  /** From now on this is where it was left. */
  keep(standing: ShutterState): void {
    const { bootFlags: marks } = this.#host;
    const before = this.#mark;
    const mark = this.#text(standing);
    if (mark === before) return;
    // None is less than a wrong one.
    if (before !== undefined) marks.delete(before);
    marks.add(mark);
  }

  /** The gateway is about to stop, or the opening to end. */
  flush(standing: ShutterState): void {
    this.#host.report(REST, this.#text(standing));
  }

  get #mark(): string | undefined {
    return [...this.#host.bootFlags].find((mark) => mark.startsWith(this.#prefix));
  }

  #text({ position, slat }: ShutterState): string {
    return this.#prefix + JSON.stringify([position.low, position.high, slat.low, slat.high]);
  }

  #read(text: unknown): ShutterState | undefined {
    if (typeof text !== 'string' || !text.startsWith(this.#prefix)) return undefined;
    const [low = -1, high = -1, slatLow = -1, slatHigh = -1] = text
      .slice(this.#prefix.length + 1, -1)
      .split(',')
      .map(Number);
    const isSound = [
      [low, high],
      [slatLow, slatHigh],
    ].every(([from = -1, to = -1]) => from >= 0 && from <= to && to <= 1);
    return isSound ? { position: { low, high }, slat: { low: slatLow, high: slatHigh } } : undefined;
  }
}
