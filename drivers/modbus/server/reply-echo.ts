import type { Clock } from '../../../src/base/clock.js';
import { wireTimeMs } from '../wire-time.js';

/**
 * How long after its transmission an echo may be received, ms: USB adapters collect bytes for up to 16 ms,
 * serial servers send them over a network, and the machine may be busy.
 */
const ECHO_DELAY_MS = 200;
/** Replies whose echo may still be received; the requests of a client that wait are limited as well. */
const MAX_REPLIES = 16;
/** Bytes in which an echo is searched: two of the longest frames. */
const MAX_SEARCHED = 512;

interface SentReply {
  readonly frame: Buffer;
  /** A confirmation that is identical to its request (§6.5, §6.6): the client may send the same bytes again. */
  readonly isAmbiguous: boolean;
  readonly untilMs: number;
}

/**
 * Recognises the echo of RS-485 adapters that receive what they send: the echo of a confirmed write is a valid
 * request, which would be performed and confirmed again, endlessly. Whether there is an echo is learned from
 * replies that differ from every request. Until then, a frame that equals a confirmation and follows it
 * immediately counts as its echo; a client that has really repeated a write sends it again after its timeout.
 */
export class ReplyEchoFilter {
  readonly #clock: Clock;
  readonly #baudRate: number | undefined;
  /** Undefined until it was learned. */
  #hasEcho: boolean | undefined;
  #sent: SentReply[] = [];
  /** The last reply, and what was received since. */
  #last: SentReply | undefined;
  #received: Buffer = Buffer.alloc(0);

  constructor(clock: Clock, baudRate?: number) {
    this.#clock = clock;
    this.#baudRate = baudRate;
  }

  /** Remembers a reply that is about to be sent. */
  expect(reply: Buffer, request: Buffer): void {
    const untilMs = this.#nowMs() + wireTimeMs(reply.length, this.#baudRate) + ECHO_DELAY_MS;
    this.#last = { frame: reply, isAmbiguous: reply.equals(request), untilMs };
    this.#received = Buffer.alloc(0);
    this.#sent = [...this.#sent, this.#last].slice(-MAX_REPLIES);
  }

  /** Learns from received bytes, before the requests in them are found. */
  learn(bytes: Uint8Array): void {
    if (this.#last === undefined) return;
    this.#received = Buffer.concat([this.#received, bytes]).subarray(-MAX_SEARCHED);
    if (!this.#last.isAmbiguous && this.#received.includes(this.#last.frame)) this.#hasEcho = true;
  }

  /** Whether the frame of a request is the echo of a reply. Each reply has one echo. */
  isEcho(frame: Buffer): boolean {
    const nowMs = this.#nowMs();
    this.#sent = this.#sent.filter(({ untilMs }) => nowMs <= untilMs);
    const index = this.#sent.findIndex((one) => one.frame.equals(frame));
    if (index < 0) this.#learnRequest(frame);
    if (index < 0 || this.#hasEcho === false) return false;
    this.#sent.splice(0, index + 1);
    return true;
  }

  /** A request before which nothing was received: the echo of the last reply would have preceded it. */
  #learnRequest(frame: Buffer): void {
    if (this.#last === undefined || frame.equals(this.#last.frame)) return;
    const bytesBefore = this.#received.length - frame.length;
    if (bytesBefore === 0) this.#hasEcho ??= false;
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs()) / 1e6;
  }
}
