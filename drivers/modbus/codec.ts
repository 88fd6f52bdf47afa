import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { fault } from '../../src/base/fault.js';
import type { Value } from '../../src/device/module.js';
import type { DataType } from './data-types.js';

/** How a value is encoded in registers. */
export interface RegisterLayout {
  readonly type: DataType;
  readonly registers: number;
  /** Value = raw number × factor; undefined if the value is the raw number. */
  readonly factor: number | undefined;
  /** Each register has its low byte first. */
  readonly swapBytes: boolean;
  /** Numbers have their low register first. */
  readonly swapWords: boolean;
}

/** Range and accessors of an integer type. */
interface IntegerType {
  readonly min: bigint;
  readonly max: bigint;
  read(bytes: Buffer): number | bigint;
  write(bytes: Buffer, number: bigint): void;
}

const integerRange = (bits: number, isSigned: boolean): Pick<IntegerType, 'min' | 'max'> =>
  isSigned
    ? { min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n }
    : { min: 0n, max: 2n ** BigInt(bits) - 1n };

const integerTypes: Readonly<Record<string, IntegerType>> = {
  UInt8MSB: {
    ...integerRange(8, false),
    read: (b) => b.readUInt8(0),
    write: (b, n) => b.writeUInt8(Number(n), 0),
  },
  UInt8LSB: {
    ...integerRange(8, false),
    read: (b) => b.readUInt8(1),
    write: (b, n) => b.writeUInt8(Number(n), 1),
  },
  Int8MSB: {
    ...integerRange(8, true),
    read: (b) => b.readInt8(0),
    write: (b, n) => b.writeInt8(Number(n), 0),
  },
  Int8LSB: {
    ...integerRange(8, true),
    read: (b) => b.readInt8(1),
    write: (b, n) => b.writeInt8(Number(n), 1),
  },
  UInt16: {
    ...integerRange(16, false),
    read: (b) => b.readUInt16BE(),
    write: (b, n) => b.writeUInt16BE(Number(n)),
  },
  Int16: {
    ...integerRange(16, true),
    read: (b) => b.readInt16BE(),
    write: (b, n) => b.writeInt16BE(Number(n)),
  },
  UInt32: {
    ...integerRange(32, false),
    read: (b) => b.readUInt32BE(),
    write: (b, n) => b.writeUInt32BE(Number(n)),
  },
  Int32: {
    ...integerRange(32, true),
    read: (b) => b.readInt32BE(),
    write: (b, n) => b.writeInt32BE(Number(n)),
  },
  UInt64: {
    ...integerRange(64, false),
    read: (b) => b.readBigUInt64BE(),
    write: (b, n) => b.writeBigUInt64BE(n),
  },
  Int64: {
    ...integerRange(64, true),
    read: (b) => b.readBigInt64BE(),
    write: (b, n) => b.writeBigInt64BE(n),
  },
};

/** Products are rounded to this many digits, to remove binary rounding noise (3 × 0.1). */
const SIGNIFICANT_DIGITS = 15;

/** Decodes received registers; returns the value, or why it is unreadable. */
export function decode(layout: RegisterLayout, registers: Buffer): Value | { readonly unreadable: Text } {
  const { type, factor } = layout;
  const bytes = reorder(layout, registers);
  if (type.kind === 'string') return type.name === 'StringHex' ? bytes.toString('hex') : decodeText(bytes);
  if (type.kind === 'float') {
    const number = type.name === 'Float32' ? shortestDecimal(bytes.readFloatBE()) : bytes.readDoubleBE();
    const value = factor === undefined ? number : Number((number * factor).toPrecision(SIGNIFICANT_DIGITS));
    return Number.isFinite(value)
      ? value + 0
      : {
          unreadable: coded`REGISTER_CONTAINS_WHICH_NOT: the register contains ${number}, which is not a number`,
        };
  }
  const number = integerTypes[type.name]?.read(bytes) ?? 0;
  if (factor !== undefined) return Number((Number(number) * factor).toPrecision(SIGNIFICANT_DIGITS)) + 0;
  if (Number.isSafeInteger(Number(number))) return Number(number);
  return {
    unreadable: coded`EXCEEDS_2_53_LIMIT: ${String(number)} exceeds ±2^53, the limit of exact integers; set a Factor to get a float`,
  };
}

/** The bits of a number in registers, unsigned, high bit first. */
export function rawBits(layout: RegisterLayout, registers: Buffer): bigint {
  return BigInt(`0x0${reorder(layout, registers).toString('hex')}`);
}

/** Encodes a value. Throws `CANNOT_CONVERT`. */
export function encode(layout: RegisterLayout, value: Value): Buffer {
  const { type, registers } = layout;
  const bytes = Buffer.alloc(2 * registers);
  if (type.kind === 'string') encodeText(bytes, type, value);
  else {
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw cannotConvert(coded`MUST_BE_NUMBER: it must be a number`);
    if (type.kind === 'float') writeFloat(bytes, type, value / (layout.factor ?? 1));
    else integerTypes[type.name]?.write(bytes, toInteger(layout, value));
  }
  return reorder(layout, bytes);
}

/** Converts to the order of the protocol or back: each swap is its own inverse. */
function reorder({ type, swapBytes, swapWords }: RegisterLayout, registers: Buffer): Buffer {
  const bytes = Buffer.from(registers);
  if (swapBytes) bytes.swap16();
  if (!swapWords || type.kind === 'string') return bytes;
  return Buffer.concat(
    Array.from({ length: bytes.length / 2 }, (_, index) =>
      bytes.subarray(bytes.length - 2 * index - 2, bytes.length - 2 * index),
    ),
  );
}

/** The characters before the first NUL, without trailing blanks. */
function decodeText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end < 0 ? bytes.length : end).trimEnd();
}

function encodeText(bytes: Buffer, { name }: DataType, value: Value): void {
  if (typeof value !== 'string') throw cannotConvert(coded`MUST_BE_TEXT: it must be text`);
  const isHex = name === 'StringHex';
  if (isHex && !/^(?:[0-9a-f]{2})*$/i.test(value))
    throw cannotConvert(coded`MUST_BE_HEXADECIMAL: it must be hexadecimal digits, two per byte`);
  const encoded = Buffer.from(value, isHex ? 'hex' : 'latin1');
  if (!isHex && encoded.toString('latin1') !== value)
    throw cannotConvert(
      coded`EACH_CHARACTER_ONE_BYTE: each character is one byte; only U+0000 to U+00FF are allowed`,
    );
  if (encoded.length > bytes.length)
    throw cannotConvert(coded`TOO_MANY_BYTES: it has ${encoded.length} bytes; at most ${bytes.length} fit`);
  encoded.copy(bytes);
}

function writeFloat(bytes: Buffer, { name }: DataType, number: number): void {
  if (name === 'Float64') return void bytes.writeDoubleBE(number);
  if (!Number.isFinite(Math.fround(number)))
    throw cannotConvert(coded`FLOAT32_TOO_LARGE: it is too large for a Float32`);
  bytes.writeFloatBE(number);
}

function toInteger({ type, factor }: RegisterLayout, value: number): bigint {
  const number = value / (factor ?? 1);
  if (factor === undefined && !Number.isSafeInteger(number))
    throw cannotConvert(coded`MUST_BE_INTEGER: it must be an integer`);
  const rounded = Math.sign(number) * Math.round(Math.abs(number));
  const { min = 0n, max = 0n } = integerTypes[type.name] ?? {};
  const exact = Number.isFinite(rounded) ? BigInt(rounded) : max + 1n;
  if (exact >= min && exact <= max) return exact;
  const times = factor === undefined ? '' : ` × ${factor}`;
  throw cannotConvert(
    coded`RANGE_OF_TYPE: the range of ${type.name} is ${String(min)} to ${String(max)}${times}`,
  );
}

/** The shortest decimal number that rounds to this Float32: 230.1, not 230.10000610351562. */
function shortestDecimal(number: number): number {
  for (let digits = 6; digits <= 9; digits++) {
    const candidate = Number(number.toPrecision(digits));
    if (Math.fround(candidate) === number) return candidate;
  }
  return number;
}

function cannotConvert(why: Text): Error {
  return fault('CANNOT_CONVERT', 'Value', why);
}
