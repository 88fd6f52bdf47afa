import { emptyRun } from '../../../src/archive/codec.js';
import { ArchiveFile } from '../../../src/archive/archive-file.js';
import type { RecordRange, RecordBatch } from '../../../src/archive/worker-protocol.js';
import { queryLogged } from '../../../src/archive/queries.js';
import type { GivenRecord } from './reference-aggregation.js';

/** The id of the variable that is written by default. */
export const ID = 12_345;

interface Written extends GivenRecord {
  readonly mark?: number;
}

/** Encodes records as the worker receives them. */
export function recordsOf(given: readonly Written[], id = ID): RecordBatch {
  return {
    ids: given.map(() => id),
    times: given.map(({ atMs }) => atMs),
    values: given.map(({ value }) => value),
    marks: given.map(({ mark = 0 }) => mark),
  };
}

/** Writes records in one transaction. */
export const write = (file: ArchiveFile, given: readonly Written[], id = ID) =>
  file.write({ records: recordsOf(given, id), clocks: [] });

/** All records of a variable up to a time. */
export const allRecords = (toMs: number): RecordRange => ({
  id: ID,
  isText: false,
  fromMs: 0,
  toMs,
  limit: 1_000_000,
  nowMs: toMs,
  waiting: emptyRun(),
});

/** The open archive of a directory. */
export function openArchiveFile(directory: string): ArchiveFile {
  const file = new ArchiveFile(directory);
  file.open(0);
  return file;
}

/** The records in the archive, oldest first. */
export function contents(file: ArchiveFile, id = ID): GivenRecord[] {
  const { times, values } = queryLogged(file, { ...allRecords(2 ** 43), id });
  return Array.from(times, (atMs, n) => ({ atMs, value: values[n] as number })).reverse();
}
