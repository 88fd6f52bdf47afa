import { crcX25 } from '../crc16.js';

/** An entry of a simulated meter: an OBIS code of six bytes, and a number with its unit, or bytes. */
export interface SmlValue {
  readonly obis: readonly number[];
  readonly number?: number;
  readonly scaler?: number;
  readonly unit?: number;
  readonly bytes?: Uint8Array;
}

const ESCAPE = Buffer.from('1b1b1b1b', 'hex');
const ABSENT = Buffer.from([1]);

/** The checksum of bytes, low byte first. */
function crc(bytes: Uint8Array): Buffer {
  const value = crcX25(bytes);
  return Buffer.from([value & 0xff, value >> 8]);
}

const list = (...nodes: Uint8Array[]) => Buffer.concat([Buffer.from([0x70 | nodes.length]), ...nodes]);
const octets = (bytes: Uint8Array) => Buffer.concat([header(0, bytes.length), bytes]);
const unsigned = (bytes: Uint8Array) => Buffer.concat([header(0x60, bytes.length), bytes]);

function header(type: number, length: number): Buffer {
  return length < 15
    ? Buffer.from([type | (length + 1)])
    : Buffer.from([0x80 | type | ((length + 2) >> 4), (length + 2) & 0x0f]);
}

function signed(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return Buffer.concat([Buffer.from([0x59]), bytes]);
}

function message(tag: number, body: Uint8Array): Buffer {
  const open = [
    Buffer.from([0x76]),
    octets(Buffer.from('0011', 'hex')),
    unsigned(Buffer.from([0])),
    unsigned(Buffer.from([0])),
    list(unsigned(Buffer.from([tag >> 8, tag & 0xff])), body),
  ];
  const bytes = Buffer.concat(open);
  return Buffer.concat([bytes, unsigned(crc(bytes)), Buffer.from([0])]);
}

function entry({ obis, number, scaler = 0, unit, bytes }: SmlValue): Buffer {
  return list(
    octets(Buffer.from(obis)),
    ABSENT,
    ABSENT,
    unit === undefined ? ABSENT : unsigned(Buffer.from([unit])),
    Buffer.from([0x52, scaler & 0xff]),
    bytes === undefined ? signed(number ?? 0) : octets(bytes),
    ABSENT,
  );
}

/** A telegram with one list, as a meter sends it. At most 15 values. */
export function smlTelegram(values: readonly SmlValue[]): Buffer {
  const entries = list(...values.map(entry));
  const response = list(ABSENT, octets(Buffer.from('0a01', 'hex')), ABSENT, ABSENT, entries, ABSENT, ABSENT);
  return smlTransport(message(0x701, response));
}

/** A payload as a telegram of transport version 1. */
function smlTransport(payload: Buffer): Buffer {
  const fill = (4 - (payload.length % 4)) % 4;
  const content = Buffer.concat([payload, Buffer.alloc(fill)]);
  const escaped: Buffer[] = [];
  let from = 0;
  for (let at = content.indexOf(ESCAPE); at !== -1; at = content.indexOf(ESCAPE, from)) {
    escaped.push(content.subarray(from, at + 4), ESCAPE);
    from = at + 4;
  }
  const start = Buffer.from('1b1b1b1b01010101', 'hex');
  const bytes = Buffer.concat([start, ...escaped, content.subarray(from), ESCAPE, Buffer.from([0x1a, fill])]);
  return Buffer.concat([bytes, crc(bytes)]);
}
