import type { Value } from '../kernel/value.js';
import type { aggregationSpan } from './buckets.js';
import type { SeriesStatistics } from './worker-protocol.js';

/** A record of the archive; times are unix seconds, whole. */
export interface LoggedValue {
  readonly timeStamp: number;
  readonly value: Value;
  /** How long the value held: until the next record, or now. */
  readonly durationS: number;
}

/** A record as it is kept. */
export interface StoredRecord {
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly value: Value;
  /** False: its time is of a clock that was not trusted, and has not become known yet. */
  readonly isTrusted: boolean;
}

/** What the records of a piece of time come to; of a counter, `avg` is what it rose by, `min` and `max` single rises. */
export interface AggregatedValue {
  /** When the piece begins, unix seconds, as all times here. */
  readonly timeStamp: number;
  /** How much of it is known: less than the piece where that holds the first record, or now. */
  readonly durationS: number;
  readonly avg: number;
  readonly min: number;
  readonly minTime: number;
  readonly max: number;
  readonly maxTime: number;
}

/** Which records: both ends belong to it. 0 as start is the beginning, as end now; as limit, or above it, 10,000. */
export interface LoggedRange {
  readonly startS: number;
  readonly endS: number;
  readonly limit: number;
}

/** Which records, and over which pieces of local time; a piece is there only where it lies wholly within. */
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

/** The archive, for functions and charts. All reject with `ARCHIVE_FAILED` when the disk does not do it. */
export interface ArchivePort {
  /** Newest first. Throws `NOT_OF_TYPE`. */
  logged(variableId: number, range: LoggedRange): Promise<readonly LoggedValue[]>;
  /** Oldest first, to the millisecond; 0 as end is the end. `more`: there are others after them. Throws `NOT_OF_TYPE`. */
  records(
    variableId: number,
    range: LoggedRange,
  ): Promise<{ readonly records: readonly StoredRecord[]; readonly more: boolean }>;
  /** Newest first. Throws `NOT_OF_TYPE`, and `NOT_SUPPORTED` for texts. */
  aggregated(variableId: number, range: AggregatedRange): Promise<readonly AggregatedValue[]>;
  /** Resolves when they are on the disk; one of the same millisecond as another takes its place. */
  add(variableId: number, values: readonly NewRecord[]): Promise<void>;
  /** Records its value as it is now, where that is another than the newest record's. */
  recordPresent(variableId: number): void;
  /** How many were deleted; 0 as start is the beginning, as end the end. The variable may be gone. */
  delete(variableId: number, startS: number, endS: number): Promise<number>;
  /** One variable's records become another's; the first may be gone. */
  move(variableId: number, toId: number): Promise<void>;
  /** Makes what is kept ready for aggregating anew. */
  reaggregate(variableId: number): Promise<void>;
  /** The ids of the variables that have records, also of deleted ones. */
  recordedVariables(): Promise<readonly number[]>;
  /** What is stored of each of them; reads every chunk's row. */
  statistics(): Promise<readonly SeriesStatistics[]>;
}

/** Rows that one call gives at most. */
export const MAX_ROWS = 10_000;
