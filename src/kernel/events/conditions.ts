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
  if (conditions.length === 0) return true;
  const now = { tree, date: new Date(nowMs) };
  const below = new Map<number, Condition[]>();
  const top: Condition[] = [];
  for (const condition of conditions) {
    if (condition.parentId === condition.id) top.push(condition);
    else below.set(condition.parentId, [...(below.get(condition.parentId) ?? []), condition]);
  }
  const isMet = ({ id, operation, rules }: Condition): boolean => {
    const parts = function* () {
      yield* evaluateRules(rules, now);
      for (const part of below.get(id) ?? []) yield isMet(part);
    };
    return combine(operation, parts());
  };
  return top.every(isMet);
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

function* evaluateRules({ variable, date, time, dayOfTheWeek }: Rules, now: Now): Generator<boolean> {
  for (const rule of variable) yield isVariableRuleMet(rule, now);
  const { date: at } = now;
  const monthAndDay = (at.getMonth() + 1) * 100 + at.getDate();
  for (const { value, comparison: how } of date) {
    const expected = value.month * 100 + value.day;
    yield value.year === 0
      ? matches(how, monthAndDay - expected)
      : matches(how, at.getFullYear() * 10_000 + monthAndDay - (value.year * 10_000 + expected));
  }
  const second = (at.getHours() * 60 + at.getMinutes()) * 60 + at.getSeconds();
  for (const { value, comparison: how } of time)
    yield matches(how, second - ((value.hour * 60 + value.minute) * 60 + value.second));
  const day = at.getDay() === 0 ? 7 : at.getDay();
  for (const { value, comparison: how } of dayOfTheWeek) yield matches(how, day - value);
}

/** A rule with a deleted variable is not met. */
function isVariableRuleMet(
  { variableId, value, comparison: how, type }: VariableRule,
  { tree }: Now,
): boolean {
  const current = valueOf(tree, variableId);
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
