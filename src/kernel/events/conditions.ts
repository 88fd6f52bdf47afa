import { booleanOf, numberOf } from '../convert.js';
import {
  comparison,
  conditionOperation,
  ruleType,
  type Condition,
  type Rules,
  type VariableRule,
} from './event-data.js';
import { objectType } from '../object.js';
import type { Tree } from '../tree.js';
import type { Value } from '../value.js';

/**
 * Whether conditions are met at a time (unix milliseconds; dates and times are local). All top-level
 * conditions must be met. A condition without rules and subconditions is met, and so is an empty list
 * (interface §5).
 */
export function areConditionsMet(conditions: readonly Condition[], tree: Tree, nowMs: number): boolean {
  return unmetCondition(conditions, tree, nowMs) === undefined;
}

/** A condition that is not met, and the rule if a single one is the reason. */
interface UnmetCondition {
  readonly condition: Condition;
  readonly rule?: RuleState;
}

/**
 * The condition because of which {@link areConditionsMet} is false; undefined if it is true. Evaluates only as
 * many rules as needed.
 */
export function unmetCondition(
  conditions: readonly Condition[],
  tree: Tree,
  nowMs: number,
): UnmetCondition | undefined {
  if (conditions.length === 0) return undefined;
  const now = { tree, date: new Date(nowMs) };
  const below = subconditions(conditions);
  const unmet = (condition: Condition): UnmetCondition | undefined => {
    const { id, operation, rules } = condition;
    const parts = below.get(id) ?? [];
    if (operation === conditionOperation.and) {
      for (const rule of evaluateRules(rules, now)) if (!rule.isMet) return { condition, rule };
      return firstDefined(parts, unmet);
    }
    const evaluated: RuleState[] = [];
    const results = function* () {
      for (const rule of evaluateRules(rules, now)) {
        evaluated.push(rule);
        yield rule.isMet;
      }
      for (const part of parts) yield unmet(part) === undefined;
    };
    if (combine(operation, results())) return undefined;
    const isSingle = Object.values(rules).flat().length + parts.length === 1;
    return isSingle && evaluated[0] !== undefined ? { condition, rule: evaluated[0] } : { condition };
  };
  return firstDefined(conditions.filter(isTop), unmet);
}

function firstDefined<T, R>(items: readonly T[], convert: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = convert(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** A rule at a time: whether it is met, and what it compares. */
export interface RuleState {
  readonly kind: keyof Rules;
  readonly id: number;
  readonly isMet: boolean;
  /** The variable's value, `2026-11-23`, `06:30:00` or the day of the week; absent for a deleted variable. */
  readonly current?: Value;
}

/** A condition at a time, and its rules. */
interface ConditionState {
  readonly condition: Condition;
  readonly isMet: boolean;
  readonly rules: readonly RuleState[];
}

/** Evaluates all conditions and rules, in their order. As {@link areConditionsMet}. */
export function conditionStates(
  conditions: readonly Condition[],
  tree: Tree,
  nowMs: number,
): ConditionState[] {
  const now = { tree, date: new Date(nowMs) };
  const below = subconditions(conditions);
  const rulesOf = new Map(conditions.map(({ id, rules }) => [id, [...evaluateRules(rules, now)]]));
  const isMet = ({ id, operation }: Condition): boolean => {
    const rules = (rulesOf.get(id) ?? []).map((rule) => rule.isMet);
    return combine(operation, [...rules, ...(below.get(id) ?? []).map(isMet)].values());
  };
  return conditions.map((condition) => ({
    condition,
    isMet: isMet(condition),
    rules: rulesOf.get(condition.id) ?? [],
  }));
}

function isTop({ id, parentId }: Condition): boolean {
  return parentId === id;
}

function subconditions(conditions: readonly Condition[]): ReadonlyMap<number, readonly Condition[]> {
  return Map.groupBy(
    conditions.filter((condition) => !isTop(condition)),
    ({ parentId }) => parentId,
  );
}

interface Now {
  readonly tree: Tree;
  readonly date: Date;
}

/** Combines the parts by an operation, and evaluates only as many as needed. */
function combine(operation: number, parts: Iterator<boolean>): boolean {
  // AND and NAND are decided by the first part that is not met, OR and NOR by the first one that is.
  const deciding = operation === conditionOperation.or || operation === conditionOperation.nor;
  const isNegated = operation === conditionOperation.nand || operation === conditionOperation.nor;
  let part = parts.next();
  if (part.done === true) return true;
  for (; part.done !== true; part = parts.next()) if (part.value === deciding) return deciding !== isNegated;
  return deciding === isNegated;
}

function* evaluateRules(rules: Rules, { tree, date: at }: Now): Generator<RuleState> {
  for (const rule of rules.variable) {
    const current = valueOf(tree, rule.variableId);
    yield {
      kind: 'variable',
      id: rule.id,
      isMet: isVariableRuleMet(rule, current, tree),
      ...(current !== undefined && { current }),
    };
  }
  const monthAndDay = (at.getMonth() + 1) * 100 + at.getDate();
  for (const { id, value, comparison: how } of rules.date) {
    const expected = value.month * 100 + value.day;
    const isMet =
      value.year === 0
        ? matches(how, monthAndDay - expected)
        : matches(how, at.getFullYear() * 10_000 + monthAndDay - (value.year * 10_000 + expected));
    yield { kind: 'date', id, isMet, current: isoOf(at.getFullYear(), at.getMonth() + 1, at.getDate()) };
  }
  const second = (at.getHours() * 60 + at.getMinutes()) * 60 + at.getSeconds();
  for (const { id, value, comparison: how } of rules.time) {
    const isMet = matches(how, second - ((value.hour * 60 + value.minute) * 60 + value.second));
    yield { kind: 'time', id, isMet, current: at.toTimeString().slice(0, 8) };
  }
  const day = at.getDay() === 0 ? 7 : at.getDay();
  for (const { id, value, comparison: how } of rules.dayOfTheWeek)
    yield { kind: 'dayOfTheWeek', id, isMet: matches(how, day - value), current: day };
}

function isoOf(year: number, month: number, day: number): string {
  return [year, month, day].map((part) => String(part).padStart(2, '0')).join('-');
}

/** A rule with a deleted variable is not met. */
function isVariableRuleMet(
  { value, comparison: how, type }: VariableRule,
  current: Value | undefined,
  tree: Tree,
): boolean {
  const other = type === ruleType.dynamic ? valueOf(tree, Number(value)) : value;
  if (current === undefined || other === undefined) return false;
  const difference = differenceOf(current, other);
  return difference === undefined ? how === comparison.notEqual : matches(how, difference);
}

function valueOf(tree: Tree, id: number): Value | undefined {
  const variable = tree.find(id);
  return variable?.is(objectType.variable) ? variable.data.value : undefined;
}

/** Negative, 0 or positive; undefined if the values cannot be compared. False is 0, true is 1. */
function differenceOf(current: Value, other: Value): number | undefined {
  if (typeof current === 'string' && typeof other === 'string')
    return current < other ? -1 : current > other ? 1 : 0;
  const [a, b] = [numberFrom(current), numberFrom(other)];
  return a === undefined || b === undefined ? undefined : a < b ? -1 : a > b ? 1 : 0;
}

function numberFrom(value: Value): number | undefined {
  if (typeof value !== 'string') return Number(value);
  const word = booleanOf(value);
  return word === undefined ? numberOf(value) : Number(word);
}

function matches(how: number, difference: number): boolean {
  switch (how) {
    case comparison.equal:
      return difference === 0;
    case comparison.notEqual:
      return difference !== 0;
    case comparison.greater:
      return difference > 0;
    case comparison.greaterOrEqual:
      return difference >= 0;
    case comparison.smaller:
      return difference < 0;
    case comparison.smallerOrEqual:
      return difference <= 0;
    default:
      return false;
  }
}
