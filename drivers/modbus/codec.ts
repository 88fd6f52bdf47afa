import { fault } from '../../src/base/fault.js';
import type { Value } from '../../src/device/module.js';
import type { DataType } from './types.js';

/** How a value stands in registers. */
export interface Layout {
  readonly type: DataType;
  readonly registers: number;
  /** Value = number in the unit × factor; undefined: it is the number. */
  readonly factor: number | undefined;
  /** The low byte of each register comes first. */
  readonly swapBytes: boolean;
  /** The low register of a number comes first. */
  readonly swapWords: boolean;
}

/** How an integer of the unit is read and written, and its ends. */
interface Whole {
  readonly min: bigint;
  readonly max: bigint;
  read(bytes: Buffer): number | bigint;
  write(bytes: Buffer, number: bigint): void;
}

const whole = (bits: number, isSigned: boolean): Pick<Whole, 'min' | 'max'> =>
  isSigned
    ? { min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n }
    : { min: 0n, max: 2n ** BigInt(bits) - 1n };

const byName: Readonly<Record<string, Whole>> = {
  UInt8MSB: { ...whole(8, false), read: (b) => b.readUInt8(0), write: (b, n) => b.writeUInt8(Number(n), 0) },
  UInt8LSB: { ...whole(8, false), read: (b) => b.readUInt8(1), write: (b, n) => b.writeUInt8(Number(n), 1) },
  Int8MSB: { ...whole(8, true), read: (b) => b.readInt8(0), write: (b, n) => b.writeInt8(Number(n), 0) },
  Int8LSB: { ...whole(8, true), read: (b) => b.readInt8(1), write: (b, n) => b.writeInt8(Number(n), 1) },
  UInt16: { ...whole(16, false), read: (b) => b.readUInt16BE(), write: (b, n) => b.writeUInt16BE(Number(n)) },
  Int16: { ...whole(16, true), read: (b) => b.readInt16BE(), write: (b, n) => b.writeInt16BE(Number(n)) },
  UInt32: { ...whole(32, false), read: (b) => b.readUInt32BE(), write: (b, n) => b.writeUInt32BE(Number(n)) },
  Int32: { ...whole(32, true), read: (b) => b.readInt32BE(), write: (b, n) => b.writeInt32BE(Number(n)) },
  UInt64: { ...whole(64, false), read: (b) => b.readBigUInt64BE(), write: (b, n) => b.writeBigUInt64BE(n) },
  Int64: { ...whole(64, true), read: (b) => b.readBigInt64BE(), write: (b, n) => b.writeBigInt64BE(n) },
};

/** Binary fractions leave noise behind the digits that a product has (3 × 0.1). */
const DIGITS = 15;

/** The value in registers as they came, or why there is none. */
export function decode(layout: Layout, registers: Buffer): Value | { readonly unreadable: string } {
  const { type, factor } = layout;
  const bytes = ordered(layout, registers);
  if (type.kind === 'string') return type.name === 'StringHex' ? bytes.toString('hex') : plain(bytes);
  if (type.kind === 'float') {
    const number = type.name === 'Float32' ? shortest(bytes.readFloatBE()) : bytes.readDoubleBE();
    const value = number * (factor ?? 1);
    return Number.isFinite(value)
      ? value + 0
      : { unreadable: `the unit has ${number} there, which is no number` };
  }
  const number = byName[type.name]?.read(bytes) ?? 0;
  if (factor !== undefined) return Number((Number(number) * factor).toPrecision(DIGITS)) + 0;
  if (Number.isSafeInteger(Number(number))) return Number(number);
  return {
    unreadable: `${number} is beyond ±2^53, up to where integers are exact; set a Factor for a float`,
  };
}

/** The registers for a value. Throws `CANNOT_CONVERT`. */
export function encode(layout: Layout, value: Value): Buffer {
  const { type, registers } = layout;
  const bytes = Buffer.alloc(2 * registers);
  if (type.kind === 'string') fill(bytes, type, value);
  else {
    if (typeof value !== 'number' || !Number.isFinite(value)) throw cannot('it must be a number');
    if (type.kind === 'float') writeFloat(bytes, type, value / (layout.factor ?? 1));
    else byName[type.name]?.write(bytes, wholeOf(layout, value));
  }
  return ordered(layout, bytes);
}

/** In the protocol's order, or back: each of the two swaps undoes itself. */
function ordered({ type, swapBytes, swapWords }: Layout, registers: Buffer): Buffer {
  const bytes = Buffer.from(registers);
  if (swapBytes) bytes.swap16();
  if (!swapWords || type.kind === 'string') return bytes;
  return Buffer.concat(
    Array.from({ length: bytes.length / 2 }, (_, index) =>
      bytes.subarray(bytes.length - 2 * index - 2, bytes.length - 2 * index),
    ),
  );
}

/** The characters before the first NUL, without the blanks at the end. */
function plain(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end < 0 ? bytes.length : end).trimEnd();
}

function fill(bytes: Buffer, { name }: DataType, value: Value): void {
  if (typeof value !== 'string') throw cannot('it must be a text');
  const isHex = name === 'StringHex';
  if (isHex && !/^(?:[0-9a-f]{2})*$/i.test(value))
    throw cannot('it must be hexadecimal digits, two for a byte');
  const given = Buffer.from(value, isHex ? 'hex' : 'latin1');
  if (!isHex && given.toString('latin1') !== value)
    throw cannot('one character is one byte; U+0000 to U+00FF only');
  if (given.length > bytes.length)
    throw cannot(`it has ${given.length} bytes, and there is room for ${bytes.length}`);
  given.copy(bytes);
}

function writeFloat(bytes: Buffer, { name }: DataType, number: number): void {
  if (name === 'Float64') return void bytes.writeDoubleBE(number);
  if (!Number.isFinite(Math.fround(number))) throw cannot('it is too large for a Float32');
  bytes.writeFloatBE(number);
}

function wholeOf({ type, factor }: Layout, value: number): bigint {
  const number = value / (factor ?? 1);
  if (factor === undefined && !Number.isSafeInteger(number)) throw cannot('it must be a whole number');
  const rounded = Math.sign(number) * Math.round(Math.abs(number));
  const { min = 0n, max = 0n } = byName[type.name] ?? {};
  const exact = Number.isFinite(rounded) ? BigInt(rounded) : max + 1n;
  if (exact >= min && exact <= max) return exact;
  const times = factor === undefined ? '' : ` × ${factor}`;
  throw cannot(`a ${type.name} holds ${min} to ${max}${times}`);
}

/** The shortest decimal number that is this Float32: 230.1, not 230.10000610351562. */
function shortest(number: number): number {
  for (let digits = 6; digits <= 9; digits++) {
    const candidate = Number(number.toPrecision(digits));
    if (Math.fround(candidate) === number) return candidate;
  }
  return number;
}

function cannot(why: string): Error {
  return fault('CANNOT_CONVERT', 'Value', why);
}
