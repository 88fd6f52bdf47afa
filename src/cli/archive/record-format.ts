import { UsageError } from '../command.js';
import { csvRows, quoted } from './csv.js';
import { jsonRows } from './jsonl.js';
import { UNTRUSTED, type Row } from './row.js';
import { toIso } from '../arguments/times.js';

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

const formats: Readonly<Record<string, RecordFormat>> = {
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
};

const endings: Readonly<Record<string, string>> = { jsonl: 'jsonl', ndjson: 'jsonl', json: 'jsonl' };

/** The named format, or that of the file extension; CSV by default. Throws UsageError. */
export function formatOf(name: string | undefined, file: string): RecordFormat {
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  const wanted = name ?? endings[ending] ?? 'csv';
  const format = Object.hasOwn(formats, wanted) ? formats[wanted] : undefined;
  if (format !== undefined) return format;
  throw new UsageError(`there is no format ${wanted}: csv or jsonl`);
}
