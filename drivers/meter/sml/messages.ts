import { crcKermit, crcX25 } from '../crc16.js';
import { SmlReader, SmlSyntaxError, type SmlNode, type SmlNumber } from './nodes.js';

/** Message bodies that have lists of values; the numbers are those of the specification. */
const PROFILE_LIST_RESPONSE = 0x401n;
const LIST_RESPONSE = 0x701n;

/** Elements of a message: transaction, group, abort on error, body, CRC, end. */
const MESSAGE_ELEMENTS = 6;
/** Positions in a list response, and in an entry of its list. */
const VALUE_LIST = 4;
const ENTRY = { name: 0, status: 1, time: 2, unit: 3, scaler: 4, value: 5, elements: 7 } as const;
/** Positions in a profile list response, and in a period of it. */
const PERIODS = 6;
const PERIOD = { name: 0, unit: 1, scaler: 2, value: 3, elements: 5 } as const;
const OBIS_LENGTH = 6;

/** One entry of a list, as it was sent. */
export interface SmlEntry {
  readonly name: Uint8Array;
  readonly status?: bigint;
  readonly time?: SmlNode;
  /** The number of the unit in DLMS (IEC 62056-62). */
  readonly unit?: number;
  readonly scaler: number;
  readonly value: Uint8Array | SmlNumber | boolean;
}

/**
 * The entries of all lists in the payload of a telegram. Each message has a checksum of its own, which must
 * be correct. Throws `SmlSyntaxError`.
 */
export function readEntries(payload: Uint8Array): SmlEntry[] {
  const reader = new SmlReader(payload);
  const entries: SmlEntry[] = [];
  while (!reader.isAtEnd) {
    // Fill bytes that are not counted: some meters send them between messages.
    if (reader.skip(0)) continue;
    const start = reader.position;
    if (reader.listLength() !== MESSAGE_ELEMENTS) throw new SmlSyntaxError('not a message');
    const [, , , body] = [reader.next(), reader.next(), reader.next(), reader.next()];
    const end = reader.position;
    const crc = reader.next();
    if (!reader.skip(0)) throw new SmlSyntaxError('a message without an end');
    if (!isChecksum(crc, payload.subarray(start, end))) throw new SmlSyntaxError('the checksum of a message');
    entries.push(...entriesOf(body));
  }
  return entries;
}

/** The checksum is sent as a number whose first byte is the low one. */
function isChecksum(sent: SmlNode, bytes: Uint8Array): boolean {
  if (!isNumber(sent)) return false;
  const number = Number(sent.number);
  const swapped = ((number & 0xff) << 8) | (number >>> 8);
  return swapped === crcX25(bytes) || swapped === crcKermit(bytes);
}

function entriesOf(body: SmlNode): SmlEntry[] {
  if (!isList(body) || body.length !== 2) throw new SmlSyntaxError('a message without a body');
  const [tag, response] = body;
  if (!isNumber(tag) || !isList(response)) return [];
  const type = tag.number;
  if (type === LIST_RESPONSE) return listOf(response[VALUE_LIST]).map(listEntry);
  if (type === PROFILE_LIST_RESPONSE) return listOf(response[PERIODS]).map(periodEntry);
  return [];
}

function listEntry(node: SmlNode): SmlEntry {
  if (!isList(node) || node.length !== ENTRY.elements) throw new SmlSyntaxError('not an entry');
  const status = node[ENTRY.status];
  return {
    ...measured({
      name: node[ENTRY.name],
      unit: node[ENTRY.unit],
      scaler: node[ENTRY.scaler],
      value: node[ENTRY.value],
    }),
    ...(isNumber(status) && { status: status.number }),
    ...(node[ENTRY.time] !== undefined && { time: node[ENTRY.time] }),
  };
}

function periodEntry(node: SmlNode): SmlEntry {
  if (!isList(node) || node.length !== PERIOD.elements) throw new SmlSyntaxError('not a period');
  return measured({
    name: node[PERIOD.name],
    unit: node[PERIOD.unit],
    scaler: node[PERIOD.scaler],
    value: node[PERIOD.value],
  });
}

function measured(entry: Readonly<Record<'name' | 'unit' | 'scaler' | 'value', SmlNode>>): SmlEntry {
  const { name, unit, scaler, value } = entry;
  if (!(name instanceof Uint8Array) || name.length !== OBIS_LENGTH)
    throw new SmlSyntaxError('an entry without an OBIS code');
  if (scaler !== undefined && !isNumber(scaler)) throw new SmlSyntaxError('not a scaler');
  return {
    name,
    ...(isNumber(unit) && { unit: Number(unit.number) }),
    scaler: Number(scaler?.number ?? 0n),
    // A list (a time, for example) or no value is not one that a variable could have.
    value: value === undefined || isList(value) ? new Uint8Array() : value,
  };
}

function listOf(node: SmlNode): readonly SmlNode[] {
  if (node === undefined) return [];
  if (!isList(node)) throw new SmlSyntaxError('a list is missing');
  return node;
}

function isList(node: SmlNode): node is readonly SmlNode[] {
  return Array.isArray(node);
}

function isNumber(node: SmlNode): node is SmlNumber {
  return typeof node === 'object' && 'number' in node;
}
