import type { MeterRecord } from '../telegram.js';

/** Longest code (`1-0:1.8.0*255` has 13 characters), and longest value: a text message of DSMR. */
const CODE_LIMIT = 24;
const VALUE_LIMIT = 2048;

/** One object of a data block: its code, and what is in each pair of parentheses. */
interface DataObject {
  readonly code: string;
  readonly values: readonly string[];
}

/** The objects of a data block. */
interface DataBlock {
  readonly objects: readonly DataObject[];
  /** Whether all characters belong to an object or end a line. */
  readonly isComplete: boolean;
}

const CODE_CHARACTER = /[0-9A-Z.:*&-]/;
const LINE_END = /[\r\n]/;
/** Characters of a value (IEC 62056-21, 6.3): printable ones without those that have a meaning. */
const VALUE = /^[\x20-\x7e]*$/;

/**
 * Reads the data lines of IEC 62056-21: `1.8.0(013925.5*kWh)`. Several may be in one line; a line that begins
 * with a parenthesis continues the previous one (DSMR 3).
 */
export function readDataBlock(text: string): DataBlock {
  const objects: { code: string; values: string[] }[] = [];
  let isComplete = true;
  let at = 0;
  while (at < text.length) {
    if (LINE_END.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const open = endOfCode(text, at);
    const close = text.charAt(open) === '(' ? endOfValue(text, open + 1) : -1;
    if (close === -1) {
      isComplete = false;
      at = open === at ? at + 1 : open;
      continue;
    }
    const value = text.slice(open + 1, close);
    const last = objects.at(-1);
    if (open > at) objects.push({ code: text.slice(at, open), values: [value] });
    else if (last !== undefined) last.values.push(value);
    else isComplete = false;
    at = close + 1;
  }
  return { objects, isComplete };
}

function endOfCode(text: string, from: number): number {
  let at = from;
  while (at < text.length && at - from < CODE_LIMIT && CODE_CHARACTER.test(text.charAt(at))) at += 1;
  return at;
}

/** The position of the closing parenthesis, or -1. */
function endOfValue(text: string, from: number): number {
  const close = text.slice(from, from + VALUE_LIMIT + 1).indexOf(')');
  const value = text.slice(from, from + close);
  return close === -1 || value.includes('(') || !VALUE.test(value) ? -1 : from + close;
}

const NUMBER = /^ *([+-]?) *([0-9]{1,16})(?:\.([0-9]{1,12}))?$/;
/** The time of a value in DSMR: local time with summer (S) or winter time (W). */
const TIME = /^([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([SW])$/;
const DAY = /^[0-9]{12}$/;
/** Countries with DSMR are one hour ahead of UTC in winter, two in summer. */
const WINTER_HOURS = 1;
const SUMMER_HOURS = 2;
/** DSMR 2 and 3: a value in the following line, after its time, and its unit as the sixth value. */
const HOURLY = /:24\.3\.0$/;
const HOURLY_UNIT = 5;

/** An object as a record: its value, and its time if it has one. */
export function recordOf({ code, values }: DataObject): MeterRecord {
  const [first = '', second] = values;
  if (HOURLY.test(code) && values.length > HOURLY_UNIT + 1)
    return valueRecord(code, `${values.at(-1)}*${values[HOURLY_UNIT]}`);
  const atMs = timeOf(first);
  if (second === undefined || (atMs === undefined && !DAY.test(first))) return valueRecord(code, first);
  return { ...valueRecord(code, second), ...(atMs !== undefined && { atMs }) };
}

function valueRecord(code: string, text: string): MeterRecord {
  const star = text.indexOf('*');
  const [digits, unit] = star === -1 ? [text, ''] : [text.slice(0, star), text.slice(star + 1)];
  const match = NUMBER.exec(digits);
  if (match === null) return { code, value: text, unit: '', resolution: 0, text };
  const [, sign, whole, fraction = ''] = match;
  return {
    code,
    value: Number(`${sign === '-' ? '-' : ''}${whole}.${fraction}`),
    unit: unit.trim(),
    resolution: Number(`1e-${fraction.length}`),
    text: digits.trim(),
  };
}

function timeOf(text: string): number | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59) return undefined;
  const offset = match[7] === 'S' ? SUMMER_HOURS : WINTER_HOURS;
  return Date.UTC(2000 + year, month - 1, day, hour - offset, minute, second);
}
