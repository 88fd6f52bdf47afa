import { delay, type Clock } from '../../src/base/clock.js';
import { messageOf } from '../../src/base/fault.js';
import type { ByteStream } from '../../src/device/byte-stream.js';
import type { PduRequest } from './pdu.js';
import type { Framing } from './framing.js';

/** Beyond the time that a request waits for its answer: how long the stream may take to accept it. */
const SEND_TIMEOUT_MS = 6_000;
/** How long silence is waited for on a line that has none. */
const MAX_SILENCE_WAIT_MS = 1_000;
/** Start bit, eight data bits, parity or a second stop bit, stop bit [MODBUS over Serial Line V1.02 §2.5.1]. */
const BITS_PER_CHARACTER = 11;
/** Above this rate the silence between frames is fixed (§2.5.1.1). */
const FIXED_ABOVE_BAUD = 19_200;
const FIXED_SILENCE_MS = 1.75;
const SILENCE_CHARACTERS = 3.5;

/** How long to wait, in milliseconds. */
export interface Timeouts {
  /** For the answer, from when the request is on the wire. */
  readonly timeoutMs: number;
  /** The line is to have been silent for so long before; what the protocol wants is kept anyhow. */
  readonly pauseMs: number;
}

/** What a request came to: the PDU of its answer, or why there is none. */
export type ExchangeResult =
  | { readonly pdu: Buffer }
  /** `isBroken`: the unit closed the connection, and may be asked again over the next one. */
  | { readonly missing: string; readonly isBroken?: true };

/** What stands on the wire, for who wants to see it. */
export type FrameObserver = (what: 'sent' | 'received', bytes: Uint8Array) => void;

/** What a line works with. */
export interface TransportOptions {
  readonly stream: ByteStream;
  readonly framing: Framing;
  readonly clock: Clock;
  readonly observe: FrameObserver;
}

interface PendingExchange {
  readonly unit: number;
  readonly request: PduRequest;
  readonly transaction: number;
  /** Bytes that came since it was sent. */
  byteCount: number;
  readonly resolve: (outcome: ExchangeResult) => void;
}

/** One request after the other over a stream of bytes, each with its answer or without one. */
export class Transport implements Disposable {
  readonly #with: TransportOptions;
  readonly #unlisten: readonly ((() => void) | undefined)[];
  readonly #closing = new AbortController();
  #held: Buffer = Buffer.alloc(0);
  #waiting: PendingExchange | undefined;
  /** Begins anywhere, so that what answers an earlier line's request does not fit. */
  #transaction: number;
  /** When something was last on the wire, monotonic milliseconds. */
  #busyMs = -Infinity;

  constructor(parts: TransportOptions) {
    this.#with = parts;
    this.#transaction = Math.floor(parts.clock.random() * 0x10000);
    const { stream } = parts;
    this.#unlisten = [
      stream.onData((bytes) => this.#received(bytes)),
      stream.onBreak?.(() => this.#broken()),
    ];
  }

  /** Sends a request and waits for its answer; only one at a time. Never rejects: what failed is `missing`. */
  async exchange(unit: number, request: PduRequest, patience: Timeouts): Promise<ExchangeResult> {
    const { framing, stream, clock, observe: watch } = this.#with;
    const { signal } = this.#closing;
    try {
      await this.#silence(patience);
      signal.throwIfAborted();
      this.#transaction = (this.#transaction + 1) & 0xffff;
      const addressed = { unit, request, transaction: this.#transaction };
      const frame = framing.encode(addressed);
      // What came before we asked is no answer; with transactions it may be the beginning of what answers nobody any more.
      if (!framing.hasTransactions) this.#held = Buffer.alloc(0);
      const { promise, resolve } = Promise.withResolvers<ExchangeResult>();
      this.#waiting = { ...addressed, byteCount: 0, resolve: resolve };
      const onWireMs = this.#wireMs(frame.length);
      const answerMs = this.#wireMs(framing.frameLength(request.replyLength));
      let isOver = false;
      let cancel = clock.after(SEND_TIMEOUT_MS, () => resolve({ missing: 'it can not be sent' }));
      const abort = () => resolve({ missing: 'it was closed meanwhile' });
      signal.addEventListener('abort', abort, { once: true });
      try {
        watch('sent', frame);
        stream.send(frame).then(
          () => {
            cancel();
            if (isOver) return;
            this.#busy(onWireMs);
            const ms = Math.ceil(patience.timeoutMs + onWireMs + answerMs);
            cancel = clock.after(ms, () => resolve({ missing: this.#whyNothing(patience) }));
          },
          (thrown: unknown) => resolve({ missing: messageOf(thrown) }),
        );
        return await promise;
      } finally {
        isOver = true;
        cancel();
        signal.removeEventListener('abort', abort);
        this.#waiting = undefined;
      }
    } catch (thrown) {
      return { missing: messageOf(thrown) };
    }
  }

  [Symbol.dispose](): void {
    for (const unlisten of this.#unlisten) unlisten?.();
    this.#closing.abort(new DOMException('the line was closed', 'AbortError'));
  }

  #broken(): void {
    this.#held = Buffer.alloc(0);
    this.#waiting?.resolve({ missing: 'the connection was closed before the reply', isBroken: true });
  }

  #received(bytes: Uint8Array): void {
    const { framing, observe: watch } = this.#with;
    watch('received', bytes);
    this.#busy(0);
    const waiting = this.#waiting;
    if (waiting === undefined && !framing.hasTransactions) return;
    // Of a flood only the end can still hold an answer.
    const all = Buffer.concat([this.#held, bytes]).subarray(-4 * framing.maxFrameLength);
    if (waiting === undefined) {
      this.#held = all;
      return;
    }
    waiting.byteCount += bytes.length;
    const { pdu, consumed: used } = framing.findReply(all, waiting);
    this.#held = all.subarray(used);
    if (pdu !== undefined) waiting.resolve({ pdu: Buffer.from(pdu) });
  }

  /** Waits until the line was silent for long enough; one that never is, is used all the same after a while. */
  async #silence({ pauseMs }: Timeouts): Promise<void> {
    const { clock } = this.#with;
    const wantedMs = Math.max(this.#silenceMs(), pauseMs);
    const endMs = this.#nowMs() + MAX_SILENCE_WAIT_MS;
    for (;;) {
      const nowMs = this.#nowMs();
      const waitMs = Math.min(this.#busyMs + wantedMs, endMs) - nowMs;
      if (!(waitMs > 0)) return;
      await delay(clock, Math.ceil(waitMs), this.#closing.signal);
    }
  }

  /** Three and a half characters of silence before a request (§2.5.1.1); none where frames are told apart otherwise. */
  #silenceMs(): number {
    const { framing, stream } = this.#with;
    if (framing.hasTransactions) return 0;
    const { baudRate = Infinity } = stream;
    return baudRate > FIXED_ABOVE_BAUD
      ? FIXED_SILENCE_MS
      : (SILENCE_CHARACTERS * BITS_PER_CHARACTER * 1000) / baudRate;
  }

  #wireMs(bytes: number): number {
    return (bytes * BITS_PER_CHARACTER * 1000) / (this.#with.stream.baudRate ?? Infinity);
  }

  #busy(forMs: number): void {
    this.#busyMs = Math.max(this.#busyMs, this.#nowMs() + forMs);
  }

  #whyNothing({ timeoutMs }: Timeouts): string {
    const count = this.#waiting?.byteCount ?? 0;
    return count === 0
      ? `no answer within ${timeoutMs} ms`
      : `no answer within ${timeoutMs} ms, only ${count} bytes that are none: disturbed, late, or of another unit`;
  }

  #nowMs(): number {
    return Number(this.#with.clock.monotonicNs()) / 1e6;
  }
}
