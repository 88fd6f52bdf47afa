import type { RecordRun, StoredValue } from './codec.js';
import type { aggregationSpan } from './buckets.js';

/** Records of several variables in the order in which they came; booleans are 0 and 1. */
export interface RecordBatch extends RecordRun {
  readonly ids: number[];
}

/** A clock that is not trusted: wall clock minus monotonic clock, ms. */
export interface UntrustedClock {
  readonly mark: number;
  readonly offsetMs: number;
}

/** Which records of a variable; both ends belong to it. Unix milliseconds. */
export interface RecordRange {
  readonly id: number;
  readonly isText: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  readonly nowMs: number;
  /** What is not written yet of it. */
  readonly waiting: RecordRun;
}

/** What of a variable is aggregated, and how. */
export interface AggregationRange extends RecordRange {
  readonly span: (typeof aggregationSpan)[keyof typeof aggregationSpan];
  readonly counter: boolean;
  readonly ignoreZeros: boolean;
}

/** Records of one variable, newest first. */
export interface LoggedRows {
  readonly times: Float64Array;
  /** How long each value held, ms. */
  readonly durations: Float64Array;
  readonly values: Float64Array | readonly StoredValue[];
}

/** Records of one variable, oldest first. */
export interface RecordPage {
  readonly run: RecordRun;
  /** There are others after them that were asked for too. */
  readonly more: boolean;
}

/** What is stored of a variable. */
export interface SeriesStatistics {
  readonly id: number;
  /** Unix milliseconds. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
  readonly bytes: number;
}

/** How an archive was found: `text` is for people, '' where there is nothing to say. */
export interface DamageReport {
  readonly text: string;
  /** Damaged archives that are kept aside. */
  readonly quarantined: readonly string[];
}

/** An archive that was opened. */
export interface ArchiveOpenReport extends DamageReport {
  /** The highest mark that is in use. */
  readonly mark: number;
  /** Whether records of an untrusted clock of this run of the machine wait to be mended. */
  readonly isMarked: boolean;
}

/** From which age on a variable's records are thinned to what; kinds are the interface's numbers. */
export interface CompactionRule {
  readonly months: number;
  readonly kind: number;
}

/** The requests that the archive's worker serves. */
export interface ArchiveRequests {
  open: { request: { directory: string; nowMs: number }; reply: ArchiveOpenReport };
  /** Writes records, in one transaction with those clocks; `isPresent`: only those that differ from the newest. */
  write: {
    request: { records: RecordBatch; clocks: readonly UntrustedClock[]; isPresent: boolean; nowMs?: number };
    reply: DamageReport;
  };
  logged: { request: { range: RecordRange }; reply: LoggedRows };
  records: { request: { range: RecordRange }; reply: RecordPage };
  aggregated: { request: { range: AggregationRange }; reply: { fields: Float64Array } };
  facts: { request: object; reply: { series: readonly SeriesStatistics[] } };
  /** Variables that have records. */
  variables: { request: object; reply: { ids: readonly number[] } };
  delete: { request: { variableId: number; fromMs: number; toMs: number }; reply: { count: number } };
  move: { request: { variableId: number; toId: number }; reply: object };
  /** The time is known: what was recorded by untrusted clocks of this run of the machine gets its right time. */
  mend: { request: { offsetMs: number }; reply: { count: number } };
  /** A small step of thinning; `more`: there are others. */
  compact: {
    request: { variableId: number; rule: CompactionRule; counter: boolean; nowMs: number };
    reply: { more: boolean };
  };
  /** Summaries are made anew, some at a time from that number on; `next` is undefined at the end. */
  resum: { request: { variableId: number; after: number }; reply: { next: number | undefined } };
  status: { request: object; reply: { bytes: number | undefined } };
  close: { request: object; reply: object };
}
