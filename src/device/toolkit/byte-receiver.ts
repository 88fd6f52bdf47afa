import type { Log } from '../../base/log.js';
import { Signal } from '../../base/signal.js';
import type { ByteListener, Peer } from '../byte-stream.js';

interface Arrival {
  readonly bytes: Uint8Array;
  readonly from: Peer | undefined;
}

/** The receiving half of a byte stream: passes what an I/O instance receives to its listeners. */
export class ByteReceiver {
  readonly #arrivals: Signal<Arrival>;
  readonly #leaves: Signal<Peer>;
  readonly #breaks: Signal<void>;

  constructor(log: Log, name: string) {
    const failed = (thrown: unknown) => log.error({ err: thrown, stream: name }, 'a listener failed');
    this.#arrivals = new Signal(failed);
    this.#leaves = new Signal(failed);
    this.#breaks = new Signal(failed);
  }

  /** `ByteStream.onData`. */
  readonly onData = (listener: ByteListener): (() => void) =>
    this.#arrivals.on(({ bytes, from }) => listener(bytes, from));

  /** `ByteStream.onLeave`. */
  readonly onLeave = (listener: (who: Peer) => void): (() => void) => this.#leaves.on(listener);

  /** `ByteStream.onBreak`. */
  readonly onBreak = (listener: () => void): (() => void) => this.#breaks.on(listener);

  /** Whether there are listeners. */
  get hasListeners(): boolean {
    return this.#arrivals.size > 0;
  }

  /** Passes on received bytes, at least one. */
  receive(bytes: Uint8Array, from?: Peer): void {
    this.#arrivals.emit({ bytes, from });
  }

  /** Reports that a new connection has replaced the previous one. */
  reportBreak(): void {
    this.#breaks.emit();
  }

  /** Reports that a peer has disconnected. */
  reportLeave(who: Peer): void {
    this.#leaves.emit(who);
  }
}
