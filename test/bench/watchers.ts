import { type Socket, connect } from 'node:net';
import { withinPatience } from '../tools/until.js';
import { AUTHORIZATION, type Server } from './gateway.js';

const READ_BYTES = 256 * 1024;
/**
 * First bytes of a complete text frame, and of a ping without content; the reply to it, masked with zeros.
 */
const TEXT = 0x81;
const PING = 0x89;
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
/** The beginning of every frame's text. */
const BEGINNING = '{"TimeStamp":';
/** The header of an unmasked frame (RFC 6455 §5.2), the beginning, and a counter of up to 15 digits. */
const LOOK_BYTES = 10 + BEGINNING.length + 16;

/** Where and as whom clients connect. */
export interface Entrance {
  readonly path: string;
  readonly authorization: string;
}

const OWNER: Entrance = { path: '/api/', authorization: AUTHORIZATION };

/**
 * WebSocket clients that count frames without parsing them, and detect missing ones by the counters: many
 * must cost less than the server.
 */
export class Watchers implements Disposable {
  readonly #watchers: Watcher[] = [];
  #onChunk: () => void = () => undefined;

  static async open(
    server: Pick<Server, 'port'>,
    count: number,
    entrance: Entrance = OWNER,
  ): Promise<Watchers> {
    const watchers = new Watchers();
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let i = 0; i < count; i++) {
      const watcher = new Watcher({
        ...entrance,
        port: server.port,
        buffer,
        listener: () => watchers.#onChunk(),
      });
      await withinPatience('an upgrade', watcher.ready);
      watchers.#watchers.push(watcher);
    }
    return watchers;
  }

  /** Number of received frames, over all clients. */
  get frames(): number {
    return this.#watchers.reduce((sum, { frames }) => sum + frames, 0);
  }

  /** Number of frames of the client with the fewest. */
  get fewest(): number {
    return this.#watchers.reduce((least, { frames }) => Math.min(least, frames), Infinity);
  }

  /** Counters that did not follow the previous one, over all clients. */
  get gaps(): number {
    return this.#watchers.reduce((sum, { gaps }) => sum + gaps, 0);
  }

  /** Called after each received chunk. */
  set onChunk(listener: () => void) {
    this.#onChunk = listener;
  }

  /** Resolves when every client has at least this number of frames. */
  async have(frames: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => this.fewest >= frames && resolve();
    this.#onChunk = check;
    check();
    await withinPatience(`${frames} frames at each client`, promise, 30_000);
    this.#onChunk = () => undefined;
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers) watcher.end();
  }
}

interface WatcherOptions extends Entrance {
  readonly port: number;
  readonly buffer: Buffer;
  readonly listener: () => void;
}

class Watcher {
  frames = 0;
  gaps = 0;
  readonly ready: Promise<void>;
  readonly #socket: Socket;
  readonly #onChunk: () => void;
  #last = 0;
  /** Remaining bytes of the frame that is being read. */
  #skip = 0;
  /** The incomplete beginning of a frame. */
  #held: Buffer | undefined;

  constructor({ port, path, authorization, buffer, listener }: WatcherOptions) {
    const upgraded = Promise.withResolvers<void>();
    this.ready = upgraded.promise;
    this.#onChunk = listener;
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
      this.#onChunk();
      return true;
    };
    this.#socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } });
    this.#socket.on('error', upgraded.reject);
    const head = [
      `GET ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Authorization: ${authorization}`,
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

/** Whether a short frame at the end of the bytes is complete. */
function isWhole(bytes: Buffer, at: number): boolean {
  const short = (bytes[at + 1] ?? 0x7f) & 0x7f;
  return short < 126 && bytes.length - at >= 2 + short;
}
