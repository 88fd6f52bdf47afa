import type { TaskProgress } from '../base/tasks/task-list.js';
import type { Value } from '../kernel/value.js';
import type { aggregationSpan } from './buckets.js';
import type { SeriesStatistics } from './worker-protocol.js';

/** A record of the archive; times are unix seconds, integers. */
export interface LoggedValue {
  readonly timeStamp: number;
  readonly value: Value;
  /** How long the value lasted: until the next record, or now. */
  readonly durationS: number;
}

/** A stored record. */
interface StoredRecord {
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly value: Value;
  /** False if its time is from an untrusted clock and not corrected yet. */
  readonly isTrusted: boolean;
}

/** The aggregate of a bucket; for a counter, `avg` is its increase, `min` and `max` are single increases. */
export interface AggregatedValue {
  /** The start of the bucket; all times are unix seconds. */
  readonly timeStamp: number;
  /**
   * The part of the bucket with known values: shorter for the bucket of the first record, and the current
   * one.
   */
  readonly durationS: number;
  readonly avg: number;
  readonly min: number;
  readonly minTime: number;
  readonly max: number;
  readonly maxTime: number;
}

/**
 * A range of records, both ends included. 0 is the first record, or now; a limit of 0, or above 10,000, means
 * 10,000.
 */
export interface LoggedRange {
  readonly startS: number;
  readonly endS: number;
  readonly limit: number;
}

/**
 * A range of records and the buckets of local time; only buckets completely within the range are returned.
 */
export interface AggregatedRange extends LoggedRange {
  readonly span: (typeof aggregationSpan)[keyof typeof aggregationSpan];
}

/** A record to be added. */
export interface NewRecord {
  /** Unix milliseconds. */
  readonly atMs: number;
  /** Of the variable's type. */
  readonly value: Value;
  /** False if the time came from a clock that was not trusted; the record stays marked. True by default. */
  readonly isTrusted?: boolean;
}

/** The archive as functions and charts use it. Everything rejects with `ARCHIVE_FAILED` if the disk fails. */
export interface ArchivePort {
  /** Newest first. Throws `NOT_OF_TYPE`. */
  logged(variableId: number, range: LoggedRange): Promise<readonly LoggedValue[]>;
  /**
   * Oldest first, to the millisecond; 0 as end means all. `more`: the range has more records. Throws
   * `NOT_OF_TYPE`.
   */
  records(
    variableId: number,
    range: LoggedRange,
  ): Promise<{ readonly records: readonly StoredRecord[]; readonly more: boolean }>;
  /** Newest first. Throws `NOT_OF_TYPE`, and `NOT_SUPPORTED` for texts. */
  aggregated(variableId: number, range: AggregatedRange): Promise<readonly AggregatedValue[]>;
  /** Resolves when the records are on the disk; a record replaces one of the same millisecond. */
  add(variableId: number, values: readonly NewRecord[]): Promise<void>;
  /** Records the current value if it differs from the newest record. */
  recordPresent(variableId: number): void;
  /**
   * Deletes records and returns their number; 0 means from the first, or to the last. The variable may be
   * deleted.
   */
  delete(variableId: number, startS: number, endS: number): Promise<number>;
  /** Moves the records of a variable, which may be deleted, to another one. */
  move(variableId: number, toId: number): Promise<void>;
  /** Rebuilds the summaries for aggregations. If it is cancelled, the remaining ones stay as they were. */
  reaggregate(variableId: number, progress?: TaskProgress): Promise<void>;
  /** The ids of the variables that have records, also of deleted ones. */
  recordedVariables(): Promise<readonly number[]>;
  /** Statistics of each of them; reads the row of every chunk. */
  statistics(): Promise<readonly SeriesStatistics[]>;
}

/** Maximum number of rows per call. */
export const MAX_ROWS = 10_000;
