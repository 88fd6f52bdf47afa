import { csvRows, quoted } from './csv.js';
import { jsonRows } from './jsonl.js';
import { UNTRUSTED, type Row } from './row.js';
import { toIso } from './times.js';

/** A record of an export. */
export interface OutputRecord {
  readonly variableId: number;
  readonly atMs: number;
  readonly value: boolean | number | string;
  /** Whether its time is from an untrusted clock, and may be wrong. */
  readonly isUntrusted: boolean;
}

/** A file format for records. */
export interface RecordFormat {
  /** Text before the first record. */
  readonly head: string;
  lineOf(record: OutputRecord): string;
  rowsOf(pieces: AsyncIterable<string>): AsyncGenerator<Row>;
}

export type FormatName = 'csv' | 'jsonl';

export const recordFormats = {
  csv: {
    head: 'variable,time,value,clock\n',
    lineOf: ({ variableId, atMs, value, isUntrusted }) =>
      `${variableId},${toIso(atMs)},${typeof value === 'string' ? quoted(value) : value},${isUntrusted ? UNTRUSTED : ''}\n`,
    rowsOf: csvRows,
  },
  jsonl: {
    head: '',
    lineOf: ({ variableId, atMs, value, isUntrusted }) =>
      `${JSON.stringify({ variable: variableId, time: toIso(atMs), value, ...(isUntrusted && { clock: UNTRUSTED }) })}\n`,
    rowsOf: jsonRows,
  },
} satisfies Readonly<Record<FormatName, RecordFormat>>;

const endings: Readonly<Record<string, FormatName>> = { jsonl: 'jsonl', ndjson: 'jsonl', json: 'jsonl' };

/** The format of a file by its extension; CSV by default. */
export const formatOfFile = (file: string): FormatName =>
  endings[file.slice(file.lastIndexOf('.') + 1).toLowerCase()] ?? 'csv';
