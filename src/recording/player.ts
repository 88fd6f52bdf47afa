import { type Clock, delay } from '../base/clock.js';
import type { Entry, Transfer } from './entry-format.js';

/** The limit of messages, and of pieces of bytes, that are kept until a line of the recording awaits them. */
const RECEIVED_LIMIT = 1000;

/** Where the player sends what the gateway received when it was recorded. */
export interface Peer extends AsyncDisposable {
  /** Resolves when the broker, or the kernel, has accepted it. */
  send(transfer: Transfer): Promise<void>;
}

interface PlayerOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** 1: as recorded, 2: twice as fast, 0: without pauses. */
  readonly speed: number;
  /** How long the gateway may take to send what it sent when it was recorded, ms; 0: it is not awaited. */
  readonly waitMs: number;
  readonly onNote?: (note: string) => void;
}

/** Counts of what was played. */
interface Played {
  sent: number;
  awaited: number;
}

interface Received {
  readonly topic: string;
  readonly payload: Buffer;
}

/**
 * Plays a recording in its order: sends what the gateway received, and waits until it sends what it sent.
 * Pauses are as recorded, counted from the line before.
 */
export class Player {
  readonly #options: PlayerOptions;
  #received: Received[] = [];
  #changed = Promise.withResolvers<void>();

  constructor(options: PlayerOptions) {
    this.#options = options;
  }

  /** Takes what the gateway sends, also before it is awaited. Bytes have no topic. */
  take(topic: string, payload: Buffer): void {
    this.#received.push({ topic, payload });
    if (this.#received.length > RECEIVED_LIMIT) this.#received.shift();
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /**
   * Rejects, naming the line, if the gateway does not send what is awaited, and with the reason of the signal
   * when it aborts.
   */
  async play(entries: readonly Entry[], peer: Pick<Peer, 'send'>, signal: AbortSignal): Promise<Played> {
    const { clock, speed, waitMs, onNote } = this.#options;
    const played = { sent: 0, awaited: 0 };
    let atMs = entries[0]?.ms ?? 0;
    for (const entry of entries) {
      const pauseMs = speed === 0 ? 0 : (entry.ms - atMs) / speed;
      if (pauseMs > 0) await delay(clock, pauseMs, signal);
      signal.throwIfAborted();
      atMs = Math.max(atMs, entry.ms);
      if ('note' in entry) onNote?.(entry.note);
      else if (entry.direction === 'in') {
        await peer.send(entry);
        played.sent += 1;
      } else if (waitMs > 0 && !isUnknown(entry)) {
        await this.#awaitSent(entry, signal);
        played.awaited += 1;
      }
    }
    return played;
  }

  async #awaitSent(entry: Transfer & { readonly line: number }, signal: AbortSignal): Promise<void> {
    const { clock, waitMs } = this.#options;
    const timeout = Promise.withResolvers<never>();
    const stop = () => timeout.reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    const cancel = clock.after(waitMs, () => timeout.reject(this.#missing(entry)));
    try {
      while (!this.#remove(entry)) await Promise.race([this.#changed.promise, timeout.promise]);
    } finally {
      cancel();
      signal.removeEventListener('abort', stop);
    }
  }

  /** Removes what equals the recorded transfer; false if the gateway has not sent it yet. */
  #remove(entry: Transfer): boolean {
    if (entry.topic === '') return this.#removeBytes(entry.payload);
    const index = this.#received.findIndex(
      ({ topic, payload }) => topic === entry.topic && (entry.isIncomplete || payload.equals(entry.payload)),
    );
    if (index >= 0) this.#received.splice(index, 1);
    return index >= 0;
  }

  /** Bytes arrive in other pieces than they were recorded in; those before them are removed, too. */
  #removeBytes(expected: Buffer): boolean {
    const all = Buffer.concat(this.#received.map(({ payload }) => payload));
    const at = all.indexOf(expected);
    if (at < 0) return false;
    this.#received = [{ topic: '', payload: all.subarray(at + expected.length) }];
    return true;
  }

  #missing({ topic, line }: Entry & Transfer): Error {
    const what = topic === '' ? 'these bytes' : `this message on ${topic}`;
    const others = this.#received.filter((one) => one.topic === topic && one.payload.length > 0).length;
    const sent = others === 0 ? 'nothing else there' : `${others} others there`;
    return new Error(
      `line ${line}: the gateway did not send ${what} within ${this.#options.waitMs / 1000} s, and ${sent}; --no-wait plays without waiting for it`,
    );
  }
}

/** Bytes in which a secret is hidden cannot be found among those that arrive. */
const isUnknown = ({ topic, isIncomplete }: Transfer): boolean => topic === '' && isIncomplete;
