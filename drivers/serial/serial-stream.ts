import { coded } from '../../src/base/codes/coded-text.js';
import type { Clock } from '../../src/base/clock.js';
import { fault, isAbort } from '../../src/base/fault.js';
import type { Log } from '../../src/base/log.js';
import { Signal } from '../../src/base/signal.js';
import type { ByteStream } from '../../src/device/byte-stream.js';
import type { ControlLines, OpenPort } from './port.js';

/** How long sending may take in addition to the time on the wire; after that the peer is blocking us. */
const SEND_TIMEOUT_MS = 5_000;

/** Start bit, eight data bits, parity, two stop bits. */
const BITS_PER_BYTE = 12;

interface SerialStreamOptions {
  readonly port: OpenPort;
  readonly name: string;
  readonly baudRate: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the bytes that the port accepted. */
  readonly onSent: (bytes: Uint8Array) => void;
  /** Called if the port does not accept data; queued data is then discarded with the port. */
  readonly onStalled: (cause: Error) => void;
}

/** What an open serial port provides: the stream of bytes, and the control lines. */
export class SerialStream implements ByteStream {
  readonly #options: SerialStreamOptions;
  readonly #data: Signal<Uint8Array>;
  /** Bytes of all sends in progress; the port sends them one after the other. */
  #queuedBytes = 0;

  constructor(options: SerialStreamOptions) {
    this.#options = options;
    this.#data = new Signal((thrown) =>
      options.log.error({ err: thrown, port: options.name }, 'a listener failed'),
    );
  }

  get name(): string {
    return this.#options.name;
  }

  get baudRate(): number {
    return this.#options.baudRate;
  }

  onData(listener: (bytes: Uint8Array) => void): () => void {
    return this.#data.on(listener);
  }

  /** Passes received bytes to the listeners; called by the owner of the port. */
  received(bytes: Buffer): void {
    this.#data.emit(bytes);
  }

  async send(bytes: Uint8Array): Promise<void> {
    const { port, clock, baudRate, name } = this.#options;
    this.#queuedBytes += bytes.length;
    const limitMs = SEND_TIMEOUT_MS + (this.#queuedBytes * BITS_PER_BYTE * 1000) / baudRate;
    const cancel = clock.after(limitMs, () =>
      this.#options.onStalled(fault('TIMED_OUT', coded`WHAT_SENDING: Sending to ${name}`)),
    );
    try {
      await port.send(bytes);
      this.#options.onSent(bytes);
    } catch (thrown) {
      if (isAbort(thrown)) throw fault('DEVICE_OFFLINE', coded`CLOSED: ${name} was closed`);
      throw thrown;
    } finally {
      this.#queuedBytes -= bytes.length;
      cancel();
    }
  }

  async changeBaudRate(baudRate: number): Promise<void> {
    try {
      await this.#options.port.changeBaudRate(baudRate);
    } catch (thrown) {
      if (isAbort(thrown)) throw fault('DEVICE_OFFLINE', coded`CLOSED: ${this.name} was closed`);
      throw thrown;
    }
  }

  /** Sets control lines; rejects with `DEVICE_REFUSED` if the port has none. */
  async setLines(lines: Partial<ControlLines>): Promise<void> {
    try {
      await this.#options.port.setLines(lines);
    } catch (thrown) {
      if (isAbort(thrown)) throw fault('DEVICE_OFFLINE', coded`CLOSED: ${this.name} was closed`);
      throw thrown;
    }
  }
}
