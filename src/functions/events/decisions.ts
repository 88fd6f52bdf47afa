import { recordOf } from '../../base/codes/coded-text.js';
import { declare, int, type FunctionDeclaration, type ReadonlyStatic } from '../../device/declare.js';
import type { Decision } from '../../events/decision-log.js';
import { areConditionsMet, conditionStates, type RuleState } from '../../kernel/events/conditions.js';
import type { Ports } from '../ports.js';
import { eventDecisions } from './event-shape.js';

type DecisionRecord = ReadonlyStatic<typeof eventDecisions>['Decisions'][number];

/** Why events run or do not run. */
export function eventDecisionFunctions({ kernel, clock, events }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetEventDecisions',
      parameters: [int('EventID')],
      result: 'array',
      shape: eventDecisions,
      help: 'Whether an event can run, which of its conditions are met now, and the last decisions to run it or not, with the reasons.',
      run: async (_caller, id) => {
        kernel.events.get(id);
        const engine = await events();
        const event = kernel.events.get(id);
        const { conditions, lastRun, nextRun } = event.data;
        const nowMs = clock.nowMs();
        return {
          EventID: id,
          State: engine.stateOf(event),
          LastRun: lastRun,
          NextRun: nextRun,
          AreConditionsMet: areConditionsMet(conditions, kernel.tree, nowMs),
          Conditions: conditionStates(conditions, kernel.tree, nowMs).map(({ condition, isMet, rules }) => ({
            ID: condition.id,
            ParentID: condition.parentId,
            IsMet: isMet,
            Rules: rules.map(ruleRecord),
          })),
          Decisions: engine.decisionsOf(event).map(decisionRecord).reverse(),
        };
      },
    }),
  ];
}

function ruleRecord({ kind, id, isMet, current }: RuleState) {
  return { Kind: kind, ID: id, IsMet: isMet, ...(current !== undefined && { Current: current }) };
}

function decisionRecord({ atMs, count, cause, verdict }: Decision): DecisionRecord {
  const { trigger, variableId, value, oldValue, actionId } = cause;
  const { outcome, conditionId, rule, text, durationMs } = verdict;
  return {
    TimeMs: atMs,
    Count: count,
    Trigger: trigger,
    ...(variableId !== undefined && { VariableID: variableId }),
    ...(value !== undefined && { Value: value }),
    ...(oldValue !== undefined && { OldValue: oldValue }),
    ...(actionId !== undefined && { ActionID: actionId }),
    Outcome: outcome,
    ...(conditionId !== undefined && { ConditionID: conditionId }),
    ...(rule !== undefined && { RuleKind: rule.kind, RuleID: rule.id }),
    ...(rule?.current !== undefined && { Current: rule.current }),
    ...(text !== undefined && { Text: text.text, CodedText: recordOf(text) }),
    ...(durationMs !== undefined && { DurationMs: durationMs }),
  };
}
