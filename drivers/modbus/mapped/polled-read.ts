import { codeOf, isAbort, codedMessageOf } from '../../../src/base/fault.js';
import { quality, type Host, type QualityProblem } from '../../../src/device/module.js';
import { ReplyBackoff } from '../reply-backoff.js';
import type { BlockRead } from './block-reads.js';

/** Commands precede polls, and are never repeated. */
export type ReadPriority = 'poll' | 'command';

/** One request that is polled: its failures are those of its values. */
export class PolledRead {
  readonly read: BlockRead;
  readonly #host: Host;
  readonly #execute: (priority: ReadPriority) => Promise<void>;
  readonly #backoff: ReplyBackoff;
  #isOffline = false;
  #isPolling = false;
  #problem = '';

  constructor(host: Host, read: BlockRead, execute: (priority: ReadPriority) => Promise<void>) {
    this.#host = host;
    this.read = read;
    this.#execute = execute;
    this.#backoff = new ReplyBackoff(host.clock);
  }

  /** Polls unless the previous poll is still waiting or backed off. Never rejects. */
  async poll(): Promise<void> {
    if (this.#isPolling || this.#backoff.isActive) return;
    this.#isPolling = true;
    const fromNs = this.#host.clock.monotonicNs();
    await this.tryRun('poll');
    this.#host.recordPoll(fromNs);
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
      this.#backoff.reset();
      this.#setProblem('');
    } catch (thrown) {
      this.#handleFailure(thrown, priority);
      throw thrown;
    }
  }

  /** The unit has gone offline, or is back. */
  setOffline(isOffline: boolean): void {
    this.#isOffline = isOffline;
    this.#backoff.end();
    this.#setProblem('');
  }

  #handleFailure(thrown: unknown, priority: ReadPriority): void {
    // An offline unit is reported, and backed off, by the gateway instance.
    if (isAbort(thrown) || this.#isOffline) return;
    const code = codeOf(thrown);
    if (code === 'DEVICE_REFUSED') return this.#fail('REFUSED', thrown);
    if (code !== 'DEVICE_OFFLINE' || priority === 'command') return;
    this.#fail('NO_ANSWER', thrown);
    this.#backoff.begin();
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
