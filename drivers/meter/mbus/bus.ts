import { coded } from '../../../src/base/codes/coded-text.js';
import type { Clock } from '../../../src/base/clock.js';
import { codeOf } from '../../../src/base/fault.js';
import { SerialQueue } from '../../../src/base/serial-queue.js';
import type { ByteStream } from '../../../src/device/byte-stream.js';
import { withTimeout } from '../../../src/device/toolkit/timeout.js';
import { FRAME_LIMIT, FrameParser, longFrame, shortFrame, type MbusFrame } from './frames.js';

/** Control fields of the master (EN 13757-2): initialise, request data with either frame count bit, select. */
const SND_NKE = 0x40;
const REQ_UD2 = [0x5b, 0x7b] as const;
const SND_UD = 0x53;
/** The address of the meter that was selected by its number. */
const SELECTED = 0xfd;
const SELECT = 0x52;
/** Repetitions of a request (EN 13757-2, 5.5.3). */
const REPEATS = 2;
/** Telegrams of one meter: some have a second and a third one. */
const TELEGRAMS_LIMIT = 8;
/** Start bit, eight data bits, parity, stop bit. */
const BITS_PER_BYTE = 11;
/** Of a bus behind a socket, whose baud rate is not known. */
const USUAL_BAUD = 2400;

/** How a meter is reached: by a primary address, or by the pattern of its number. */
type MbusTarget = { readonly address: number } | { readonly selection: Uint8Array };

interface RequestOptions {
  readonly target: MbusTarget;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  observe(what: string, bytes: Uint8Array): void;
  /** Whether another telegram follows this one. */
  hasMore(frame: MbusFrame): boolean;
}

/** The buses of one gateway: requests of all meters on a stream run one after another. */
export class MbusBuses {
  readonly #queues = new WeakMap<ByteStream, SerialQueue>();

  /** Requests all telegrams of a meter. Rejects with `TIMED_OUT` if it does not respond. */
  request(stream: ByteStream, options: RequestOptions): Promise<MbusFrame[]> {
    const queue = this.#queues.get(stream) ?? new SerialQueue();
    this.#queues.set(stream, queue);
    return queue.run(() => {
      options.signal.throwIfAborted();
      return new Exchange(stream, options).run();
    });
  }
}

class Exchange {
  readonly #stream: ByteStream;
  readonly #options: RequestOptions;
  readonly #parser: FrameParser;
  /** Until a request waits for it, what arrives is noise. */
  #onFrame: ((frame: MbusFrame) => void) | undefined;
  #onAcknowledge: (() => void) | undefined;

  constructor(stream: ByteStream, options: RequestOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#parser = new FrameParser({
      onFrame: (frame) => this.#onFrame?.(frame),
      onAcknowledge: () => this.#onAcknowledge?.(),
    });
  }

  async run(): Promise<MbusFrame[]> {
    const unsubscribe = this.#stream.onData((bytes) => {
      this.#options.observe('received', bytes);
      this.#parser.push(bytes);
    });
    const offBreak = this.#stream.onBreak?.(() => this.#parser.reset());
    try {
      const address = await this.#reach();
      return await this.#readAll(address);
    } finally {
      unsubscribe();
      offBreak?.();
    }
  }

  /** Initialises the meter, or selects it; returns its address. */
  async #reach(): Promise<number> {
    const { target } = this.#options;
    if ('address' in target) {
      // Some meters do not acknowledge; the request shows whether it responds.
      await this.#attempt(shortFrame(SND_NKE, target.address), () => this.#acknowledged()).catch(
        requireTimeout,
      );
      return target.address;
    }
    const select = longFrame({ control: SND_UD, address: SELECTED, kind: SELECT, data: target.selection });
    await this.#repeated(select, () => this.#acknowledged());
    return SELECTED;
  }

  async #readAll(address: number): Promise<MbusFrame[]> {
    const frames: MbusFrame[] = [];
    while (frames.length < TELEGRAMS_LIMIT) {
      const control = REQ_UD2[(frames.length + 1) % 2] ?? REQ_UD2[0];
      const frame = await this.#repeated(shortFrame(control, address), () => this.#frameFrom(address));
      frames.push(frame);
      if (!this.#options.hasMore(frame)) break;
    }
    return frames;
  }

  async #repeated<T>(request: Buffer, reply: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(request, reply);
      } catch (thrown) {
        if (attempt === REPEATS) throw thrown;
        requireTimeout(thrown);
      }
    }
  }

  async #attempt<T>(request: Buffer, reply: () => Promise<T>): Promise<T> {
    const { clock, signal, timeoutMs, observe } = this.#options;
    this.#parser.reset();
    const replied = reply();
    observe('sent', request);
    await this.#stream.send(request);
    const bits = (request.length + FRAME_LIMIT) * BITS_PER_BYTE;
    const ms = timeoutMs + (bits * 1000) / (this.#stream.baudRate ?? USUAL_BAUD);
    return withTimeout(clock, { ms, what: coded`METER_REPLY: the reply of the meter`, signal }, replied);
  }

  #acknowledged(): Promise<void> {
    return new Promise((resolve) => (this.#onAcknowledge = resolve));
  }

  /** The reply of this meter; a selected one replies with its primary address. */
  #frameFrom(address: number): Promise<MbusFrame> {
    return new Promise((resolve) => {
      this.#onFrame = (frame) => {
        if (address === SELECTED || frame.address === address) resolve(frame);
      };
    });
  }
}

/** Rethrows anything but a missing reply. */
function requireTimeout(thrown: unknown): void {
  if (codeOf(thrown) !== 'TIMED_OUT') throw thrown;
}
