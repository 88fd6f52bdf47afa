import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { declare, int, text, variant, type FunctionDeclaration } from '../../device/declare.js';
import { areConditionsMet } from '../../kernel/events/conditions.js';
import { convertValue } from '../../kernel/convert.js';
import { ruleType, type Condition, type Rules, type VariableRule } from '../../kernel/events/event-data.js';
import { checkBounds } from '../argument-checks.js';
import { conditionsFrom } from './condition-parser.js';
import { comparisons, conditionOperations } from '../enumerations.js';
import { withEntry } from './schedules.js';
import { checkDate, checkTime } from './cyclic-times.js';
import type { Ports } from '../ports.js';

/** A leap year: rules without a year may name 29 February. */
const LEAP_YEAR = 2000;
/** Maximum depth of nested conditions. */
const NESTING_LIMIT = 32;

/**
 * Conditions of events (interface §5, §9). An entry with a known ID is changed, any other ID adds one; the
 * help of each function says how to remove one.
 */
export function eventConditionFunctions(ports: Ports): FunctionDeclaration[] {
  return [condition(ports), ...variableRules(ports), ...clockRules(ports), passing(ports)];
}

function condition({ kernel }: Ports): FunctionDeclaration {
  return declare({
    name: 'SVC_SetEventCondition',
    parameters: [int('EventID'), int('ConditionID'), int('ParentID'), int('Operation', conditionOperations)],
    result: 'boolean',
    audited: true,
    help: 'Adds or changes a condition; with its own ID as ParentID it is at the top level; -1 removes it with all conditions below.',
    run: (_caller, id, conditionId, parentId, operation) => {
      const event = kernel.events.get(id);
      const { conditions } = event.data;
      checkBounds('ConditionID', conditionId, [0, Number.MAX_SAFE_INTEGER]);
      if (parentId < 0) {
        kernel.events.set(event, { conditions: withoutBranch(conditions, conditionId) });
        return true;
      }
      checkParent(conditions, [id, conditionId, parentId]);
      const { rules } = conditions.find((one) => one.id === conditionId) ?? { rules: noRules };
      kernel.events.set(event, {
        conditions: withEntry(conditions, { id: conditionId, parentId, operation, rules }),
      });
      return true;
    },
  });
}

const noRules: Rules = { variable: [], date: [], time: [], dayOfTheWeek: [] };

/**
 * Throws `EVENT_PART_MISSING` for an unknown parent, and `NOT_ALLOWED` for one below the condition or nested
 * too deep.
 */
function checkParent(
  conditions: readonly Condition[],
  [eventId, conditionId, parentId]: readonly [number, number, number],
): void {
  if (parentId === conditionId) return;
  let at = parentId;
  for (let depth = 1; depth < NESTING_LIMIT; depth++) {
    const parent = conditions.find(({ id }) => id === at);
    if (parent === undefined)
      throw fault('EVENT_PART_MISSING', coded`WHAT_CONDITION_OF_EVENT: Condition ${at} of event #${eventId}`);
    if (parent.parentId === conditionId)
      throw fault('NOT_ALLOWED', coded`WHAT_CONDITION_BELOW_ITSELF: A condition below itself`);
    if (parent.parentId === at) return;
    at = parent.parentId;
  }
  throw fault(
    'NOT_ALLOWED',
    coded`WHAT_CONDITION_TOO_DEEP: A condition more than ${NESTING_LIMIT} levels deep`,
  );
}

function withoutBranch(conditions: readonly Condition[], id: number): readonly Condition[] {
  const gone = new Set([id]);
  // A condition may precede its parent in the list.
  for (let size = 0; size !== gone.size;) {
    size = gone.size;
    for (const one of conditions) if (gone.has(one.parentId)) gone.add(one.id);
  }
  return conditions.filter((one) => !gone.has(one.id));
}

/** Identifies a rule of an event. */
type Place = readonly [eventId: number, conditionId: number, ruleId: number];

/** Adds or replaces a rule of a condition; undefined removes the rule with that id. */
function putRule<K extends keyof Rules>(
  { kernel }: Ports,
  [eventId, conditionId, ruleId]: Place,
  [kind, rule]: readonly [K, Omit<Rules[K][number], 'id'> | undefined],
): true {
  const event = kernel.events.get(eventId);
  const { conditions } = event.data;
  const condition = conditions.find(({ id }) => id === conditionId);
  if (condition === undefined)
    throw fault(
      'EVENT_PART_MISSING',
      coded`WHAT_CONDITION_OF_EVENT: Condition ${conditionId} of event #${eventId}`,
    );
  checkBounds('RuleID', ruleId, [0, Number.MAX_SAFE_INTEGER]);
  const known = condition.rules[kind] as readonly { readonly id: number }[];
  const rules =
    rule === undefined ? known.filter(({ id }) => id !== ruleId) : withEntry(known, { ...rule, id: ruleId });
  kernel.events.set(event, {
    conditions: withEntry(conditions, { ...condition, rules: { ...condition.rules, [kind]: rules } }),
  });
  return true;
}

function variableRules(ports: Ports): FunctionDeclaration[] {
  const { kernel } = ports;
  const place = [int('EventID'), int('ConditionID'), int('RuleID'), int('VariableID')] as const;
  const Comparison = int('Comparison', comparisons);
  const put = (at: Place, rule: Omit<VariableRule, 'id'> | undefined) =>
    putRule(ports, at, ['variable', rule]);
  const fixed = (name: string, help: string) =>
    declare({
      name,
      parameters: [...place, Comparison, variant('Value')],
      result: 'boolean',
      audited: true,
      help,
      run: (_caller, id, conditionId, ruleId, variableId, comparison, given) => {
        const at: Place = [id, conditionId, ruleId];
        if (variableId === 0) return put(at, undefined);
        const value = convertValue(kernel.variables.get(variableId).data.type, given);
        return put(at, { variableId, comparison, value, type: ruleType.static });
      },
    });
  return [
    fixed(
      'SVC_SetEventConditionVariableRule',
      'Adds or changes a rule that compares a variable with a value; a VariableID of 0 removes it.',
    ),
    fixed('SVC_SetEventConditionVariableStaticRule', 'Like SVC_SetEventConditionVariableRule.'),
    declare({
      name: 'SVC_SetEventConditionVariableDynamicRule',
      parameters: [...place, Comparison, int('CompareVariableID')],
      result: 'boolean',
      audited: true,
      help: 'Adds or changes a rule that compares two variables; a VariableID of 0 removes it.',
      run: (_caller, id, conditionId, ruleId, variableId, comparison, otherId) => {
        const at: Place = [id, conditionId, ruleId];
        if (variableId === 0) return put(at, undefined);
        kernel.variables.get(variableId);
        const value = kernel.variables.get(otherId).id;
        return put(at, { variableId, comparison, value, type: ruleType.dynamic });
      },
    }),
  ];
}

function clockRules(ports: Ports): FunctionDeclaration[] {
  const place = [int('EventID'), int('ConditionID'), int('RuleID'), int('Comparison', comparisons)] as const;
  return [
    declare({
      name: 'SVC_SetEventConditionDateRule',
      parameters: [...place, int('Day'), int('Month'), int('Year')],
      result: 'boolean',
      audited: true,
      help: 'Adds or changes a rule that compares the date; year 0: every year; all 0 removes it.',
      run: (_caller, id, conditionId, ruleId, comparison, ...[day, month, year]) => {
        const at: Place = [id, conditionId, ruleId];
        if (day === 0 && month === 0 && year === 0) return putRule(ports, at, ['date', undefined]);
        const value = { day, month, year };
        checkDate(year === 0 ? { ...value, year: LEAP_YEAR } : value);
        return putRule(ports, at, ['date', { comparison, value }]);
      },
    }),
    declare({
      name: 'SVC_SetEventConditionTimeRule',
      parameters: [...place, int('Hour'), int('Minute'), int('Second')],
      result: 'boolean',
      audited: true,
      help: 'Adds or changes a rule that compares the time of day; an hour of -1 removes it.',
      run: (_caller, id, conditionId, ruleId, comparison, ...[hour, minute, second]) => {
        const at: Place = [id, conditionId, ruleId];
        if (hour < 0) return putRule(ports, at, ['time', undefined]);
        const value = { hour, minute, second };
        checkTime(value);
        return putRule(ports, at, ['time', { comparison, value }]);
      },
    }),
    declare({
      name: 'SVC_SetEventConditionDayOfTheWeekRule',
      parameters: [...place, int('Value')],
      result: 'boolean',
      audited: true,
      help: 'Adds or changes a rule that compares the day of the week (1 Monday … 7 Sunday); 0 removes it.',
      run: (_caller, id, conditionId, ruleId, comparison, value) => {
        const at: Place = [id, conditionId, ruleId];
        checkBounds('Value', value, [0, 7]);
        return putRule(ports, at, ['dayOfTheWeek', value === 0 ? undefined : { comparison, value }]);
      },
    }),
  ];
}

function passing({ kernel, clock }: Ports): FunctionDeclaration {
  return declare({
    name: 'SVC_IsConditionPassing',
    parameters: [text('Conditions')],
    result: 'boolean',
    help: 'Whether conditions, given as JSON, are met now; an empty list is met.',
    run: (_caller, conditions) => areConditionsMet(conditionsFrom(conditions), kernel.tree, clock.nowMs()),
  });
}
