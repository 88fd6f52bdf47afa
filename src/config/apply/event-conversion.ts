import { convertValue } from '../../kernel/convert.js';
import {
  cyclicDate,
  cyclicTime,
  ruleType,
  type Condition,
  type Cyclic,
  type EventDate,
  type EventTime,
  type Rules,
  type ScheduleAction,
  type Schedule,
  type Trigger,
} from '../../kernel/events/event-data.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { TreeObject } from '../../kernel/object.js';
import {
  comparisons,
  operations,
  parseColor,
  triggerNames,
  weekDays,
  type ActionConfig,
  type ConditionConfig,
  type CyclicConfig,
  type ScheduleConfig,
} from '../schema/event-schema.js';
import type { EventNode } from '../schema/gateway-schema.js';

/**
 * Resolves an action by name and parameters, in the form that events store. Throws for an unknown action or
 * parameters it does not accept.
 */
export type ActionOf = (
  name: string,
  parameters: Readonly<Record<string, unknown>>,
) => Promise<{ readonly actionId: string; readonly actionParameters: Readonly<Record<string, unknown>> }>;

/** The object at an ident path. Throws an Error if there is none. */
export function objectAt(path: string, kernel: Kernel): TreeObject {
  const found = kernel.tree.findByPath(path);
  if (found === undefined) throw new Error(`there is no object at ${path}`);
  return found;
}

/**
 * Converts the trigger of a listed event; an empty path means no variable. Throws an Error that names the
 * problem.
 */
export function triggerOf(
  { variable, on, value, subsequent = true }: NonNullable<EventNode['trigger']>,
  kernel: Kernel,
): Partial<Trigger> {
  const type = triggerNames.indexOf(on);
  // Once it has a variable of another type, it gets that type's initial value.
  if (variable === '') return { variableId: 0, type, subsequent, ...(value !== undefined && { value }) };
  const { id: variableId, data } = kernel.variables.get(objectAt(variable, kernel).id);
  if (value === undefined) return { variableId, type, subsequent };
  return { variableId, type, subsequent, value: convertValue(data.type, value, 'value') };
}

/** Converts the times of a listed cyclic event: all that `SVC_SetEventCyclic*` sets. */
export function cyclicOf(given: CyclicConfig): Cyclic {
  const { at, everyS, everyMin, everyH, from, to, date, firstDay, lastDay } = given;
  const repeat = [undefined, everyS, everyMin, everyH];
  const timeType = Math.max(
    cyclicTime.once,
    repeat.findIndex((every) => every !== undefined),
  );
  return {
    ...patternOf(given),
    timeType,
    timeValue: repeat[timeType] ?? 0,
    timeFrom: timeOf(at ?? from),
    timeTo: timeOf(to),
    dateFrom: dateOf(date ?? firstDay),
    dateTo: dateOf(lastDay),
  };
}

function patternOf(given: CyclicConfig): Pick<Cyclic, 'dateType' | 'dateValue' | 'dateDay' | 'dateDayValue'> {
  const { date, days = [], everyDays, everyWeeks = 1, everyMonths, month, dayOfMonth, nth } = given;
  const dateDay = maskOf(days);
  const day = { dateDay, dateDayValue: (dateDay === 0 ? dayOfMonth : nth) ?? 1 };
  if (month !== undefined) return { dateType: cyclicDate.year, dateValue: month, ...day };
  if (everyMonths !== undefined) return { dateType: cyclicDate.month, dateValue: everyMonths, ...day };
  if (dateDay !== 0) return { dateType: cyclicDate.week, dateValue: everyWeeks, dateDay, dateDayValue: 0 };
  const rest = { dateDay: 0, dateDayValue: 0 };
  if (everyDays !== undefined) return { dateType: cyclicDate.day, dateValue: everyDays, ...rest };
  return { dateType: date === undefined ? cyclicDate.none : cyclicDate.once, dateValue: 0, ...rest };
}

/**
 * Converts a schedule and resolves its actions. Actions, groups and points are numbered from 1 by default.
 */
export async function scheduleOf(
  { actions, groups }: ScheduleConfig,
  resolve: (action: ActionConfig) => ReturnType<ActionOf>,
): Promise<Schedule> {
  const converted: ScheduleAction[] = [];
  for (const [i, { name, id = i + 1, color = -1, script = '', action }] of actions.entries())
    converted.push({
      id,
      name,
      color: parseColor(color),
      scriptText: script,
      ...(action === undefined ? { actionId: '', actionParameters: {} } : await resolve(action)),
    });
  const idOf = (action: string | number) =>
    (converted.find(({ id, name }) => (typeof action === 'number' ? id : name) === action) as ScheduleAction)
      .id;
  return {
    actions: converted,
    groups: groups.map(({ days, points }, i) => ({
      id: i + 1,
      days: maskOf(days),
      points: points.map(({ at, action }, n) => ({ id: n + 1, start: timeOf(at), actionId: idOf(action) })),
    })),
  };
}

/**
 * Converts conditions to the form that events store, numbered from 0 in file order. Throws an Error
 * that names the problem.
 */
export function conditionsOf(given: readonly ConditionConfig[], kernel: Kernel): Condition[] {
  const converted: Condition[] = [];
  const group = (
    parentId: number | undefined,
    operation: number,
    parts: readonly ConditionConfig[],
  ): void => {
    const id = converted.length;
    const rules = parts.filter((part) => groupOf(part) === undefined);
    converted.push({ id, parentId: parentId ?? id, operation, rules: rulesOf(rules, kernel) });
    for (const part of parts) {
      const [inner, below] = groupOf(part) ?? [];
      if (inner !== undefined && below !== undefined) group(id, inner, below);
    }
  };
  for (const part of given) {
    const [operation = 0, parts = [part]] = groupOf(part) ?? [];
    group(undefined, operation, parts);
  }
  return converted;
}

/** The operation and parts of a group; undefined for a rule. */
function groupOf(part: ConditionConfig): readonly [number, readonly ConditionConfig[]] | undefined {
  for (const [i, word] of operations.entries()) {
    const parts = part[word];
    if (parts !== undefined) return [i, parts];
  }
  return undefined;
}

function rulesOf(parts: readonly ConditionConfig[], kernel: Kernel): Rules {
  const rules = {
    variable: [] as Rules['variable'][number][],
    date: [] as Rules['date'][number][],
    time: [] as Rules['time'][number][],
    dayOfTheWeek: [] as Rules['dayOfTheWeek'][number][],
  };
  for (const { variable, than, date, time, weekday, is = 'equal', value } of parts) {
    const comparison = comparisons.indexOf(is);
    const next = (list: readonly unknown[]) => ({ id: list.length + 1, comparison });
    if (date !== undefined) rules.date.push({ ...next(rules.date), value: dateOf(date) });
    if (time !== undefined) rules.time.push({ ...next(rules.time), value: timeOf(time) });
    if (weekday !== undefined)
      rules.dayOfTheWeek.push({ ...next(rules.dayOfTheWeek), value: weekDays.indexOf(weekday) + 1 });
    if (variable === undefined) continue;
    const { id: variableId, data } = kernel.variables.get(objectAt(variable, kernel).id);
    const rule = { ...next(rules.variable), variableId };
    rules.variable.push(
      than === undefined
        ? { ...rule, type: ruleType.static, value: convertValue(data.type, value, 'value') }
        : { ...rule, type: ruleType.dynamic, value: kernel.variables.get(objectAt(than, kernel).id).id },
    );
  }
  return rules;
}

const maskOf = (days: readonly (typeof weekDays)[number][]) =>
  days.reduce((sum, day) => sum | (1 << weekDays.indexOf(day)), 0);

/** Parses a validated time of day; the default, midnight, means no bound. */
function timeOf(text = '0:00'): EventTime {
  const [hour = 0, minute = 0, second = 0] = text.split(':').map(Number);
  return { hour, minute, second };
}

/** Parses a validated date, `2026-12-24` or yearly `12-24`; '' means none. */
function dateOf(text = ''): EventDate {
  const [day = 0, month = 0, year = 0] = text === '' ? [] : text.split('-').map(Number).reverse();
  return { day, month, year };
}
