import { readFixedRecords } from './fixed-records.js';
import type { MbusFrame } from './frames.js';
import { MbusSyntaxError, readRecords, type MbusRecord } from './records.js';

/** CI fields of replies (EN 13757-3, table 2). */
const VARIABLE_DATA = 0x72;
const FIXED_DATA = 0x73;
const APPLICATION_ERROR = 0x70;
/** Identification, manufacturer, version, medium, access number, status, signature. */
const HEADER_LENGTH = 12;

/** Application errors (EN 13757-3, 6.6). */
const errors = [
  'unspecified error',
  'the application is not implemented',
  'the telegram was too long',
  'too many records',
  'the telegram ended too early',
  'too many extensions of a data field',
  'too many extensions of a value field',
  '',
  'the application is busy',
  'the credit is exceeded',
];

/** The reply of a meter. */
export interface MbusTelegram {
  /** Eight digits, in some meters hexadecimal ones. */
  readonly id: string;
  /** Three letters; '' in a fixed data structure. */
  readonly manufacturer: string;
  readonly version: number;
  readonly medium: number;
  readonly status: number;
  readonly accessNumber: number;
  readonly records: readonly MbusRecord[];
  readonly rest?: Uint8Array;
  readonly hasMore: boolean;
}

/** The meter has replied with an application error. */
export class MbusApplicationError extends Error {}

/**
 * Reads the data of a frame. Throws `MbusSyntaxError` for invalid or unknown data, and
 * `MbusApplicationError` for an error that the meter reports.
 */
export function readTelegram({ kind, data }: MbusFrame): MbusTelegram {
  if (kind === VARIABLE_DATA) return readVariable(data);
  if (kind === FIXED_DATA) return readFixedRecords(data);
  if (kind === APPLICATION_ERROR) throw new MbusApplicationError(errors[data[0] ?? 0] ?? 'unknown error');
  throw new MbusSyntaxError('unknown data');
}

function readVariable(data: Uint8Array): MbusTelegram {
  if (data.length < HEADER_LENGTH) throw new MbusSyntaxError('the header is too short');
  const header = Buffer.from(data);
  return {
    id: Buffer.from(data.subarray(0, 4).toReversed()).toString('hex').toUpperCase(),
    manufacturer: manufacturerText(header.readUInt16LE(4)),
    version: header.readUInt8(6),
    medium: header.readUInt8(7),
    accessNumber: header.readUInt8(8),
    status: header.readUInt8(9),
    ...readRecords(data.subarray(HEADER_LENGTH)),
  };
}

/** Three letters of five bits each (EN 13757-3, 5.6). */
function manufacturerText(code: number): string {
  return String.fromCharCode(...[10, 5, 0].map((shift) => ((code >> shift) & 0x1f) + 64));
}
