import { coded, type CodedText, type Text } from '../../base/codes/coded-text.js';
import { Fault, fault } from '../../base/fault.js';
import type { RuleCode } from '../../base/codes/stable-codes.js';
import type { RuleInForce } from '../../kernel/quality.js';

/** The rejection of a command by a rule; its texts for the owner, and for users who see only a part of the tree. */
export interface Rejection {
  readonly rule: RuleInForce;
  /** The name of the rule. */
  readonly name: Text;
  /** Why it applies. */
  readonly why: Text;
  /** As `why`, without names of other objects. */
  readonly generalWhy: Text;
}

/** The names of the rules that end by time, in texts. */
export const ruleNames = {
  MIN_ON: coded`RULE_MIN_ON: minimum on time`,
  MIN_OFF: coded`RULE_MIN_OFF: minimum off time`,
  PULSE: coded`RULE_PULSE: one pulse at a time`,
} as const satisfies Partial<Record<RuleCode, CodedText>>;
export type TimedRule = keyof typeof ruleNames;

/** Creates the fault of a rejected command. Its details are the record of the rule. */
export function ruleFault({ rule: { code, untilMs, group }, name, why, generalWhy }: Rejection): Fault {
  const { message, parameters = [] } = fault('RULE_FORBIDS', name, why);
  const general = fault('RULE_FORBIDS', name, generalWhy).message;
  const details = { rule: code, untilMs, group };
  return new Fault('RULE_FORBIDS', message, { parameters, general, details });
}
