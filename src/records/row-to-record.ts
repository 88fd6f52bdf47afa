import { coded, type CodedText } from '../base/codes/coded-text.js';
import { isInexact } from '../base/json.js';
import { UNTRUSTED, type Row } from './row.js';
import { parseTime, type LocalTime } from './times.js';

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
export type ImportTarget = { readonly type: number } | { readonly rejected: CodedText };

/** How rows are converted to records. */
export interface RecordMapping {
  /** The variable of all records; if undefined, the column `variable` has it. */
  readonly variableId: number | undefined;
  target(id: number): Promise<ImportTarget>;
  /** The time zone of times without an offset; that of the process by default. */
  readonly zone?: LocalTime;
}

/** Converts a row to a record; returns the reason if the row is invalid. */
export async function recordOf(
  row: Row,
  { variableId, target, zone }: RecordMapping,
): Promise<FileRecord | CodedText> {
  if ('error' in row) return row.error;
  const { line, fields, isCsv } = row;
  const id = variableId ?? Number(fields.get('variable') ?? NaN);
  if (!Number.isSafeInteger(id) || id <= 0)
    return fields.has('variable')
      ? coded`ROW_NO_ID: ${shown(fields.get('variable'))} is not the ID of a variable`
      : coded`ROW_NO_VARIABLE: no variable is given: choose one for all records (--variable), or add a column "variable"`;
  for (const name of ['time', 'value']) if (!fields.has(name)) return coded`ROW_LACKS: there is no ${name}`;
  const atMs = parseTime(fields.get('time'), zone);
  if (atMs === undefined)
    return coded`ROW_NO_TIME: ${shown(fields.get('time'))} is not a time (2026-03-29T14:05:00Z, 2026-03-29 16:05:00 as local time, or unix seconds)`;
  const known = await target(id);
  if ('rejected' in known) return known.rejected;
  const value = isCsv ? valueOfText(String(fields.get('value')), known.type) : fields.get('value');
  if (!isOf(known.type, value))
    return coded`ROW_NO_VALUE: ${shown(fields.get('value'))} is not ${NAMES[known.type] ?? 'a value'}`;
  return { line, variableId: id, atMs, value, isTrusted: fields.get('clock') !== UNTRUSTED };
}

const NAMES = [
  coded`VALUE_BOOLEAN: a boolean (true, false)`,
  coded`VALUE_INTEGER: an integer`,
  coded`VALUE_NUMBER: a number (with a decimal point)`,
  coded`VALUE_TEXT: a text`,
];
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
