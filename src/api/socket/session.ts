import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { messageOf } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import { joinChunks } from '../../base/json-chunks.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { Caller, ChangeStream } from '../../device/declare.js';
import type { Change } from '../../kernel/changes.js';
import { drained } from '../http/response.js';
import { decodeJson } from '../rpc/decode.js';
import { textFrames } from './text-frames.js';
import type { ChangeHub, Subscriber } from './change-hub.js';
import { OUTBOX_BUDGET, OUTBOX_LIMIT, Outbox, type OutboxLimits } from './outbox.js';
import { isRecord, type Reply, type Rpc } from '../rpc/rpc.js';
import type { ChangeFilter } from './change-filter.js';

/**
 * Bytes of one write to a client that is behind: enough to keep a socket busy, too little to block the event
 * loop.
 */
const PORTION_BYTES = 64 * 1024;
/** Calls in flight of one client; reading from it pauses until one has its reply. */
const CALLS_LIMIT = 16;

/**
 * WebSocket close codes (RFC 6455 §7.4.1, and 1013 of the registry there); the last ones are our own, for
 * browsers (interface, decision 27).
 */
export const closeCode = {
  goingAway: 1001,
  policy: 1008,
  internal: 1011,
  tryLater: 1013,
  unauthorized: 4401,
  forbidden: 4403,
  notFound: 4404,
  wait: 4429,
} as const;

/** The reason of a close: the session of the browser has ended. */
export const SESSION_ENDED = 'SESSION_ENDED';

interface SessionOptions {
  readonly webSocket: WebSocket;
  /** The socket below the WebSocket: complete frames are written to it directly. */
  readonly socket: Duplex;
  readonly hub: ChangeHub;
  readonly rpc: Rpc;
  readonly log: Log;
  readonly view: ChangeFilter;
  readonly caller: Caller;
  /** The limits of its queue; by default those of a client with credentials. */
  readonly outbox?: OutboxLimits | undefined;
  /** Called before each call of a browser that is signed in; false if its session has ended. */
  readonly use?: (() => boolean) | undefined;
}

/** One client on a WebSocket: its queued messages and its calls. */
export class Session implements ChangeStream, Subscriber {
  readonly #options: SessionOptions;
  readonly #caller: Caller;
  readonly #limits: OutboxLimits;
  readonly #outbox: Outbox;
  readonly #joining = new SerialQueue();
  /**
   * Past changes to be replayed, and the position in them. They do not count towards the budget: the change
   * buffer contains them anyway.
   */
  #replayed: readonly Change[] = [];
  #replayPosition = 0;
  /** The socket's buffer is full. */
  #isBehind = false;
  #calls = 0;
  /** Messages that arrived together with the one after which reading was paused: at most one read's bytes. */
  #held: Buffer[] = [];
  #pings = 0;
  #isEnded = false;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#limits = options.outbox ?? { budget: OUTBOX_BUDGET, limit: OUTBOX_LIMIT };
    this.#outbox = new Outbox(this.#limits, options.hub.losses);
    this.#caller = { ...options.caller, stream: this };
    const { webSocket, socket } = options;
    webSocket.on('message', (data, isBinary) => {
      const isHeld = webSocket.isPaused;
      this.#onActivity();
      if (isBinary || !Buffer.isBuffer(data)) return;
      if (isHeld) this.#held.push(data);
      else this.#onMessage(data);
    });
    webSocket.on('ping', () => this.#onActivity());
    webSocket.on('pong', () => this.#onActivity());
    // An invalid frame, a message that is too long: the library closes with the correct code.
    webSocket.on('error', (error) =>
      options.log.debug({ remote: this.remote, error: messageOf(error) }, 'socket failed'),
    );
    this.closed = new Promise((resolve) => webSocket.on('close', () => resolve()));
    webSocket.on('close', () => {
      // Calls that a client sends before it closes the connection are performed.
      for (const data of this.#held.splice(0)) this.#onMessage(data);
      this.#end();
    });
    socket.on('drain', () => {
      // While it is behind, its pongs are not read; that it reads shows that it is alive as well.
      this.#pings = 0;
      this.#isBehind = false;
      this.#pump();
      this.#updateReading();
    });
  }

  /** Queued messages and bytes, and calls in flight. */
  get waiting(): { readonly messages: number; readonly bytes: number; readonly calls: number } {
    const { size, bytes } = this.#outbox;
    return {
      messages: size + (this.#replayed.length === 0 ? 0 : this.#replayed.length - this.#replayPosition),
      bytes: bytes + this.#options.socket.writableLength,
      calls: this.#calls,
    };
  }

  get remote(): string {
    return this.#caller.remote;
  }

  /** See {@link Subscriber}. */
  replay(changes: readonly Change[]): void {
    this.#replayed = changes;
    this.#pump();
  }

  /** See {@link Subscriber}. */
  deliver(changes: readonly Change[], bytes: Buffer): void {
    if (this.#isEnded) return;
    if (!this.#isBehind && this.#outbox.size === 0 && this.#replayed.length === 0) return this.#write(bytes);
    for (const [n, change] of changes.entries()) {
      if (this.#outbox.put(change)) continue;
      this.#options.hub.losses.dropped += this.#outbox.size + changes.length - n - 1;
      this.#outbox.clear();
      this.#options.log.warn(
        { remote: this.remote, bytes: this.#limits.limit },
        'a client was too slow, and its session was closed',
      );
      return this.close(
        closeCode.tryLater,
        `too slow: more than ${this.#limits.limit} bytes queued; reconnect and take a snapshot`,
      );
    }
  }

  /** See {@link Subscriber}. */
  sendFrame(bytes: Buffer): void {
    const isIdle = !this.#isBehind && this.#outbox.size === 0 && this.#replayed.length === 0;
    if (isIdle && !this.#isEnded) this.#write(bytes);
  }

  /** See {@link ChangeStream}. */
  subscribe(ids: readonly number[], messages: readonly number[], senders: readonly number[] = []): void {
    this.#options.hub.subscribe(this, this.#options.view, { ids, messages, senders });
  }

  /** See {@link Subscriber}. */
  ping(limit: number): void {
    const { webSocket } = this.#options;
    // While nothing is read because of its calls, its pongs are not either.
    if (this.#calls >= CALLS_LIMIT && !this.#isBehind) this.#pings = 0;
    if (this.#pings >= limit) return webSocket.terminate();
    this.#pings += 1;
    if (webSocket.readyState === webSocket.OPEN) webSocket.ping();
  }

  /** Closes the session with a reason of at most 123 bytes. Calling it again does nothing. */
  close(code: number, reason: string): void {
    if (this.#isEnded) return;
    this.#end();
    this.#options.webSocket.close(code, reason);
    // Reading must continue, or the peer's close frame is never seen.
    this.#options.webSocket.resume();
  }

  /** Closes the connection without a close handshake. */
  terminate(): void {
    this.#end();
    this.#options.webSocket.terminate();
  }

  #end(): void {
    this.#isEnded = true;
    this.#replayed = [];
    this.#held = [];
    this.#outbox.clear();
    this.#options.hub.leave(this);
  }

  #write(bytes: Buffer): void {
    const { webSocket, socket } = this.#options;
    // Nothing may follow a close frame (RFC 6455 §5.5.1), including the library's reply to the peer's.
    if (webSocket.readyState === webSocket.OPEN && !socket.write(bytes)) this.#isBehind = true;
  }

  /** Writes queued changes until the socket's buffer is full: replayed ones first, then newer ones. */
  #pump(): void {
    while (!this.#isBehind && !this.#isEnded) {
      const changes = this.#replayed.length > 0 ? this.#takeReplayed() : this.#outbox.take(PORTION_BYTES);
      if (changes.length === 0) return;
      this.#write(textFrames(changes.map((change) => change.frame)));
    }
  }

  #takeReplayed(): readonly Change[] {
    const from = this.#replayPosition;
    let length = 0;
    while (length < PORTION_BYTES && this.#replayPosition < this.#replayed.length)
      length += this.#replayed[this.#replayPosition++]?.frame.length ?? 0;
    const portion = this.#replayed.slice(from, this.#replayPosition);
    if (this.#replayPosition === this.#replayed.length) this.#replayed = [];
    return portion;
  }

  #onActivity(): void {
    this.#pings = 0;
    // A peer that sends calls without reading the replies would fill the memory with them.
    if (this.#options.socket.writableNeedDrain) this.#isBehind = true;
    this.#updateReading();
  }

  /**
   * Pauses or resumes reading, according to the calls in flight and the queued replies. The messages that are
   * held come first.
   */
  #updateReading(): void {
    const { webSocket } = this.#options;
    while (!this.#isEnded) {
      if (this.#calls >= CALLS_LIMIT || this.#isBehind) return webSocket.pause();
      const data = this.#held.shift();
      if (data === undefined) return webSocket.isPaused ? webSocket.resume() : undefined;
      this.#onMessage(data);
    }
  }

  /** Handles a call or a batch of calls; ignores anything else (interface, decision 7). */
  #onMessage(data: Buffer): void {
    if (this.#isEnded) return;
    let message: unknown;
    try {
      message = decodeJson(data);
    } catch {
      return;
    }
    if (!Array.isArray(message) && !(isRecord(message) && 'jsonrpc' in message)) return;
    if (this.#options.use?.() === false) return this.close(closeCode.unauthorized, SESSION_ENDED);
    const reply = this.#options.rpc.handle(message, this.#caller);
    if (!(reply instanceof Promise) && typeof reply !== 'object') return this.#reply(reply);
    this.#calls += 1;
    this.#replyLater(reply).then(
      () => {
        this.#calls -= 1;
        this.#updateReading();
      },
      (thrown: unknown) => {
        this.#options.log.error({ error: messageOf(thrown) }, 'a reply could not be created');
        this.terminate();
      },
    );
    this.#updateReading();
  }

  /**
   * Sends an asynchronous or chunked reply. Chunked ones are built one at a time, when the client has read what
   * was written before.
   */
  async #replyLater(reply: Reply | Promise<Reply>): Promise<void> {
    const late = await reply;
    if (typeof late !== 'object') return this.#reply(late);
    await this.#joining.run(async () => {
      const { socket } = this.#options;
      if (this.#isBehind && !socket.destroyed) await drained(socket);
      if (this.#isEnded || socket.destroyed) late.close();
      else this.#reply(await joinChunks(late));
    });
  }

  #reply(text: string | undefined): void {
    if (text !== undefined && !this.#isEnded) this.#write(textFrames([text]));
  }
}
