import { peerName, type Peer } from '../../src/device/byte-stream.js';
import type { Framer } from './framer.js';

/** So many who send are told apart; of more, who was silent for the longest is forgotten, with the frame it had begun. */
export const SENDERS_LIMIT = 256;

/** A framer for each who sends: what several say at the same time never mixes. */
export class SenderFramers {
  readonly #make: () => Framer;
  /** For a stream with one at its other end. */
  #only: Framer;
  readonly #bySender = new Map<string, Framer>();

  constructor(make: () => Framer) {
    this.#make = make;
    this.#only = make();
  }

  push(bytes: Buffer, from: Peer | undefined): void {
    if (from === undefined) this.#only.push(bytes);
    else this.#of(from).push(bytes);
  }

  /** Forgets one who has left. */
  leave(who: Peer): void {
    this.#forget(peerName(who));
  }

  /** Another connection has followed: what the one before had begun is never completed. */
  restart(): void {
    this.#only.close();
    this.#only = this.#make();
  }

  close(): void {
    this.#only.close();
    for (const framer of this.#bySender.values()) framer.close();
    this.#bySender.clear();
  }

  /** The newest stands last. */
  #of(from: Peer): Framer {
    const name = peerName(from);
    const framer = this.#bySender.get(name) ?? this.#make();
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
