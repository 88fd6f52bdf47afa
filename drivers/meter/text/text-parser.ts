import { updateArc } from '../crc16.js';
import type { RejectionReason, Telegram, TelegramListener, TelegramParser } from '../telegram.js';
import { readDataBlock, recordOf } from './data-block.js';

/** The longest telegram: a meter with the stored values of 15 months sends 10,000 bytes. */
export const TEXT_TELEGRAM_LIMIT = 32_768;
/** The longest identification line (IEC 62056-21: 21 characters; DSMR meters send more). */
const IDENTIFICATION_LIMIT = 64;
/** A CRC of DSMR 4 and later has four digits; some devices leave out leading zeros. */
const CRC_DIGITS = 4;

const SLASH = 0x2f;
const EXCLAMATION = 0x21;
const CR = 0x0d;
const LF = 0x0a;
const STX = 0x02;
const ETX = 0x03;
const ACK = 0x06;

/**
 * idle → identification (`/…`) → start: STX, an acknowledgement that is echoed, or data → data → end (after
 * `!`) → ETX and block check, if there was an STX.
 */
type State = 'idle' | 'identification' | 'start' | 'echo' | 'data' | 'end' | 'etx' | 'check';

/** Receives telegrams, and identifications as soon as they are complete: a request is answered by one. */
interface TextListener extends TelegramListener {
  onIdentification?(identification: string): void;
}

/**
 * Finds telegrams of IEC 62056-21 and of DSMR P1 in a stream: an identification, data lines, `!`, and a
 * checksum. That is a CRC-16 (DSMR 4 and later), a block check (IEC 62056-21 with STX), or none.
 */
export class TextParser implements TelegramParser {
  readonly #listener: TextListener;
  readonly #bytes = Buffer.alloc(TEXT_TELEGRAM_LIMIT);
  #length = 0;
  #state: State = 'idle';
  /** Where the data begins. */
  #data = 0;
  #hasBlockCheck = false;
  #blockCheck = 0;
  #crc = 0;
  /** The number of bytes before `!`. */
  #dataEnd = 0;

  constructor(listener: TextListener) {
    this.#listener = listener;
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) this.#push(withoutParity(byte));
  }

  reset(): void {
    this.#state = 'idle';
  }

  #push(byte: number): void {
    // The block check may be any character. A slash is in no other place than at the beginning.
    if (this.#state === 'check') return this.#endWithBlockCheck(byte);
    if (byte === SLASH) return this.#begin(byte);
    if (this.#state === 'idle') return;
    if (this.#length === TEXT_TELEGRAM_LIMIT) return this.#reject('too long');
    this.#bytes[this.#length++] = byte;
    if (this.#state !== 'end' && this.#state !== 'etx') this.#crc = updateArc(this.#crc, byte);
    this.#step(byte);
  }

  #begin(byte: number): void {
    if (this.#state !== 'idle' && this.#state !== 'identification') this.#listener.onRejected('malformed');
    this.#state = 'identification';
    this.#bytes[0] = byte;
    this.#length = 1;
    this.#hasBlockCheck = false;
    this.#crc = updateArc(0, byte);
  }

  #step(byte: number): void {
    this.#blockCheck ^= byte;
    switch (this.#state) {
      case 'identification':
        return this.#identify(byte);
      case 'start':
        return this.#start(byte);
      case 'echo':
        if (byte === LF) this.#state = 'start';
        return;
      case 'data':
        if (byte !== EXCLAMATION) return;
        this.#state = 'end';
        this.#dataEnd = this.#length - 1;
        return;
      case 'end':
        if (byte === LF) this.#endOfLine();
        else if (byte !== CR && this.#length - this.#dataEnd > CRC_DIGITS + 1) this.#reject('malformed');
        return;
      default:
        if (byte === ETX) this.#state = 'check';
        else this.#reject('malformed');
    }
  }

  #identify(byte: number): void {
    if (this.#length > IDENTIFICATION_LIMIT) return this.#reject('malformed');
    // A request (`/?!`), or an identification without a line end.
    if (byte === EXCLAMATION) this.#state = 'idle';
    if (byte !== LF) return;
    this.#state = 'start';
    this.#data = this.#length;
    const identification = this.#bytes.toString('latin1', 1, this.#length).trimEnd();
    this.#listener.onIdentification?.(identification);
  }

  #start(byte: number): void {
    if (byte === CR || byte === LF) return;
    if (byte === ACK) {
      this.#state = 'echo';
      return;
    }
    this.#state = 'data';
    this.#data = byte === STX ? this.#length : this.#length - 1;
    this.#hasBlockCheck = byte === STX;
    this.#blockCheck = 0;
    if (byte === EXCLAMATION) this.#step(byte);
  }

  /** The line with `!` is complete. */
  #endOfLine(): void {
    const crc = this.#bytes.toString('latin1', this.#dataEnd + 1, this.#length).trim();
    if (this.#hasBlockCheck && crc === '') {
      this.#state = 'etx';
      return;
    }
    if (crc === '') return this.#end('absent');
    if (!/^[0-9A-Fa-f]{1,4}$/.test(crc)) return this.#reject('malformed');
    if (Number.parseInt(crc, 16) !== this.#crc) return this.#reject('checksum');
    this.#end('valid');
  }

  #endWithBlockCheck(byte: number): void {
    if ((this.#blockCheck & 0x7f) !== byte) this.#reject('checksum');
    else this.#end('valid');
  }

  #end(check: Telegram['check']): void {
    const { objects, isComplete } = readDataBlock(this.#bytes.toString('latin1', this.#data, this.#dataEnd));
    // Without a checksum, the structure is what shows that the telegram was not disturbed.
    if (!isComplete || objects.length === 0) return this.#reject('malformed');
    this.#state = 'idle';
    this.#listener.onTelegram({ check, records: objects.map(recordOf) });
  }

  #reject(reason: RejectionReason): void {
    this.#state = 'idle';
    this.#listener.onRejected(reason);
  }
}

/**
 * The character of a byte. A port with 8 data bits receives the even parity bit of 7E1 as the highest bit;
 * a byte with a wrong one becomes NUL, which is in no telegram.
 */
function withoutParity(byte: number): number {
  if (byte < 0x80) return byte;
  let ones = 0;
  for (let rest = byte; rest > 0; rest >>= 1) ones += rest & 1;
  return ones % 2 === 0 ? byte & 0x7f : 0;
}
