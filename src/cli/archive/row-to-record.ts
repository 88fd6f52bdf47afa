import { isInexact } from '../../base/json.js';
import { UNTRUSTED, type Row } from './row.js';
import { parseTime } from '../arguments/times.js';

/** A record of a file. */
export interface FileRecord {
  readonly line: number;
  readonly variableId: number;
  readonly atMs: number;
  readonly value: boolean | number | string;
  /** False if the file marks its time as one of a clock that was not trusted. */
  readonly isTrusted: boolean;
}

/** What is known of a variable that records are for: its type, or why it takes none. */
export type ImportTarget = { readonly type: number } | { readonly refused: string };

/** How rows become records. */
export interface RecordMapping {
  /** The variable of all of them; else the column `variable` has it. */
  readonly variableId: number | undefined;
  target(id: number): Promise<ImportTarget>;
}

/** Converts a row to a record; returns a text if the row is invalid. */
export async function recordOf(
  row: Row,
  { variableId, target }: RecordMapping,
): Promise<FileRecord | string> {
  if ('error' in row) return row.error;
  const { line, fields, isCsv } = row;
  const id = variableId ?? Number(fields.get('variable') ?? NaN);
  if (!Number.isSafeInteger(id) || id <= 0)
    return fields.has('variable')
      ? `${shown(fields.get('variable'))} is no ID of a variable`
      : 'there is no variable: give --variable, or a column of that name';
  for (const name of ['time', 'value']) if (!fields.has(name)) return `there is no ${name}`;
  const atMs = parseTime(fields.get('time'));
  if (atMs === undefined)
    return `${shown(fields.get('time'))} is no time (2026-03-29T14:05:00Z, 2026-03-29 16:05:00 as local time, or unix seconds)`;
  const known = await target(id);
  if ('refused' in known) return known.refused;
  const value = isCsv ? valueOfText(String(fields.get('value')), known.type) : fields.get('value');
  if (!isOf(known.type, value)) return `${shown(fields.get('value'))} is no ${NAMES[known.type] ?? 'value'}`;
  return { line, variableId: id, atMs, value, isTrusted: fields.get('clock') !== UNTRUSTED };
}

const NAMES = ['boolean (true, false)', 'whole number', 'number (with a decimal point)', 'text'];
const BOOLEAN = 0;
const INTEGER = 1;
const FLOAT = 2;
const TRUE = /^(true|1)$/i;
const FALSE = /^(false|0)$/i;
const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;

function valueOfText(text: string, type: number): unknown {
  if (type === BOOLEAN) return TRUE.test(text.trim()) ? true : FALSE.test(text.trim()) ? false : undefined;
  if (type !== INTEGER && type !== FLOAT) return text;
  return NUMBER.test(text.trim()) && !isInexact(text.trim()) ? Number(text) : undefined;
}

function isOf(type: number, value: unknown): value is boolean | number | string {
  if (type === BOOLEAN) return typeof value === 'boolean';
  if (type === INTEGER) return Number.isSafeInteger(value);
  if (type === FLOAT) return Number.isFinite(value);
  return typeof value === 'string';
}

/** As much of what was given as a person needs to find it. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
