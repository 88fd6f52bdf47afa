import { updateCcitt } from '../crc16.js';
import type { RejectionReason } from '../telegram.js';

/** The longest telegram. Those of household meters have 200 to 1,200 bytes, with certificates 2,000. */
export const SML_TELEGRAM_LIMIT = 8192;

const ESCAPE = 0x1b;
/** Four escape bytes, and the four bytes after them that begin a telegram of transport version 1. */
const ESCAPES = 0x1b1b1b1b;
const VERSION_1 = 0x01010101;
/** First byte after an escape sequence that ends a telegram; then the number of fill bytes and the CRC. */
const END = 0x1a;
/** Fill bytes complete the last group of four bytes. */
const MAX_FILL = 3;
/** CRC-16/X-25 of the complete sequence that begins a telegram, before the final inversion. */
const INITIAL_X25 = crcOfStart(0xffff);
/** As specified by the manual, with CRC-16/KERMIT: some meters of Holley. */
const INITIAL_KERMIT = crcOfStart(0);

/** Receives the content of telegrams: messages, without escapes and fill bytes. */
interface TransportListener {
  onPayload(payload: Uint8Array): void;
  onRejected(reason: RejectionReason): void;
}

/**
 * The transport protocol of SML, version 1 (BSI TR-03109-1 annex IV): finds the telegrams in a stream and
 * checks their CRC. The payload is valid only during the call of the listener.
 */
export class SmlTransport {
  readonly #listener: TransportListener;
  /** Allocated for the first telegram. */
  #payload: Uint8Array | undefined;
  #length = 0;
  #isInTelegram = false;
  /** The last eight bytes. */
  #high = 0;
  #low = 0;
  /** Escape bytes in a row. */
  #escapes = 0;
  /** Bytes of a sequence after four escape bytes that are still missing. */
  #missing = 0;
  #sequence = 0;
  #x25 = 0;
  #kermit = 0;

  constructor(listener: TransportListener) {
    this.#listener = listener;
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) this.#push(byte);
  }

  /** Discards a partial telegram. */
  reset(): void {
    this.#isInTelegram = false;
    this.#high = this.#low = 0;
  }

  #push(byte: number): void {
    this.#high = (this.#high << 8) | (this.#low >>> 24);
    this.#low = (this.#low << 8) | byte;
    // Four escape bytes that were escaped themselves may precede these bytes in a payload.
    const isStart = this.#low === VERSION_1 && this.#high === ESCAPES && !this.#isPayload();
    if (isStart) this.#begin();
    else if (this.#isInTelegram) this.#add(byte);
  }

  #isPayload(): boolean {
    return this.#isInTelegram && this.#missing === 0;
  }

  #begin(): void {
    if (this.#isInTelegram) this.#listener.onRejected('malformed');
    this.#payload ??= new Uint8Array(SML_TELEGRAM_LIMIT);
    this.#isInTelegram = true;
    this.#length = this.#escapes = this.#missing = 0;
    this.#x25 = INITIAL_X25;
    this.#kermit = INITIAL_KERMIT;
  }

  #add(byte: number): void {
    if (this.#missing > 0) return this.#addToSequence(byte);
    this.#check(byte);
    if (!this.#store(byte)) return;
    this.#escapes = byte === ESCAPE ? this.#escapes + 1 : 0;
    if (this.#escapes < 4) return;
    this.#escapes = 0;
    this.#missing = 4;
    this.#sequence = 0;
  }

  #addToSequence(byte: number): void {
    this.#missing -= 1;
    this.#sequence = (this.#sequence << 8) | byte;
    const isEnd = this.#isEnd();
    // The last two bytes of the telegram are its CRC.
    if (!isEnd || this.#missing >= 2) this.#check(byte);
    if (this.#missing > 0) return;
    if (isEnd) return this.#end();
    // The escaped bytes are already in the payload. Anything else is noise, or a torn telegram.
    if (this.#sequence !== ESCAPES) this.#reject('malformed');
  }

  #isEnd(): boolean {
    return this.#sequence >>> (8 * (3 - this.#missing)) === END;
  }

  #end(): void {
    const fill = (this.#sequence >>> 16) & 0xff;
    const crc = ((this.#sequence & 0xff) << 8) | ((this.#sequence >>> 8) & 0xff);
    // Without the escape bytes that precede the end.
    const length = this.#length - 4 - fill;
    if (fill > MAX_FILL || length < 0) return this.#reject('malformed');
    if (crc !== (this.#x25 ^ 0xffff) && crc !== this.#kermit) return this.#reject('checksum');
    this.#isInTelegram = false;
    this.#listener.onPayload(this.#payload?.subarray(0, length) ?? new Uint8Array());
  }

  #check(byte: number): void {
    this.#x25 = updateCcitt(this.#x25, byte);
    this.#kermit = updateCcitt(this.#kermit, byte);
  }

  #store(byte: number): boolean {
    if (this.#payload === undefined || this.#length === SML_TELEGRAM_LIMIT) {
      this.#reject('too long');
      return false;
    }
    this.#payload[this.#length++] = byte;
    return true;
  }

  #reject(reason: RejectionReason): void {
    this.#isInTelegram = false;
    this.#listener.onRejected(reason);
  }
}

function crcOfStart(initial: number): number {
  const start = [ESCAPE, ESCAPE, ESCAPE, ESCAPE, 1, 1, 1, 1];
  return start.reduce((crc, byte) => updateCcitt(crc, byte), initial);
}
