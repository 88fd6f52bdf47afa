import { coded, type CodedText, type Text } from '../../src/base/codes/coded-text.js';
import { delay, type Clock } from '../../src/base/clock.js';
import { messageOf } from '../../src/base/fault.js';
import type { ByteStream } from '../../src/device/byte-stream.js';
import { EchoFilter, echoProbe } from './echo-filter.js';
import type { PduRequest } from './pdu.js';
import type { Framing } from './framing.js';
import { wireTimeMs } from './wire-time.js';

/** How long the stream may take to accept a request; this is in addition to the reply timeout. */
const SEND_TIMEOUT_MS = 6_000;
/** How long to wait for silence on a line that is never silent. */
const MAX_SILENCE_WAIT_MS = 1_000;
/** Above this baud rate the silence between frames is fixed (§2.5.1.1). */
const FIXED_ABOVE_BAUD = 19_200;
const FIXED_SILENCE_MS = 1.75;
const SILENCE_CHARACTERS = 3.5;

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** For the reply, from the end of the request on the wire. */
  readonly timeoutMs: number;
  /** Minimum silence before a request; the silence that the protocol requires is always kept. */
  readonly pauseMs: number;
}

/** How one request is sent. */
interface ExchangeOptions extends Timeouts {
  /** Whether nobody waits for the reply any more. */
  readonly isCancelled: () => boolean;
}

/** The PDU of the reply, or why there is none. */
type ExchangeResult =
  | { readonly pdu: Buffer }
  /** It was cancelled before it was sent. */
  | { readonly isCancelled: true }
  /** `isBroken`: the peer closed the connection; the request may be repeated on the next one. */
  | { readonly missing: Text; readonly isBroken?: true };

/** Called with every frame on the wire, for the debug output. */
export type FrameObserver = (what: 'sent' | 'received', bytes: Uint8Array) => void;

/** The dependencies of a transport. */
interface TransportOptions {
  readonly stream: ByteStream;
  readonly framing: Framing;
  readonly clock: Clock;
  readonly observe: FrameObserver;
}

interface PendingExchange {
  readonly unit: number;
  readonly request: PduRequest;
  readonly transaction: number;
  readonly frame: Buffer;
  /** Bytes of its echo that were removed. */
  echoLength: number;
  /** Number of bytes received since the request was sent. */
  byteCount: number;
  readonly resolve: (outcome: ExchangeResult) => void;
}

/** Exchanges requests and replies over a stream of bytes, one at a time. */
export class Transport implements Disposable {
  readonly #with: TransportOptions;
  readonly #unsubscribe: readonly ((() => void) | undefined)[];
  readonly #closing = new AbortController();
  readonly #echo = new EchoFilter();
  #buffer: Buffer = Buffer.alloc(0);
  #pending: PendingExchange | undefined;
  /** Starts at a random number, so that a late reply to an earlier transport does not match. */
  #transaction: number;
  /** The last time that anything was on the wire, monotonic milliseconds. */
  #busyUntilMs = -Infinity;

  constructor(parts: TransportOptions) {
    this.#with = parts;
    this.#transaction = Math.floor(parts.clock.random() * 0x10000);
    const { stream } = parts;
    this.#unsubscribe = [
      stream.onData((bytes) => this.#received(bytes)),
      stream.onBreak?.(() => this.#broken()),
    ];
  }

  /**
   * Sends a request and waits for its reply; only one at a time. Never rejects: a failure is returned as
   * `missing`.
   */
  async exchange(unit: number, request: PduRequest, options: ExchangeOptions): Promise<ExchangeResult> {
    // The echo of this request would count as its confirmation.
    if (!this.#with.framing.hasTransactions && !this.#echo.canDecide(request))
      await this.#exchange(unit, echoProbe(request), options);
    return this.#exchange(unit, request, options);
  }

  async #exchange(unit: number, request: PduRequest, options: ExchangeOptions): Promise<ExchangeResult> {
    const { framing, stream, clock, observe } = this.#with;
    const { signal } = this.#closing;
    try {
      await this.#waitForSilence(options);
      signal.throwIfAborted();
      if (options.isCancelled()) return { isCancelled: true };
      this.#transaction = (this.#transaction + 1) & 0xffff;
      const addressed = { unit, request, transaction: this.#transaction };
      const frame = framing.encode(addressed);
      // Bytes received before the request are not its reply. With transactions, they may be the start of a
      // late reply that must be skipped as a frame.
      if (!framing.hasTransactions) this.#buffer = Buffer.alloc(0);
      const { promise, resolve } = Promise.withResolvers<ExchangeResult>();
      this.#pending = { ...addressed, frame, echoLength: 0, byteCount: 0, resolve };
      const onWireMs = this.#wireMs(frame.length);
      const answerMs = this.#wireMs(framing.frameLength(request.replyLength));
      let isDone = false;
      let cancel = clock.after(SEND_TIMEOUT_MS, () =>
        resolve({ missing: coded`REQUEST_COULD_NOT_SENT: the request could not be sent` }),
      );
      const abort = () => resolve({ missing: coded`CONNECTION_CLOSED: the connection was closed` });
      signal.addEventListener('abort', abort, { once: true });
      try {
        observe('sent', frame);
        stream.send(frame).then(
          () => {
            cancel();
            if (isDone) return;
            this.#markBusy(onWireMs);
            const ms = Math.ceil(options.timeoutMs + onWireMs + answerMs);
            cancel = clock.after(ms, () => resolve({ missing: this.#handleTimeout(options) }));
          },
          (thrown: unknown) => resolve({ missing: messageOf(thrown) }),
        );
        return await promise;
      } finally {
        isDone = true;
        cancel();
        signal.removeEventListener('abort', abort);
        this.#pending = undefined;
      }
    } catch (thrown) {
      return { missing: messageOf(thrown) };
    }
  }

  [Symbol.dispose](): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe?.();
    this.#closing.abort(new DOMException('the bus was closed', 'AbortError'));
  }

  #broken(): void {
    this.#buffer = Buffer.alloc(0);
    this.#pending?.resolve({
      missing: coded`CONNECTION_CLOSED_BEFORE_REPLY: the connection was closed before the reply`,
      isBroken: true,
    });
  }

  #received(bytes: Uint8Array): void {
    const { framing, observe } = this.#with;
    observe('received', bytes);
    this.#markBusy(0);
    const pending = this.#pending;
    if (pending === undefined && !framing.hasTransactions) return;
    // Only the end of a flood can still contain a reply.
    const all = Buffer.concat([this.#buffer, bytes]).subarray(-4 * framing.maxFrameLength);
    if (pending === undefined) {
      this.#buffer = all;
      return;
    }
    pending.byteCount += bytes.length;
    this.#buffer = this.#withoutEcho(all, pending);
    const isFirst = !framing.hasTransactions && pending.echoLength === 0;
    if (isFirst && this.#echo.isPartialEcho(this.#buffer, pending)) return;
    const { pdu, consumed } = framing.findReply(this.#buffer, pending);
    this.#buffer = this.#buffer.subarray(consumed);
    if (pdu !== undefined && !framing.hasTransactions)
      this.#echo.learnReply(pending, pending.byteCount - framing.frameLength(pdu.length));
    if (pdu !== undefined) pending.resolve({ pdu: Buffer.from(pdu) });
  }

  /** Received bytes without the echo of the request. */
  #withoutEcho(received: Buffer, pending: PendingExchange): Buffer {
    if (this.#with.framing.hasTransactions || pending.echoLength > 0) return received;
    pending.echoLength = this.#echo.echoLength(received, pending);
    return received.subarray(pending.echoLength);
  }

  /**
   * Waits until the line has been silent for long enough. A line that is never silent is consumed after a
   * limit.
   */
  async #waitForSilence({ pauseMs }: Timeouts): Promise<void> {
    const { clock } = this.#with;
    const requiredMs = Math.max(this.#silenceMs(), pauseMs);
    const endMs = this.#nowMs() + MAX_SILENCE_WAIT_MS;
    for (;;) {
      const nowMs = this.#nowMs();
      const waitMs = Math.min(this.#busyUntilMs + requiredMs, endMs) - nowMs;
      if (!(waitMs > 0)) return;
      await delay(clock, Math.ceil(waitMs), this.#closing.signal);
    }
  }

  /** Silence before a request: 3.5 characters (§2.5.1.1), or none if frames have headers. */
  #silenceMs(): number {
    const { framing, stream } = this.#with;
    if (framing.hasTransactions) return 0;
    const { baudRate = Infinity } = stream;
    return baudRate > FIXED_ABOVE_BAUD ? FIXED_SILENCE_MS : wireTimeMs(SILENCE_CHARACTERS, baudRate);
  }

  #wireMs(bytes: number): number {
    return wireTimeMs(bytes, this.#with.stream.baudRate);
  }

  #markBusy(forMs: number): void {
    this.#busyUntilMs = Math.max(this.#busyUntilMs, this.#nowMs() + forMs);
  }

  #handleTimeout({ timeoutMs }: Timeouts): CodedText {
    const { byteCount = 0, echoLength = 0 } = this.#pending ?? {};
    if (byteCount === 0) this.#echo.learnSilence();
    const count = byteCount - echoLength;
    return count === 0
      ? coded`NO_REPLY_WITHIN_MS: no reply within ${timeoutMs} ms`
      : coded`NO_VALID_REPLY_WITHIN: no valid reply within ${timeoutMs} ms, only ${count} other bytes: corrupt, late, or from another unit`;
  }

  #nowMs(): number {
    return Number(this.#with.clock.monotonicNs()) / 1e6;
  }
}
