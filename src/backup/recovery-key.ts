import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { coded } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';

/** Crockford's base 32: no letter that can be confused with a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const KEY_BYTES = 32;
/** 24 bits of SHA-256: they find a key that was typed with an error. */
const CHECK_BYTES = 3;
const GROUP = 7;

/** The key that a gateway's backups are encrypted with. Its owner keeps it as a text. */
export class RecoveryKey {
  readonly #bytes: Buffer;
  /** Names the key without revealing it: 16 hexadecimal digits. The folder of its backups has this name. */
  readonly id: string;
  readonly #chunkKey: Buffer;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.id = this.#derive('stellwerk backup key id', 8).toString('hex');
    this.#chunkKey = this.#derive('stellwerk backup chunk id', 32);
  }

  /** A new random key. */
  static create(): RecoveryKey {
    return new RecoveryKey(randomBytes(KEY_BYTES));
  }

  /** Reads a key as people type it. Throws `RECOVERY_KEY_WRONG`. */
  static parse(text: string): RecoveryKey {
    const letters = text.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
    const bytes = decode(letters);
    const key = bytes?.subarray(0, KEY_BYTES);
    if (bytes === undefined || key?.length !== KEY_BYTES || !bytes.subarray(KEY_BYTES).equals(checkOf(key)))
      throw fault(
        'RECOVERY_KEY_WRONG',
        coded`KEY_MISTYPED: it is not a recovery key; a key has 8 groups of 7 letters and digits`,
      );
    return new RecoveryKey(Buffer.from(key));
  }

  /** The key as its owner keeps it: groups of 7 letters and digits, with a check of 24 bits at the end. */
  toText(): string {
    const letters = encode(Buffer.concat([this.#bytes, checkOf(this.#bytes)]));
    return letters.match(new RegExp(`.{${GROUP}}`, 'g'))?.join('-') ?? '';
  }

  /** The key of one sealed file; its header is part of the derivation, and so authenticated. */
  fileKey(salt: Uint8Array, header: Uint8Array): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#bytes, salt, header, 32));
  }

  /** The name of a chunk: equal content has equal names, but only those who have the key can compute them. */
  chunkId(content: Uint8Array): string {
    return createHmac('sha256', this.#chunkKey).update(content).digest('hex');
  }

  #derive(purpose: string, bytes: number): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#bytes, '', purpose, bytes));
  }
}

const checkOf = (key: Uint8Array): Buffer =>
  createHash('sha256').update('stellwerk').update(key).digest().subarray(0, CHECK_BYTES);

/** 35 bytes are exactly 56 letters. */
function encode(bytes: Uint8Array): string {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  const length = (bytes.length * 8) / 5;
  return Array.from(
    { length },
    (_, i) => ALPHABET[Number((bits >> BigInt(5 * (length - 1 - i))) & 31n)],
  ).join('');
}

function decode(letters: string): Buffer | undefined {
  const length = KEY_BYTES + CHECK_BYTES;
  if (letters.length !== (length * 8) / 5) return undefined;
  let bits = 0n;
  for (const letter of letters) {
    const value = ALPHABET.indexOf(letter);
    if (value < 0) return undefined;
    bits = (bits << 5n) | BigInt(value);
  }
  return Buffer.from(bits.toString(16).padStart(2 * length, '0'), 'hex');
}
