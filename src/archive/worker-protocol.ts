import type { Compaction } from '../kernel/object.js';
import type { RecordRun, StoredValue } from './codec.js';
import type { aggregationSpan } from './buckets.js';

/** Records of several variables in order of arrival; booleans are 0 and 1. */
export interface RecordBatch extends RecordRun {
  readonly ids: number[];
}

/** An untrusted clock: wall clock minus monotonic clock, ms. */
export interface UntrustedClock {
  readonly mark: number;
  readonly offsetMs: number;
}

/** A range of records of a variable, both ends included. Unix milliseconds. */
export interface RecordRange {
  readonly id: number;
  readonly isText: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  readonly nowMs: number;
  /** Buffered records of the variable, which are not on the disk yet. */
  readonly waiting: RecordRun;
}

/** A range of records and how it is aggregated. */
export interface AggregationRange extends RecordRange {
  readonly span: (typeof aggregationSpan)[keyof typeof aggregationSpan];
  readonly counter: boolean;
  readonly ignoreZeros: boolean;
}

/** Records of one variable, newest first. */
export interface LoggedRows {
  readonly times: Float64Array;
  /** How long each value lasted, ms. */
  readonly durations: Float64Array;
  readonly values: Float64Array | readonly StoredValue[];
}

/** Records of one variable, oldest first. */
export interface RecordPage {
  readonly run: RecordRun;
  /** Whether the range has more records. */
  readonly more: boolean;
}

/** Statistics of the stored records of a variable. */
export interface SeriesStatistics {
  readonly id: number;
  /** Unix milliseconds. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
  readonly bytes: number;
}

/** Damage of an archive. `text` is for log and health; '' if there is none. */
export interface DamageReport {
  readonly text: string;
  /** Names of quarantined archives: damaged ones, and those of newer versions. */
  readonly quarantined: readonly string[];
  readonly newer: readonly string[];
}

/** The result of opening an archive. */
export interface ArchiveOpenReport extends DamageReport {
  /** The highest mark in use. */
  readonly mark: number;
  /** Whether there are records of an untrusted clock since the boot, whose times are to be corrected. */
  readonly isMarked: boolean;
}

/** The requests that the archive's worker serves. */
export interface ArchiveRequests {
  open: { request: { directory: string; nowMs: number }; reply: ArchiveOpenReport };
  /**
   * Writes records and clocks in one transaction. `updatedMs`: these are present values, with the times of their
   * updates by variable; one is written only if it differs from the newest record and is not older.
   */
  write: {
    request: {
      records: RecordBatch;
      clocks: readonly UntrustedClock[];
      updatedMs?: ReadonlyMap<number, number> | undefined;
      nowMs?: number;
    };
    reply: DamageReport;
  };
  logged: { request: { range: RecordRange }; reply: LoggedRows };
  records: { request: { range: RecordRange }; reply: RecordPage };
  aggregated: { request: { range: AggregationRange }; reply: { fields: Float64Array } };
  statistics: { request: object; reply: { series: readonly SeriesStatistics[] } };
  /** The ids of the variables that have records. */
  variables: { request: object; reply: { ids: readonly number[] } };
  delete: { request: { variableId: number; fromMs: number; toMs: number }; reply: { count: number } };
  move: { request: { variableId: number; toId: number }; reply: object };
  /** Corrects the times of records from untrusted clocks since the boot. */
  correctTimes: { request: { offsetMs: number }; reply: { count: number } };
  /** One step of downsampling; `more`: there are more steps. */
  compact: {
    request: { variableId: number; rule: Compaction; counter: boolean; nowMs: number };
    reply: { more: boolean };
  };
  /**
   * Rebuilds some summaries from a chunk number on; `next` is undefined at the end, `count` is their number,
   * and the first reply has the number of all.
   */
  rebuildSummaries: {
    request: { variableId: number; after: number };
    reply: { next: number | undefined; count: number; total?: number };
  };
  status: { request: object; reply: { bytes: number | undefined } };
  close: { request: object; reply: object };
}
