/** Bytes that end too early, or a number that is too long. */
export class MalformedBytes extends Error {}

/** The longest varint: 64 bits in groups of 7. */
const VARINT_LIMIT = 10;
const FIRST_BYTES = 1024;

/** Appends numbers and texts to a buffer that grows. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** A whole number from 0 to 2^53 − 1, in groups of 7 bits, the lowest first. */
  varint(value: number): void {
    this.#reserve(VARINT_LIMIT);
    let rest = value;
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
  }

  /** A whole number within ±2^52: 0, −1, 1, −2 … become 0, 1, 2, 3 … */
  zigzag(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  /** Any 64 bits. */
  bigVarint(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    for (; rest > 0x7fn; rest >>= 7n) this.byte(Number(rest & 0x7fn) + 0x80);
    this.byte(Number(rest));
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  float32(value: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeFloatLE(value, this.#length);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  /** A length, and that many bytes. */
  block(value: Uint8Array): void {
    this.varint(value.length);
    this.bytes(value);
  }

  text(value: string): void {
    this.block(Buffer.from(value));
  }

  /** What was written; valid until the next write. */
  get written(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + count));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Reads what a {@link ByteWriter} wrote. Every method throws {@link MalformedBytes} at the end of the bytes. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new MalformedBytes('the bytes end too early');
    return value;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.byte();
      value += (byte % 0x80) * factor;
      if (!Number.isSafeInteger(value)) throw new MalformedBytes('a number is too large');
      if (byte < 0x80) return value;
    }
  }

  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bigVarint(): bigint {
    let value = 0n;
    for (let count = 0; count < VARINT_LIMIT; count++) {
      const byte = this.byte();
      value |= BigInt(byte % 0x80) << BigInt(7 * count);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new MalformedBytes('a number is too long');
  }

  float64(): number {
    return this.bytes(8).readDoubleLE();
  }

  float32(): number {
    return this.bytes(4).readFloatLE();
  }

  bytes(count: number): Buffer {
    if (count > this.#bytes.length - this.#at) throw new MalformedBytes('the bytes end too early');
    return this.#bytes.subarray(this.#at, (this.#at += count));
  }

  block(): Buffer {
    return this.bytes(this.varint());
  }

  text(): string {
    return this.block().toString();
  }
}
