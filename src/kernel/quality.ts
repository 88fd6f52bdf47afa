/** Whether a variable's value may be relied on, by the numbers of `GW_GetQuality` and message 20400. */
export const quality = { good: 0, stale: 1, bad: 2 } as const;

/** Why a value is not good. Immutable, and shared by all variables that it holds for. */
export interface QualityProblem {
  /** Stale: true once, and perhaps no longer. Bad: nothing is known. */
  readonly state: typeof quality.stale | typeof quality.bad;
  /** Stable, in capitals: `UNREACHABLE`, `OVERDUE`, `UNREADABLE` … */
  readonly reason: string;
  /** What is wrong, in words. */
  readonly text: string;
}

/** When a value was so and when it came, unix milliseconds, by the clock as it was then. */
export interface ReportTimes {
  sourceMs: number;
  receivedMs: number;
}
