import { corrected, isBackward, TEXT_UNIT, valueInfo, type ValueInfo } from './vifs.js';

/** The data are not those of a meter. */
export class MbusSyntaxError extends Error {}

/** What kind of value a record has. */
type MbusFunction = 'instantaneous' | 'maximum' | 'minimum' | 'error';
const functions: readonly MbusFunction[] = ['instantaneous', 'maximum', 'minimum', 'error'];

/** A record of a telegram. */
export interface MbusRecord extends ValueInfo {
  readonly function: MbusFunction;
  /** 0 is the present value, others were stored at a date. */
  readonly storage: number;
  readonly tariff: number;
  /** The number of the device in the meter. */
  readonly device: number;
  readonly isBackward: boolean;
  /** In `unit`; a date as text; absent if the meter has marked it as invalid. */
  readonly value?: number | string;
  /** The value of the last digit. */
  readonly resolution: number;
}

/** The records of a telegram; the rest is the manufacturer's. */
interface MbusRecords {
  readonly records: readonly MbusRecord[];
  /** Bytes after the records, whose meaning only the manufacturer knows. */
  readonly rest?: Uint8Array;
  /** Further telegrams follow on request. */
  readonly hasMore: boolean;
}

const EXTENDED = 0x80;
const FILLER = 0x2f;
const MANUFACTURER_DATA = 0x0f;
const MORE_FOLLOWS = 0x1f;
/** DIFEs and VIFEs of one record (EN 13757-3, 6.3.5 and 6.4). */
const EXTENSIONS_LIMIT = 10;
/** Bytes of the data fields; -1 is a variable length. */
const LENGTHS = [0, 1, 2, 3, 4, 4, 6, 8, 0, 1, 2, 3, 4, -1, 6] as const;
const REAL = 5;
const FIRST_BCD = 9;
const VARIABLE = 13;
/** Years of a century (type G). */
const LAST_YEAR = 99;

/** Reads the records of a variable data structure. Throws `MbusSyntaxError`. */
export function readRecords(bytes: Uint8Array): MbusRecords {
  const cursor = new Cursor(bytes);
  const records: MbusRecord[] = [];
  while (!cursor.isAtEnd) {
    const dif = cursor.byte();
    if (dif === FILLER) continue;
    if (dif === MANUFACTURER_DATA || dif === MORE_FOLLOWS)
      return { records, rest: cursor.rest(), hasMore: dif === MORE_FOLLOWS };
    records.push(readRecord(cursor, dif));
  }
  return { records, hasMore: false };
}

function readRecord(cursor: Cursor, dif: number): MbusRecord {
  let storage = (dif >> 6) & 1;
  let tariff = 0;
  let device = 0;
  for (const [index, dife] of extensionsOf(cursor, dif).entries()) {
    storage += (dife & 0x0f) * 2 ** (1 + 4 * index);
    tariff += ((dife >> 4) & 3) * 4 ** index;
    device += ((dife >> 6) & 1) * 2 ** index;
  }
  const vif = cursor.byte();
  const textUnit = (vif & 0x7f) === TEXT_UNIT ? reversed(cursor.take(cursor.byte())) : undefined;
  const extensions = extensionsOf(cursor, vif);
  const info =
    textUnit === undefined
      ? valueInfo(vif, extensions)
      : corrected({ quantity: 'text', unit: textUnit, exponent: 0 }, extensions);
  return {
    ...info,
    ...readValue(cursor, dif & 0x0f, info),
    function: functions[(dif >> 4) & 3] ?? 'instantaneous',
    storage,
    tariff,
    device,
    isBackward: isBackward(extensions),
  };
}

function extensionsOf(cursor: Cursor, first: number): number[] {
  const extensions: number[] = [];
  for (let byte = first; (byte & EXTENDED) !== 0;) {
    if (extensions.length === EXTENSIONS_LIMIT) throw new MbusSyntaxError('too many extensions');
    byte = cursor.byte();
    extensions.push(byte);
  }
  return extensions;
}

type MeasuredValue = Pick<MbusRecord, 'value' | 'resolution'>;

function readValue(cursor: Cursor, field: number, info: ValueInfo): MeasuredValue {
  const length = LENGTHS[field];
  if (length === undefined) throw new MbusSyntaxError('an unknown data field');
  if (field === VARIABLE) return readVariable(cursor, info);
  const bytes = cursor.take(length);
  if (length === 0) return { resolution: 0 };
  if (info.quantity === 'date' || info.quantity === 'time') return pointInTime(bytes, info.quantity);
  if (field >= FIRST_BCD) return scaled(bcd(bytes), info);
  if (field !== REAL) return scaled(integer(bytes), info);
  const real = Buffer.from(bytes).readFloatLE();
  return Number.isFinite(real) ? { ...scaled(real, info), resolution: 0 } : { resolution: 0 };
}

/** Texts, and numbers of any length. */
function readVariable(cursor: Cursor, info: ValueInfo): MeasuredValue {
  const kind = cursor.byte();
  if (kind < 0xc0) return { value: reversed(cursor.take(kind)), resolution: 0 };
  const bytes = cursor.take(kind & 0x0f);
  if (kind < 0xd0) return scaled(bcd(bytes), info);
  if (kind < 0xe0) return scaled(negative(bcd(bytes)), info);
  if (kind < 0xf0 && bytes.length <= 8) return scaled(integer(bytes), info);
  throw new MbusSyntaxError('an unknown variable length');
}

const negative = (number: number | undefined) => (number === undefined ? undefined : -number);

/** Applies the power of ten, dividing by positive ones: 0.001 is not exact. */
function scaled(raw: number | undefined, { exponent, factor = 1 }: ValueInfo): MeasuredValue {
  const resolution = 10 ** exponent * factor;
  if (raw === undefined) return { resolution };
  const value = exponent < 0 ? (raw * factor) / 10 ** -exponent : raw * factor * 10 ** exponent;
  return { value, resolution };
}

/** A binary number with a sign; none beyond the exact ones of a double. */
function integer(bytes: Uint8Array): number | undefined {
  let number = 0n;
  for (const byte of bytes.toReversed()) number = (number << 8n) | BigInt(byte);
  const value = Number(BigInt.asIntN(8 * bytes.length, number));
  return bytes.length > 0 && Number.isSafeInteger(value) ? value : undefined;
}

/** Digits; an F in the first place is a minus sign. Other hexadecimal digits mark an invalid value. */
function bcd(bytes: Uint8Array): number | undefined {
  const digits = Buffer.from(bytes.toReversed()).toString('hex');
  const match = /^(f?)([0-9]+)$/.exec(digits);
  if (match === null) return undefined;
  const value = Number(match[2]);
  if (!Number.isSafeInteger(value)) return undefined;
  return match[1] === 'f' ? -value : value;
}

/** Date (type G) and time (type F) of a meter's clock, as ISO 8601 without a time zone. */
function pointInTime(bytes: Uint8Array, quantity: string): MeasuredValue {
  const [low = 0, high = 0] = quantity === 'date' ? bytes : bytes.subarray(2);
  const isComplete = bytes.length === (quantity === 'date' ? 2 : 4);
  if (!isComplete) return { resolution: 0 };
  const sinceCentury = (low >> 5) | ((high >> 4) << 3);
  // 127 stands for any year.
  if (sinceCentury > LAST_YEAR) return { resolution: 0 };
  const year = 2000 + sinceCentury;
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${year}-${two(high & 0x0f)}-${two(low & 0x1f)}`;
  if (quantity === 'date') return { value: day, resolution: 0 };
  const [minute = 0, hour = 0] = bytes;
  // The highest bit of the minute marks an invalid time.
  if ((minute & 0x80) !== 0) return { resolution: 0 };
  return { value: `${day}T${two(hour & 0x1f)}:${two(minute & 0x3f)}`, resolution: 0 };
}

/** Texts are sent with their last character first. */
function reversed(bytes: Uint8Array): string {
  return Buffer.from(bytes.toReversed()).toString('latin1');
}

class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  take(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new MbusSyntaxError('bytes are missing');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#at);
  }
}
