import type { PendingCode, QualityReason, RuleCode } from '../base/codes/stable-codes.js';
import type { Value } from './value.js';

/** Quality of a variable's value, as in `GW_GetQuality` and message 20400. */
export const quality = { good: 0, stale: 1, bad: 2 } as const;

/** Why a value is not good. Immutable, shared by all variables it applies to. */
export interface QualityProblem {
  /** Stale: the value was correct once and may have changed. Bad: nothing is known. */
  readonly state: typeof quality.stale | typeof quality.bad;
  readonly reason: QualityReason;
  /** What is wrong, in words. */
  readonly text: string;
}

/** When a value was measured and when it was received, unix milliseconds by the clock at that time. */
export interface ReportTimes {
  sourceMs: number;
  receivedMs: number;
}

/** The rule that would reject a command for a variable now. Immutable. */
export interface RuleInForce {
  readonly code: RuleCode;
  /** When it ends, unix milliseconds; 0 if that is not known. */
  readonly untilMs: number;
  /** The name of the interlock group, as its owner configured it; empty if the rule has none. */
  readonly group: string;
}

/** A change of a variable's value that is scheduled. Immutable. */
export interface PendingChange {
  readonly value: Value;
  /** When it happens, unix milliseconds; 0 if that is not known. */
  readonly atMs: number;
  readonly code: PendingCode;
}
