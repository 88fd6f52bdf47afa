import { MbusSyntaxError, type MbusRecord } from './records.js';
import type { MbusTelegram } from './telegram.js';

/** Identification, access number, status, medium and units, two counts. */
const LENGTH = 16;
/** Bits of the status: the counts are binary, or stored ones. */
const IS_BINARY = 0x01;
const IS_STORED = 0x02;

/** Units of the fixed data structure, three powers of ten each. */
const units: readonly (readonly [first: number, unit: string, quantity: string, exponent: number])[] = [
  [0x02, 'Wh', 'energy', 0],
  [0x05, 'Wh', 'energy', 3],
  [0x08, 'Wh', 'energy', 6],
  [0x0b, 'J', 'energy', 3],
  [0x0e, 'J', 'energy', 6],
  [0x11, 'J', 'energy', 9],
  [0x14, 'W', 'power', 0],
  [0x17, 'W', 'power', 3],
  [0x1a, 'W', 'power', 6],
  [0x1d, 'J/h', 'power', 3],
  [0x20, 'J/h', 'power', 6],
  [0x23, 'J/h', 'power', 9],
  [0x26, 'l', 'volume', -3],
  [0x29, 'l', 'volume', 0],
  [0x2c, 'm3', 'volume', 0],
  [0x2f, 'l/h', 'flow', -3],
  [0x32, 'l/h', 'flow', 0],
  [0x35, 'm3/h', 'flow', 0],
];
const HCA_UNITS = 0x39;
/** The second count has the unit of the first, but was stored at a date. */
const SAME_BUT_STORED = 0x3e;

/** Reads a fixed data structure (EN 13757-3, annex B). Throws `MbusSyntaxError`. */
export function readFixedRecords(data: Uint8Array): MbusTelegram {
  if (data.length !== LENGTH) throw new MbusSyntaxError('a fixed data structure of another length');
  const bytes = Buffer.from(data);
  const [status, first, second] = [bytes.readUInt8(5), bytes.readUInt8(6), bytes.readUInt8(7)];
  const storage = (status & IS_STORED) === 0 ? 0 : 1;
  const count = (at: number) => countOf(bytes.subarray(at, at + 4), (status & IS_BINARY) !== 0);
  const secondUnit = second & 0x3f;
  return {
    id: Buffer.from(bytes.subarray(0, 4).toReversed()).toString('hex').toUpperCase(),
    manufacturer: '',
    version: 0,
    medium: (first >> 6) | ((second >> 6) << 2),
    accessNumber: bytes.readUInt8(4),
    status,
    records: [
      record(first & 0x3f, count(8), storage),
      secondUnit === SAME_BUT_STORED
        ? record(first & 0x3f, count(12), 1)
        : record(secondUnit, count(12), storage),
    ],
    hasMore: false,
  };
}

function countOf(bytes: Buffer, isBinary: boolean): number | undefined {
  if (isBinary) return bytes.readUInt32LE();
  const digits = Buffer.from(bytes.toReversed()).toString('hex');
  return /^[0-9]+$/.test(digits) ? Number(digits) : undefined;
}

function record(unit: number, count: number | undefined, storage: number): MbusRecord {
  const row = units.findLast(([first]) => unit >= first && unit < first + 3);
  const [first = unit, name = '', quantity = unit === HCA_UNITS ? 'heat cost units' : 'unknown', power = 0] =
    row ?? [];
  const exponent = power + unit - first;
  return {
    quantity,
    unit: name,
    exponent,
    function: 'instantaneous',
    storage,
    tariff: 0,
    device: 0,
    isBackward: false,
    resolution: 10 ** exponent,
    ...(count !== undefined && { value: exponent < 0 ? count / 10 ** -exponent : count * 10 ** exponent }),
  };
}
