import { UsageError } from '../command.js';
import { csvRows, quoted } from './csv.js';
import { jsonRows } from './jsonl.js';
import { UNTRUSTED, type Row } from './row.js';
import { toIso } from '../arguments/times.js';

/** A record as it is written. */
export interface OutputRecord {
  readonly variableId: number;
  readonly atMs: number;
  readonly value: boolean | number | string;
  /** Its time is of a clock that was not trusted, and may be far off. */
  readonly isUntrusted: boolean;
}

/** A way to write records down, which can be read again. */
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

/** The format that is named, or that a file's name ends with; else CSV. Throws UsageError. */
export function formatOf(name: string | undefined, file: string): RecordFormat {
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  const wanted = name ?? endings[ending] ?? 'csv';
  const format = Object.hasOwn(formats, wanted) ? formats[wanted] : undefined;
  if (format !== undefined) return format;
  throw new UsageError(`there is no format ${wanted}: csv or jsonl`);
}
