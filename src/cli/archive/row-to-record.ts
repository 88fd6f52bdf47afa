import { isInexact } from '../../base/json.js';
import { UNTRUSTED, type Row } from './row.js';
import { parseTime } from '../arguments/times.js';

/** A record from a file. */
export interface FileRecord {
  readonly line: number;
  readonly variableId: number;
  readonly atMs: number;
  readonly value: boolean | number | string;
  /** False if the file marks its time as that of an untrusted clock. */
  readonly isTrusted: boolean;
}

/** The variable of a record: its type, or why records cannot be imported for it. */
export type ImportTarget = { readonly type: number } | { readonly refused: string };

/** How rows are converted to records. */
export interface RecordMapping {
  /** The variable of all records; if undefined, the column `variable` has it. */
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
      ? `${shown(fields.get('variable'))} is not the ID of a variable`
      : 'there is no variable: give --variable, or a column of that name';
  for (const name of ['time', 'value']) if (!fields.has(name)) return `there is no ${name}`;
  const atMs = parseTime(fields.get('time'));
  if (atMs === undefined)
    return `${shown(fields.get('time'))} is not a time (2026-03-29T14:05:00Z, 2026-03-29 16:05:00 as local time, or unix seconds)`;
  const known = await target(id);
  if ('refused' in known) return known.refused;
  const value = isCsv ? valueOfText(String(fields.get('value')), known.type) : fields.get('value');
  if (!isOf(known.type, value))
    return `${shown(fields.get('value'))} is not ${NAMES[known.type] ?? 'a value'}`;
  return { line, variableId: id, atMs, value, isTrusted: fields.get('clock') !== UNTRUSTED };
}

const NAMES = ['a boolean (true, false)', 'an integer', 'a number (with a decimal point)', 'a text'];
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

/** The given value, shortened for an error message. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
