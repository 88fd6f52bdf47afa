import type { Log } from '../../base/log.js';
import { Signal } from '../../base/signal.js';
import type { ByteListener, Peer } from '../byte-stream.js';

interface Arrival {
  readonly bytes: Uint8Array;
  readonly from: Peer | undefined;
}

/** What arrives at an I/O instance, for those who listen: the receiving half of a byte stream. */
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

  /** Whether anybody listens. */
  get hasListeners(): boolean {
    return this.#arrivals.size > 0;
  }

  /** These bytes have arrived, at least one. */
  receive(bytes: Uint8Array, from?: Peer): void {
    this.#arrivals.emit({ bytes, from });
  }

  /** Another connection follows the one before. */
  reportBreak(): void {
    this.#breaks.emit();
  }

  /** Nothing more comes from this one. */
  reportLeave(who: Peer): void {
    this.#leaves.emit(who);
  }
}
