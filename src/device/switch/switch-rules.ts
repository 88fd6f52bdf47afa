import type { PendingChange, RuleInForce } from '../../kernel/quality.js';

/** The rules of one output, in milliseconds; 0 means no rule. */
export interface SwitchRules {
  /** The minimum time in the active state before a command switches it off. */
  readonly minOnMs: number;
  /** The minimum time in the inactive state before it is switched on. */
  readonly minOffMs: number;
  /** After this time in the active state it goes inactive by itself, regardless of other rules. */
  readonly maxOnMs: number;
  /** The output is a pulse of the maximum on time: a repeated on is rejected while the pulse lasts. */
  readonly isPulse: boolean;
  /** The interlock group, empty for none, and its dead time. */
  readonly group: string;
  readonly deadTimeMs: number;
}

/** The state of the rules, as records and as texts; a text is empty if there is nothing to report. */
export interface RuleStatus {
  readonly inForce: RuleInForce | undefined;
  readonly scheduled: PendingChange | undefined;
  /** The rule that forbids the next command, and until when. */
  readonly rule: string;
  /** The scheduled change, and when it happens. */
  readonly pending: string;
  /** When the output goes inactive by itself: unix seconds, 0 for never. */
  readonly offAt: number;
}

/** The status of an output without a rule in force. */
export const noRule: RuleStatus = {
  inForce: undefined,
  scheduled: undefined,
  rule: '',
  pending: '',
  offAt: 0,
};
