import { type Socket, connect } from 'node:net';
import { withinPatience } from '../tools/until.js';
import { AUTHORIZATION, type Server } from './gateway.js';

const READ_BYTES = 256 * 1024;
/** First bytes of a whole text frame, and of a ping without content; what answers it, masked with zeros. */
const TEXT = 0x81;
const PING = 0x89;
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
/** How every frame's text begins. */
const BEGINNING = '{"TimeStamp":';
/** A frame's head without a mask (RFC 6455 §5.2), the beginning, and a counter of up to 15 digits. */
const LOOK_BYTES = 10 + BEGINNING.length + 16;

/**
 * WebSocket clients that count frames without parsing them, and see from the counters whether one is missing:
 * many must cost less than the server that feeds them.
 */
export class Watchers implements Disposable {
  readonly #watchers: Watcher[] = [];
  #told: () => void = () => undefined;

  static async open(server: Server, count: number): Promise<Watchers> {
    const watchers = new Watchers();
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let i = 0; i < count; i++) {
      const watcher = new Watcher(server.port, buffer, () => watchers.#told());
      await withinPatience('an upgrade', watcher.ready);
      watchers.#watchers.push(watcher);
    }
    return watchers;
  }

  /** Frames that have come, over all clients. */
  get frames(): number {
    return this.#watchers.reduce((sum, { frames }) => sum + frames, 0);
  }

  /** Frames of the client that has the fewest. */
  get fewest(): number {
    return this.#watchers.reduce((least, { frames }) => Math.min(least, frames), Infinity);
  }

  /** Counters that did not follow on the one before, over all clients. */
  get gaps(): number {
    return this.#watchers.reduce((sum, { gaps }) => sum + gaps, 0);
  }

  /** Called whenever something has come. */
  set told(messages: () => void) {
    this.#told = messages;
  }

  /** Resolves when every client has at least so many frames. */
  async have(frames: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => this.fewest >= frames && resolve();
    this.#told = check;
    check();
    await withinPatience(`${frames} frames at each client`, promise, 30_000);
    this.#told = () => undefined;
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers) watcher.end();
  }
}

class Watcher {
  frames = 0;
  gaps = 0;
  readonly ready: Promise<void>;
  readonly #socket: Socket;
  readonly #told: () => void;
  #last = 0;
  /** Bytes of the frame being read that are still to come. */
  #skip = 0;
  /** A frame's beginning that was cut off. */
  #held: Buffer | undefined;

  constructor(port: number, buffer: Buffer, messages: () => void) {
    const upgraded = Promise.withResolvers<void>();
    this.ready = upgraded.promise;
    this.#told = messages;
    let isUpgraded = false;
    const callback = (length: number): boolean => {
      let bytes = buffer.subarray(0, length);
      if (!isUpgraded) {
        const end = bytes.indexOf('\r\n\r\n');
        if (!bytes.toString('latin1', 0, 12).endsWith(' 101') || end < 0)
          upgraded.reject(new Error(`no upgrade: ${bytes.toString()}`));
        isUpgraded = true;
        upgraded.resolve();
        bytes = bytes.subarray(end + 4);
      }
      this.#read(bytes);
      this.#told();
      return true;
    };
    this.#socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } });
    this.#socket.on('error', upgraded.reject);
    const head = [
      'GET /api/ HTTP/1.1',
      'Host: 127.0.0.1',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Authorization: ${AUTHORIZATION}`,
    ];
    this.#socket.write(`${head.join('\r\n')}\r\n\r\n`);
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = undefined;
    let at = this.#skip;
    while (at < bytes.length) {
      if (bytes.length - at < LOOK_BYTES && !isWhole(bytes, at)) {
        this.#held = Buffer.from(bytes.subarray(at));
        break;
      }
      const short = (bytes[at + 1] as number) & 0x7f;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      const length =
        short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6);
      if (bytes[at] === PING) this.#socket.write(PONG);
      if (bytes[at] === TEXT) this.#count(bytes, at + head + BEGINNING.length);
      at += head + length;
    }
    this.#skip = Math.max(0, at - bytes.length);
  }

  #count(bytes: Buffer, from: number): void {
    let counter = 0;
    for (let at = from; ; at++) {
      const digit = (bytes[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) break;
      counter = counter * 10 + digit;
    }
    if (this.frames > 0 && counter !== this.#last + 1) this.gaps += 1;
    this.#last = counter;
    this.frames += 1;
  }
}

/** Whether a short frame at the end of the bytes is all there. */
function isWhole(bytes: Buffer, at: number): boolean {
  const short = (bytes[at + 1] ?? 0x7f) & 0x7f;
  return short < 126 && bytes.length - at >= 2 + short;
}
