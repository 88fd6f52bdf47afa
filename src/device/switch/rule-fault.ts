import { Fault, faults } from '../../base/fault.js';
import type { RuleInForce } from '../../kernel/quality.js';

/** The rejection of a command by a rule; its texts for the owner, and for users who see only a part of the tree. */
export interface Rejection {
  readonly rule: RuleInForce;
  /** The name of the rule. */
  readonly name: string;
  /** Why it applies. */
  readonly why: string;
  /** As `why`, without names of other objects. */
  readonly generalWhy: string;
}

/** Creates the fault of a rejected command. Its details are the record of the rule. */
export function ruleFault({ rule: { code, untilMs, group }, name, why, generalWhy }: Rejection): Fault {
  const { text } = faults.RULE_FORBIDS;
  const details = { rule: code, untilMs, group };
  return new Fault('RULE_FORBIDS', text(name, why), { general: text(name, generalWhy), details });
}
