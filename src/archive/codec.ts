/** What the archive keeps of a value: booleans are 0 and 1. */
export type StoredValue = number | string;

/** Records of one variable, ascending in time; no two have the same time. */
export interface RecordRun {
  /** Unix milliseconds, whole. */
  readonly times: number[];
  readonly values: StoredValue[];
  /** 0, or which untrusted clock the time is of. */
  readonly marks: number[];
}

/** Bytes that say they are records, and are not. */
export class RecordDamage extends Error {}

export const emptyRun = (): RecordRun => ({ times: [], values: [], marks: [] });

/** How the values of a run are written; below `raw` the number of decimals. */
const kind = { raw: 7, text: 8 } as const;
const KIND_BITS = 15;
const MARKED = 16;
/** Decimals that sensors have; what has more is written in full. */
const MOST_DECIMALS = 6;
/** Differences of numbers below this, doubled for their sign, are still whole. */
const MOST_SCALED = 2 ** 50;
const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6] as const;

/**
 * Packs a run: times as differences of their differences, numbers of few decimals as differences, each in as few bytes as
 * it takes; a value a minute takes three. Exact: {@link unpackRun} gives back the same.
 */
export function packRun({ times, values, marks }: RecordRun): Uint8Array {
  const writer = new ByteWriter(16 + times.length * 12);
  const isMarked = marks.some((mark) => mark !== 0);
  const how = howToWrite(values);
  writer.byte(how | (isMarked ? MARKED : 0));
  writer.whole(times.length);
  let [before, pace] = [0, 0];
  for (const time of times) {
    writer.signed(time - before - pace);
    pace = before === 0 ? 0 : time - before;
    before = time;
  }
  writeValues(writer, values, how);
  if (isMarked) for (const mark of marks) writer.whole(mark);
  return writer.bytes();
}

/** What {@link packRun} packed. Throws {@link RecordDamage} on anything else. */
export function unpackRun(bytes: Uint8Array): RecordRun {
  const reader = new ByteReader(bytes);
  const first = reader.byte();
  const count = reader.whole();
  // A record takes two bytes at least.
  if (count > bytes.length) throw new RecordDamage('more records than bytes');
  const times: number[] = [];
  let [before, pace] = [0, 0];
  for (let n = 0; n < count; n++) {
    const time = before + pace + reader.signed();
    pace = before === 0 ? 0 : time - before;
    before = time;
    times.push(time);
  }
  const values = readValues(reader, first & KIND_BITS, count);
  const marks: number[] = [];
  for (let n = 0; n < count; n++) marks.push((first & MARKED) === 0 ? 0 : reader.whole());
  return { times, values, marks };
}

function howToWrite(values: readonly StoredValue[]): number {
  let decimals = 0;
  for (const value of values) {
    if (typeof value === 'string') return kind.text;
    while (!isWholeAt(value, decimals)) if (++decimals > MOST_DECIMALS) return kind.raw;
  }
  return decimals;
}

function isWholeAt(value: number, decimals: number): boolean {
  const power = POWERS[decimals] as number;
  const scaled = Math.round(value * power);
  return Math.abs(scaled) < MOST_SCALED && scaled / power === value;
}

function writeValues(writer: ByteWriter, values: readonly StoredValue[], how: number): void {
  if (how === kind.text) for (const value of values) writer.text(String(value));
  else if (how === kind.raw) for (const value of values) writer.float(Number(value));
  else {
    const power = POWERS[how] as number;
    let before = 0;
    for (const value of values) {
      const scaled = Math.round(Number(value) * power);
      writer.signed(scaled - before);
      before = scaled;
    }
  }
}

function readValues(reader: ByteReader, how: number, count: number): StoredValue[] {
  const values: StoredValue[] = [];
  if (how === kind.text) for (let n = 0; n < count; n++) values.push(reader.text());
  else if (how === kind.raw) for (let n = 0; n < count; n++) values.push(reader.float());
  else {
    const power = POWERS[how];
    if (power === undefined) throw new RecordDamage('values of a kind that there is not');
    let scaled = 0;
    for (let n = 0; n < count; n++) {
      scaled += reader.signed();
      values.push(scaled / power);
    }
  }
  return values;
}

/** Writes bytes one after the other into a buffer that grows. */
export class ByteWriter {
  #buffer: Buffer;
  #at = 0;

  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size);
  }

  byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#at++] = value;
  }

  /** A whole number from 0 up, in seven bits a byte. */
  whole(value: number): void {
    this.#room(8);
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#at++] = rest;
  }

  signed(value: number): void {
    this.whole(value < 0 ? -2 * value - 1 : 2 * value);
  }

  float(value: number): void {
    this.#room(8);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.whole(length);
    this.#room(length);
    this.#at += this.#buffer.write(value, this.#at);
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#at);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    grown.set(this.bytes());
    this.#buffer = grown;
  }
}

/** Reads what a {@link ByteWriter} wrote. Throws {@link RecordDamage} at the end of the bytes. */
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
    if (value === undefined) throw new RecordDamage('the records are cut');
    return value;
  }

  whole(): number {
    let byte = this.byte();
    if (byte < 128) return byte;
    let [value, weight] = [byte - 128, 128];
    do {
      byte = this.byte();
      value += (byte & 127) * weight;
      weight *= 128;
    } while (byte > 127);
    if (!Number.isSafeInteger(value)) throw new RecordDamage('a number beyond all that are written');
    return value;
  }

  signed(): number {
    const value = this.whole();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  float(): number {
    const bytes = this.raw(8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
  }

  text(): string {
    const bytes = this.raw(this.whole());
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  }

  raw(length: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new RecordDamage('the records are cut');
    this.#at += length;
    return bytes;
  }
}
