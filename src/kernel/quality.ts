/** Quality of a variable's value, as in `GW_GetQuality` and message 20400. */
export const quality = { good: 0, stale: 1, bad: 2 } as const;

/** Why a value is not good. Immutable, shared by all variables it applies to. */
export interface QualityProblem {
  /** Stale: the value was correct once and may have changed. Bad: nothing is known. */
  readonly state: typeof quality.stale | typeof quality.bad;
  /** Stable, in capitals: `UNREACHABLE`, `OVERDUE`, `UNREADABLE` … */
  readonly reason: string;
  /** What is wrong, in words. */
  readonly text: string;
}

/** When a value was measured and when it was received, unix milliseconds by the clock at that time. */
export interface ReportTimes {
  sourceMs: number;
  receivedMs: number;
}
