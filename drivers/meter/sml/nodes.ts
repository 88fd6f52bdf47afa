/** A number, and in how many bytes it was sent. */
export interface SmlNumber {
  readonly number: bigint;
  readonly size: number;
}

/** A decoded value of SML; `undefined` is an optional value that is not there. */
export type SmlNode = Uint8Array | SmlNumber | boolean | readonly SmlNode[] | undefined;

/** Nesting of valid messages: message, body, response, list, entry, time, its choice; and some more. */
const DEPTH_LIMIT = 12;
/** Values in one telegram; real ones have 100 to 300. */
const NODES_LIMIT = 4000;

/** The bits of a type-length byte: more such bytes follow, the type, the low bits of the length. */
const MORE = 0x80;
const TYPE = 0x70;
const LENGTH = 0x0f;
const OCTETS = 0x00;
const BOOLEAN = 0x40;
const SIGNED = 0x50;
const UNSIGNED = 0x60;
const LIST = 0x70;

/** The bytes are not SML. */
export class SmlSyntaxError extends Error {}

/** Decodes the values of a payload in sequence. Throws `SmlSyntaxError`. */
export class SmlReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #nodes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Offset of the next byte. */
  get position(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Skips a byte if it is the next one. */
  skip(byte: number): boolean {
    if (this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  /** The number of elements of the list that begins here. */
  listLength(): number {
    const { type, length } = this.#typeAndLength();
    if (type !== LIST) throw new SmlSyntaxError('a list is missing');
    return length;
  }

  next(depth = 0): SmlNode {
    if (depth > DEPTH_LIMIT || ++this.#nodes > NODES_LIMIT) throw new SmlSyntaxError('too many values');
    const { type, length, header } = this.#typeAndLength();
    if (type === LIST) return Array.from({ length: this.#bounded(length) }, () => this.next(depth + 1));
    const bytes = this.#take(length - header);
    switch (type) {
      case OCTETS:
        return bytes.length === 0 && header === 1 ? undefined : bytes.slice();
      case BOOLEAN:
        if (bytes.length !== 1) throw new SmlSyntaxError('a boolean of another length');
        return bytes[0] !== 0;
      case SIGNED:
        return { number: BigInt.asIntN(8 * bytes.length, numberOf(bytes)), size: bytes.length };
      case UNSIGNED:
        return { number: numberOf(bytes), size: bytes.length };
      default:
        throw new SmlSyntaxError('an unknown type');
    }
  }

  /** Each element has at least one byte. */
  #bounded(count: number): number {
    if (count > this.#bytes.length - this.#at) throw new SmlSyntaxError('a list that is too long');
    return count;
  }

  #typeAndLength(): { readonly type: number; readonly length: number; readonly header: number } {
    let byte = this.#byte();
    const type = byte & TYPE;
    let length = byte & LENGTH;
    let header = 1;
    while ((byte & MORE) !== 0) {
      byte = this.#byte();
      // Further bytes have a length only.
      if ((byte & TYPE) !== 0) throw new SmlSyntaxError('an unknown type');
      length = length * 16 + (byte & LENGTH);
      if (++header > 4) throw new SmlSyntaxError('a length that is too long');
    }
    return { type, length, header };
  }

  #byte(): number {
    return this.#take(1)[0] ?? 0;
  }

  #take(count: number): Uint8Array {
    const end = this.#at + count;
    if (count < 0 || end > this.#bytes.length) throw new SmlSyntaxError('bytes are missing');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

function numberOf(bytes: Uint8Array): bigint {
  if (bytes.length < 1 || bytes.length > 8) throw new SmlSyntaxError('a number of another length');
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}
