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
  const holds = ({ id, operation, rules }: Condition): boolean => {
    const parts = function* () {
      yield* rulesHold(rules, now);
      for (const part of below.get(id) ?? []) yield holds(part);
    };
    return together(operation, parts());
  };
  return top.every(holds);
}

interface Now {
  readonly tree: Tree;
  readonly date: Date;
}

/** Combines the parts by an operation, and evaluates only as many as needed. */
function together(operation: number, parts: Iterator<boolean>): boolean {
  // AND and NAND are decided by the first part that is not met, OR and NOR by the first one that is.
  const settling = operation === conditionOperation.or || operation === conditionOperation.nor;
  const isNegated = operation === conditionOperation.nand || operation === conditionOperation.nor;
  let part = parts.next();
  if (part.done === true) return true;
  for (; part.done !== true; part = parts.next()) if (part.value === settling) return settling !== isNegated;
  return settling === isNegated;
}

function* rulesHold({ variable, date, time, dayOfTheWeek }: Rules, now: Now): Generator<boolean> {
  for (const rule of variable) yield variableHolds(rule, now);
  const { date: at } = now;
  const monthAndDay = (at.getMonth() + 1) * 100 + at.getDate();
  for (const { value, comparison: how } of date) {
    const wanted = value.month * 100 + value.day;
    yield value.year === 0
      ? compared(how, monthAndDay - wanted)
      : compared(how, at.getFullYear() * 10_000 + monthAndDay - (value.year * 10_000 + wanted));
  }
  const second = (at.getHours() * 60 + at.getMinutes()) * 60 + at.getSeconds();
  for (const { value, comparison: how } of time)
    yield compared(how, second - ((value.hour * 60 + value.minute) * 60 + value.second));
  const day = at.getDay() === 0 ? 7 : at.getDay();
  for (const { value, comparison: how } of dayOfTheWeek) yield compared(how, day - value);
}

/** A rule with a deleted variable is not met. */
function variableHolds({ variableId, value, comparison: how, type }: VariableRule, { tree }: Now): boolean {
  const mine = valueOf(tree, variableId);
  const other = type === ruleType.dynamic ? valueOf(tree, Number(value)) : value;
  if (mine === undefined || other === undefined) return false;
  const difference = differenceOf(mine, other);
  return difference === undefined ? how === comparison.notEqual : compared(how, difference);
}

function valueOf(tree: Tree, id: number): Value | undefined {
  const variable = tree.find(id);
  return variable?.is(objectType.variable) ? variable.data.value : undefined;
}

/** Negative, 0 or positive; undefined if the values cannot be compared. False is 0, true is 1. */
function differenceOf(mine: Value, other: Value): number | undefined {
  if (typeof mine === 'string' && typeof other === 'string') return mine < other ? -1 : mine > other ? 1 : 0;
  const [a, b] = [numberFrom(mine), numberFrom(other)];
  return a === undefined || b === undefined ? undefined : a < b ? -1 : a > b ? 1 : 0;
}

function numberFrom(value: Value): number | undefined {
  if (typeof value !== 'string') return Number(value);
  const word = booleanOf(value);
  return word === undefined ? numberOf(value) : Number(word);
}

function compared(how: number, difference: number): boolean {
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
