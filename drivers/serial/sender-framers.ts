import { peerName, type Peer } from '../../src/device/byte-stream.js';
import type { Framer } from './framer.js';

/**
 * Limit of senders with a framer of their own. Beyond it, the one that was silent for longest is dropped with
 * its incomplete frame.
 */
export const SENDERS_LIMIT = 256;

/** One framer per sender, so that data of concurrent senders never mixes. */
export class SenderFramers {
  readonly #create: () => Framer;
  /** For streams with a single peer. */
  #single: Framer;
  readonly #bySender = new Map<string, Framer>();

  constructor(create: () => Framer) {
    this.#create = create;
    this.#single = create();
  }

  push(bytes: Buffer, from: Peer | undefined): void {
    if (from === undefined) this.#single.push(bytes);
    else this.#of(from).push(bytes);
  }

  /** Drops a sender that has left. */
  leave(who: Peer): void {
    this.#forget(peerName(who));
  }

  /** Discards the incomplete frame: the stream has a new connection. */
  restart(): void {
    this.#single.close();
    this.#single = this.#create();
  }

  close(): void {
    this.#single.close();
    for (const framer of this.#bySender.values()) framer.close();
    this.#bySender.clear();
  }

  /**
   * Finds or creates the framer of a sender, and moves it to the end, so that the first is the least recently
   * used.
   */
  #of(from: Peer): Framer {
    const name = peerName(from);
    const framer = this.#bySender.get(name) ?? this.#create();
    this.#bySender.delete(name);
    this.#bySender.set(name, framer);
    if (this.#bySender.size > SENDERS_LIMIT) {
      const [oldest = ''] = this.#bySender.keys();
      this.#forget(oldest);
    }
    return framer;
  }

  #forget(name: string): void {
    this.#bySender.get(name)?.close();
    this.#bySender.delete(name);
  }
}
