import type { Clock } from '../../src/base/clock.js';
import { fault, isAbort } from '../../src/base/fault.js';
import type { Log } from '../../src/base/log.js';
import { Signal } from '../../src/base/signal.js';
import type { ByteStream } from '../../src/device/byte-stream.js';
import type { ControlLines, OpenPort } from './port.js';

/** How long the kernel may take beyond the time that the bytes need on the wire: then the far end holds us up. */
export const SEND_TIMEOUT_MS = 5_000;

/** Start bit, eight data bits, parity, two stop bits. */
const BITS_PER_BYTE = 12;

export interface SerialStreamOptions {
  readonly port: OpenPort;
  readonly name: string;
  readonly baudRate: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with what the port has taken. */
  readonly onSent: (bytes: Uint8Array) => void;
  /** Called when the port doesn't take what is sent; what waits is then dropped with the port. */
  readonly onStalled: (cause: Error) => void;
}

/** What an open serial port offers: the stream of bytes, and the lines beside it. */
export class SerialStream implements ByteStream {
  readonly #options: SerialStreamOptions;
  readonly #data: Signal<Uint8Array>;

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

  /** For whoever opened the port. */
  received(bytes: Buffer): void {
    this.#data.emit(bytes);
  }

  async send(bytes: Uint8Array): Promise<void> {
    const { port, clock, baudRate, name } = this.#options;
    const limitMs = SEND_TIMEOUT_MS + (bytes.length * BITS_PER_BYTE * 1000) / baudRate;
    const cancel = clock.after(limitMs, () =>
      this.#options.onStalled(fault('TIMED_OUT', `Sending to ${name}`)),
    );
    try {
      await port.send(bytes);
      this.#options.onSent(bytes);
    } catch (thrown) {
      if (isAbort(thrown)) throw fault('DEVICE_OFFLINE', `${name} was closed meanwhile`);
      throw thrown;
    } finally {
      cancel();
    }
  }

  /** Sets control lines; `DEVICE_REFUSED` where the port has none. */
  async setLines(lines: Partial<ControlLines>): Promise<void> {
    try {
      await this.#options.port.setLines(lines);
    } catch (thrown) {
      if (isAbort(thrown)) throw fault('DEVICE_OFFLINE', `${this.name} was closed meanwhile`);
      throw thrown;
    }
  }
}
