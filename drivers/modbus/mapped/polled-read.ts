import { codeOf, isAbort, codedMessageOf } from '../../../src/base/fault.js';
import { quality, type Host, type QualityProblem } from '../../../src/device/module.js';
import type { BlockRead } from './block-reads.js';

/** Commands precede polls, and are never repeated. */
export type ReadPriority = 'poll' | 'command';

/** The first and the longest pause of a request without a reply while its unit replies to others. */
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 300_000;

/** One request that is polled: its failures are those of its values. */
export class PolledRead {
  readonly read: BlockRead;
  readonly #host: Host;
  readonly #execute: (priority: ReadPriority) => Promise<void>;
  #isOffline = false;
  #isPolling = false;
  #backoffs = 0;
  #backoffUntilNs = 0n;
  #problem = '';

  constructor(host: Host, read: BlockRead, execute: (priority: ReadPriority) => Promise<void>) {
    this.#host = host;
    this.read = read;
    this.#execute = execute;
  }

  /** Polls unless the previous poll is still waiting or backed off. Never rejects. */
  async poll(): Promise<void> {
    if (this.#isPolling || this.#host.clock.monotonicNs() < this.#backoffUntilNs) return;
    this.#isPolling = true;
    await this.tryRun('poll');
    this.#isPolling = false;
  }

  /** As `run`, for callers that do not wait for the result. */
  async tryRun(priority: ReadPriority): Promise<void> {
    try {
      await this.run(priority);
    } catch {
      // Reported by `run`.
    }
  }

  /** Reads now; reports a failure and rejects with it. */
  async run(priority: ReadPriority): Promise<void> {
    try {
      await this.#execute(priority);
      this.#backoffs = 0;
      this.#setProblem('');
    } catch (thrown) {
      this.#handleFailure(thrown, priority);
      throw thrown;
    }
  }

  /** The unit has gone offline, or is back. */
  setOffline(isOffline: boolean): void {
    this.#isOffline = isOffline;
    this.#backoffUntilNs = 0n;
    this.#setProblem('');
  }

  #handleFailure(thrown: unknown, priority: ReadPriority): void {
    // An offline unit is reported, and backed off, by the gateway instance.
    if (isAbort(thrown) || this.#isOffline) return;
    const code = codeOf(thrown);
    if (code === 'DEVICE_REFUSED') return this.#fail('REFUSED', thrown);
    if (code !== 'DEVICE_OFFLINE' || priority === 'command') return;
    this.#fail('NO_ANSWER', thrown);
    this.#backOff();
  }

  #backOff(): void {
    const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(this.#backoffs, 10));
    this.#backoffs += 1;
    this.#backoffUntilNs = this.#host.clock.monotonicNs() + BigInt(backoffMs) * 1_000_000n;
  }

  #fail(reason: QualityProblem['reason'], thrown: unknown): void {
    const text = codedMessageOf(thrown);
    for (const { ident } of this.read.values)
      this.#host.markUncertain(ident, { state: quality.bad, reason, text: text.toString() });
    // Several requests can fail for the same reason.
    this.#setProblem(`${reason}_${this.read.block.code}_${this.read.at}`);
    this.#host.setProblem(this.#problem, text);
  }

  #setProblem(code: string): void {
    if (this.#problem !== '' && this.#problem !== code) this.#host.setProblem(this.#problem, undefined);
    this.#problem = code;
  }
}
