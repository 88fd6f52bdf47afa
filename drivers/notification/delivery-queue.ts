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

/** A message that is not yet delivered. */
interface Waiting {
  readonly sent: Notification;
  readonly sinceNs: bigint;
  /** Of a deferred one: its attempts that failed. */
  readonly failures: number;
}

/**
 * Delivers messages one after the other, the oldest first. A deferred one waits apart, so that the others are not
 * delayed.
 */
export class DeliveryQueue {
  readonly #clock: Pick<Clock, 'after' | 'monotonicNs'>;
  readonly #deliver: (sent: Notification) => Promise<void>;
  readonly #listener: DeliveryListener;
  #waiting: Waiting[] = [];
  /** Deferred messages, with their next attempts. */
  readonly #deferred = new Map<Waiting, Cancel>();
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
    return this.#waiting.length + this.#deferred.size;
  }

  /** Adds a message. Of too many, the oldest of the lowest priority is discarded. */
  add(sent: Notification): void {
    this.#waiting.push({ sent, sinceNs: this.#clock.monotonicNs(), failures: 0 });
    if (this.length > WAITING_LIMIT) this.#discardOne();
    if (this.#retry === undefined) void this.#run();
  }

  /** Stops; messages that wait are discarded. */
  close(): void {
    this.#isClosed = true;
    this.#retry?.();
    for (const cancel of this.#deferred.values()) cancel();
  }

  #discardOne(): void {
    // The first is being delivered.
    const others = [...this.#deferred.keys(), ...this.#waiting.slice(this.#isBusy ? 1 : 0)];
    const lowest = Math.min(...others.map(({ sent }) => priorities.indexOf(sent.priority)));
    const discarded = others.find(({ sent }) => priorities.indexOf(sent.priority) === lowest);
    this.#waiting = this.#waiting.filter((one) => one !== discarded);
    if (discarded !== undefined) this.#deferred.get(discarded)?.();
    if (discarded !== undefined) this.#deferred.delete(discarded);
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
        await this.#attempt(first);
      }
    } finally {
      this.#isBusy = false;
    }
  }

  async #attempt(first: Waiting): Promise<void> {
    try {
      await this.#deliver(first.sent);
      if (this.#isClosed) return;
      this.#end();
      this.#listener.onSent();
    } catch (thrown) {
      if (this.#isClosed) return;
      const duration = thrown instanceof DeliveryError ? thrown.duration : 'temporary';
      const failures = Math.max(first.failures, this.#failures);
      if (duration !== 'temporary') this.#end();
      if (duration === 'permanent') return this.#listener.onDiscarded(thrown);
      if (duration === 'deferred') this.#defer(first, failures);
      else {
        this.#retry = this.#clock.after(delayMs(this.#failures), () => {
          this.#retry = undefined;
          void this.#run();
        });
        this.#failures += 1;
      }
      this.#listener.onRetry(thrown);
    }
  }

  /** Attempts a message again later, behind those that wait then. */
  #defer(message: Waiting, failures: number): void {
    const again = { ...message, failures: failures + 1 };
    const cancel = this.#clock.after(delayMs(failures), () => {
      this.#deferred.delete(again);
      this.#waiting.push(again);
      if (this.#retry === undefined) void this.#run();
    });
    this.#deferred.set(again, cancel);
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

/** The delay after another failed attempt, by the number of those before it. */
const delayMs = (failures: number): number => Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** failures);
