import type { Cancel, Clock } from '../../src/base/clock.js';
import { DeliveryError } from './delivery-error.js';
import { type Notification, priorities } from './services.js';

/** Messages that wait for a server. With 4,000 characters each they take less than 1 MB. */
const WAITING_LIMIT = 100;
/** A message that could not be delivered for this long is discarded: it is no news any more. */
const EXPIRY_MS = 24 * 3_600_000;
/** The delay before another attempt doubles from the first to the last. */
const RETRY_FIRST_MS = 5_000;
const RETRY_LAST_MS = 15 * 60_000;

/** What happened to a message. */
interface DeliveryListener {
  onSent(): void;
  /** An attempt failed; another one follows. */
  onRetry(why: unknown): void;
  /** A message was discarded. `why` is undefined if it was too old, or one too many. */
  onDiscarded(why: unknown): void;
}

/** Delivers messages one after the other, the oldest first. */
export class DeliveryQueue {
  readonly #clock: Pick<Clock, 'after' | 'monotonicNs'>;
  readonly #deliver: (sent: Notification) => Promise<void>;
  readonly #listener: DeliveryListener;
  #waiting: { readonly sent: Notification; readonly sinceNs: bigint }[] = [];
  #failures = 0;
  #isBusy = false;
  #isClosed = false;
  #retry: Cancel | undefined;

  constructor(
    clock: Pick<Clock, 'after' | 'monotonicNs'>,
    deliver: (sent: Notification) => Promise<void>,
    listener: DeliveryListener,
  ) {
    this.#clock = clock;
    this.#deliver = deliver;
    this.#listener = listener;
  }

  /** Messages that are not yet delivered. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Adds a message. Of too many, the oldest of the lowest priority is discarded. */
  add(sent: Notification): void {
    this.#waiting.push({ sent, sinceNs: this.#clock.monotonicNs() });
    if (this.#waiting.length > WAITING_LIMIT) this.#discardOne();
    if (this.#retry === undefined) void this.#run();
  }

  /** Stops; messages that wait are discarded. */
  close(): void {
    this.#isClosed = true;
    this.#retry?.();
  }

  #discardOne(): void {
    // The first is being delivered.
    const others = this.#waiting.slice(this.#isBusy ? 1 : 0);
    const lowest = Math.min(...others.map(({ sent }) => priorities.indexOf(sent.priority)));
    const discarded = others.find(({ sent }) => priorities.indexOf(sent.priority) === lowest);
    this.#waiting = this.#waiting.filter((one) => one !== discarded);
    this.#listener.onDiscarded(undefined);
  }

  async #run(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (!this.#isClosed && this.#retry === undefined) {
        this.#discardExpired();
        const [first] = this.#waiting;
        if (first === undefined) return;
        await this.#attempt(first.sent);
      }
    } finally {
      this.#isBusy = false;
    }
  }

  async #attempt(sent: Notification): Promise<void> {
    try {
      await this.#deliver(sent);
      if (this.#isClosed) return;
      this.#end();
      this.#listener.onSent();
    } catch (thrown) {
      if (this.#isClosed) return;
      if (thrown instanceof DeliveryError && !thrown.isTemporary) {
        this.#end();
        return this.#listener.onDiscarded(thrown);
      }
      const delayMs = Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** this.#failures);
      this.#failures += 1;
      this.#retry = this.#clock.after(delayMs, () => {
        this.#retry = undefined;
        void this.#run();
      });
      this.#listener.onRetry(thrown);
    }
  }

  #end(): void {
    this.#failures = 0;
    this.#waiting.shift();
  }

  #discardExpired(): void {
    const oldestNs = this.#clock.monotonicNs() - BigInt(EXPIRY_MS) * 1_000_000n;
    while ((this.#waiting[0]?.sinceNs ?? oldestNs) < oldestNs) {
      this.#waiting.shift();
      this.#listener.onDiscarded(undefined);
    }
  }
}
