/** A value in the archive; booleans are 0 and 1. */
export type StoredValue = number | string;

/** Records of one variable in ascending order of distinct times. */
export interface RecordRun {
  /** Unix milliseconds, an integer. */
  readonly times: number[];
  readonly values: StoredValue[];
  /** The number of the untrusted clock that the time is from; 0 for a trusted one. */
  readonly marks: number[];
}

/** The stored bytes are not valid records. */
export class RecordDamage extends Error {}

export const emptyRun = (): RecordRun => ({ times: [], values: [], marks: [] });

/** How the values of a run are encoded; below `raw`, the number of decimals. */
const kind = { raw: 7, text: 8 } as const;
const KIND_BITS = 15;
const MARKED = 16;
/** Maximum number of decimals of numbers packed as integers; numbers with more are written as doubles. */
const MAX_DECIMALS = 6;
/** Scaled numbers below this have differences that, doubled for the sign, are exact integers. */
const MAX_SCALED = 2 ** 50;
const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6] as const;

/**
 * Packs a run: times as delta of deltas, numbers with few decimals as deltas, all as variable-length
 * integers. One value per minute takes three bytes. Lossless: {@link unpackRun} returns the same run.
 */
export function packRun({ times, values, marks }: RecordRun): Uint8Array {
  const writer = new ByteWriter(16 + times.length * 12);
  const isMarked = marks.some((mark) => mark !== 0);
  const encoding = encodingOf(values);
  writer.byte(encoding | (isMarked ? MARKED : 0));
  writer.varint(times.length);
  let [before, delta] = [0, 0];
  for (const time of times) {
    writer.signed(time - before - delta);
    delta = before === 0 ? 0 : time - before;
    before = time;
  }
  writeValues(writer, values, encoding);
  if (isMarked) for (const mark of marks) writer.varint(mark);
  return writer.bytes();
}

/** Unpacks a run from {@link packRun}. Throws {@link RecordDamage} for invalid bytes. */
export function unpackRun(bytes: Uint8Array): RecordRun {
  const reader = new ByteReader(bytes);
  const first = reader.byte();
  const count = reader.varint();
  // A record has at least two bytes.
  if (count > bytes.length) throw new RecordDamage('more records than bytes');
  const times: number[] = [];
  let [before, delta] = [0, 0];
  for (let n = 0; n < count; n++) {
    const time = before + delta + reader.signed();
    delta = before === 0 ? 0 : time - before;
    before = time;
    times.push(time);
  }
  const values = readValues(reader, first & KIND_BITS, count);
  const marks: number[] = [];
  for (let n = 0; n < count; n++) marks.push((first & MARKED) === 0 ? 0 : reader.varint());
  return { times, values, marks };
}

function encodingOf(values: readonly StoredValue[]): number {
  let decimals = 0;
  for (const value of values) {
    if (typeof value === 'string') return kind.text;
    while (!isIntegerAt(value, decimals)) if (++decimals > MAX_DECIMALS) return kind.raw;
  }
  return decimals;
}

function isIntegerAt(value: number, decimals: number): boolean {
  const power = POWERS[decimals] as number;
  const scaled = Math.round(value * power);
  return Math.abs(scaled) < MAX_SCALED && scaled / power === value;
}

function writeValues(writer: ByteWriter, values: readonly StoredValue[], encoding: number): void {
  if (encoding === kind.text) for (const value of values) writer.text(String(value));
  else if (encoding === kind.raw) for (const value of values) writer.float(Number(value));
  else {
    const power = POWERS[encoding] as number;
    let before = 0;
    for (const value of values) {
      const scaled = Math.round(Number(value) * power);
      writer.signed(scaled - before);
      before = scaled;
    }
  }
}

function readValues(reader: ByteReader, encoding: number, count: number): StoredValue[] {
  const values: StoredValue[] = [];
  if (encoding === kind.text) for (let n = 0; n < count; n++) values.push(reader.text());
  else if (encoding === kind.raw) for (let n = 0; n < count; n++) values.push(reader.float());
  else {
    const power = POWERS[encoding];
    if (power === undefined) throw new RecordDamage('the encoding of the values is unknown');
    let scaled = 0;
    for (let n = 0; n < count; n++) {
      scaled += reader.signed();
      values.push(scaled / power);
    }
  }
  return values;
}

/** Writes bytes into a growing buffer. */
export class ByteWriter {
  #buffer: Buffer;
  #at = 0;

  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#at++] = value;
  }

  /** Writes an unsigned integer as LEB128: seven bits per byte, lowest first. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#at++] = rest;
  }

  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  float(value: number): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.varint(length);
    this.#reserve(length);
    this.#at += this.#buffer.write(value, this.#at);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#at);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    grown.set(this.bytes());
    this.#buffer = grown;
  }
}

/** Reads the bytes of a {@link ByteWriter}. Throws {@link RecordDamage} at the end of the bytes. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new RecordDamage('the records are truncated');
    return value;
  }

  varint(): number {
    let byte = this.byte();
    if (byte < 128) return byte;
    let [value, weight] = [byte - 128, 128];
    do {
      byte = this.byte();
      value += (byte & 127) * weight;
      weight *= 128;
    } while (byte > 127);
    if (!Number.isSafeInteger(value)) throw new RecordDamage('an integer is out of range');
    return value;
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  float(): number {
    const bytes = this.raw(8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
  }

  text(): string {
    const bytes = this.raw(this.varint());
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  }

  raw(length: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new RecordDamage('the records are truncated');
    this.#at += length;
    return bytes;
  }
}
