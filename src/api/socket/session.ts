import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { messageOf } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import { joinChunks } from '../../base/json-chunks.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { Caller, ChangeStream } from '../../device/declare.js';
import type { Change } from '../../kernel/changes.js';
import { decodeJson } from '../rpc/decode.js';
import { textFrames } from './text-frames.js';
import type { ChangeHub, Subscriber } from './change-hub.js';
import { OUTBOX_BUDGET, OUTBOX_LIMIT, Outbox, type OutboxLimits } from './outbox.js';
import { isRecord, type Reply, type Rpc } from '../rpc/rpc.js';
import type { Subscription, ChangeFilter } from './change-filter.js';

/**
 * Bytes of one write to a client that is behind: enough to keep a socket busy, too little to block the event
 * loop.
 */
const PORTION_BYTES = 64 * 1024;
/** Calls in flight of one client; reading from it pauses until one has its reply. */
const CALLS_LIMIT = 16;

/** WebSocket close codes (RFC 6455 §7.4.1, and 1013 of the registry there). */
export const closeCode = { goingAway: 1001, policy: 1008, tryLater: 1013 } as const;

export interface SessionParts {
  readonly webSocket: WebSocket;
  /** The socket below the WebSocket: complete frames are written to it directly. */
  readonly socket: Duplex;
  readonly hub: ChangeHub;
  readonly rpc: Rpc;
  readonly log: Log;
  readonly view: ChangeFilter;
  readonly caller: Caller;
  /** What may wait for it; by default the limits of a client with credentials. */
  readonly outbox?: OutboxLimits | undefined;
}

/** One client on a WebSocket: its queued messages and its calls. */
export class Session implements ChangeStream, Subscriber {
  readonly #parts: SessionParts;
  readonly #caller: Caller;
  readonly #limits: OutboxLimits;
  readonly #outbox: Outbox;
  readonly #gathering = new SerialQueue();
  /**
   * Past changes to be replayed, and how far that has come. They count in no budget: the change buffer holds
   * them anyway.
   */
  #past: readonly Change[] = [];
  #pastAt = 0;
  /** The socket takes no more for now. */
  #isBehind = false;
  #calls = 0;
  #pings = 0;
  #isOver = false;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#limits = parts.outbox ?? { budget: OUTBOX_BUDGET, limit: OUTBOX_LIMIT };
    this.#outbox = new Outbox(this.#limits);
    this.#caller = { ...parts.caller, stream: this };
    const { webSocket, socket } = parts;
    webSocket.on('message', (data, isBinary) => {
      this.#heard();
      if (!isBinary && Buffer.isBuffer(data)) this.#took(data);
    });
    webSocket.on('ping', () => this.#heard());
    webSocket.on('pong', () => this.#heard());
    // A broken frame, a message too long: the library closes with the right code.
    webSocket.on('error', (error) =>
      parts.log.debug({ remote: this.remote, error: messageOf(error) }, 'socket failed'),
    );
    this.closed = new Promise((resolve) => webSocket.on('close', () => resolve()));
    webSocket.on('close', () => this.#over());
    socket.on('drain', () => {
      this.#isBehind = false;
      this.#pump();
      this.#readOn();
    });
  }

  /** Queued messages and bytes, and calls in flight. */
  get waiting(): { readonly messages: number; readonly bytes: number; readonly calls: number } {
    const { size, bytes } = this.#outbox;
    return {
      messages: size + (this.#past.length === 0 ? 0 : this.#past.length - this.#pastAt),
      bytes: bytes + this.#parts.socket.writableLength,
      calls: this.#calls,
    };
  }

  get remote(): string {
    return this.#caller.remote;
  }

  /** See {@link Subscriber}. */
  replay(changes: readonly Change[]): void {
    this.#past = changes;
    this.#pump();
  }

  /** See {@link Subscriber}. */
  deliver(changes: readonly Change[], bytes: Buffer): void {
    if (this.#isOver) return;
    if (!this.#isBehind && this.#outbox.size === 0 && this.#past.length === 0) return this.#write(bytes);
    for (const change of changes) {
      if (this.#outbox.put(change)) continue;
      this.#outbox.clear();
      this.#parts.log.warn(
        { remote: this.remote, bytes: this.#limits.limit },
        'a client was too slow, and was let go',
      );
      return this.close(
        closeCode.tryLater,
        `too slow: more than ${this.#limits.limit} bytes wait; take a snapshot and come again`,
      );
    }
  }

  /** See {@link ChangeStream}. */
  subscribe(ids: readonly number[], messages: readonly number[]): void {
    const wanted: Subscription = { ids, messages };
    this.#parts.hub.narrow(this, this.#parts.view, wanted);
  }

  /** See {@link Subscriber}. */
  ping(most: number): void {
    const { webSocket } = this.#parts;
    if (this.#pings >= most) return webSocket.terminate();
    this.#pings += 1;
    if (webSocket.readyState === webSocket.OPEN) webSocket.ping();
  }

  /** Ends it with a reason, of at most 123 bytes. Calling it again does nothing. */
  close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#over();
    this.#parts.webSocket.close(code, reason);
    // Reading must continue, or the peer's close frame is never seen.
    this.#parts.webSocket.resume();
  }

  /** Closes the connection without a close handshake. */
  terminate(): void {
    this.#over();
    this.#parts.webSocket.terminate();
  }

  #over(): void {
    this.#isOver = true;
    this.#past = [];
    this.#outbox.clear();
    this.#parts.hub.leave(this);
  }

  #write(bytes: Buffer): void {
    const { webSocket, socket } = this.#parts;
    // Nothing may follow a close frame (RFC 6455 §5.5.1), including the library's reply to the peer's.
    if (webSocket.readyState === webSocket.OPEN && !socket.write(bytes)) this.#isBehind = true;
  }

  /** Writes what waits, until the socket takes no more: the past first, then what came meanwhile. */
  #pump(): void {
    while (!this.#isBehind && !this.#isOver) {
      const changes = this.#past.length > 0 ? this.#takePast() : this.#outbox.take(PORTION_BYTES);
      if (changes.length === 0) return;
      this.#write(textFrames(changes.map((change) => change.frame)));
    }
  }

  #takePast(): readonly Change[] {
    const from = this.#pastAt;
    let length = 0;
    while (length < PORTION_BYTES && this.#pastAt < this.#past.length)
      length += this.#past[this.#pastAt++]?.frame.length ?? 0;
    const portion = this.#past.slice(from, this.#pastAt);
    if (this.#pastAt === this.#past.length) this.#past = [];
    return portion;
  }

  #heard(): void {
    this.#pings = 0;
    // A peer that sends calls without reading the replies would fill the memory with them.
    if (this.#parts.socket.writableNeedDrain) this.#isBehind = true;
    this.#readOn();
  }

  /** Pauses or resumes reading, according to the calls in flight and the queued replies. */
  #readOn(): void {
    const { webSocket } = this.#parts;
    if (this.#isOver) return;
    if (this.#calls >= CALLS_LIMIT || this.#isBehind) webSocket.pause();
    else if (webSocket.isPaused) webSocket.resume();
  }

  /** A call, a batch of calls, or something to be ignored (interface, decision 7). */
  #took(data: Buffer): void {
    if (this.#isOver) return;
    let message: unknown;
    try {
      message = decodeJson(data);
    } catch {
      return;
    }
    if (!Array.isArray(message) && !(isRecord(message) && 'jsonrpc' in message)) return;
    const reply = this.#parts.rpc.handle(message, this.#caller);
    if (!(reply instanceof Promise) && typeof reply !== 'object') return this.#reply(reply);
    this.#calls += 1;
    this.#readOn();
    this.#whole(reply).then(
      (text) => {
        this.#calls -= 1;
        this.#reply(text);
        this.#readOn();
      },
      (thrown: unknown) => {
        this.#parts.log.error({ error: messageOf(thrown) }, 'a reply could not be created');
        this.terminate();
      },
    );
  }

  /** The text of an asynchronous or chunked reply; chunked ones are built one at a time. */
  async #whole(reply: Reply | Promise<Reply>): Promise<string | undefined> {
    const late = await reply;
    return typeof late === 'object' ? this.#gathering.run(() => joinChunks(late)) : late;
  }

  #reply(text: string | undefined): void {
    if (text !== undefined && !this.#isOver) this.#write(textFrames([text]));
  }
}
