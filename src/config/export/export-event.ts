import { isDeepStrictEqual } from 'node:util';
import { initialValue } from '../../kernel/convert.js';
import {
  cyclicDate,
  cyclicTime,
  eventType,
  ruleType,
  type Condition,
  type Cyclic,
  type EventDate,
  type EventTime,
  type Schedule,
} from '../../kernel/events/event-data.js';
import type { Event } from '../../kernel/events/events.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import { cyclicOf } from '../apply/event-conversion.js';
import {
  comparisons,
  operations,
  triggerNames,
  weekDays,
  type CyclicConfig,
} from '../schema/event-schema.js';

/** What the export of an event needs from the tree export. */
export interface EventExport {
  /** The path of an object; undefined, with a note, if it is not in the file. */
  path(id: unknown): string | undefined;
  find(id: number): TreeObject | undefined;
  /** The name of an action; undefined if it does not exist. */
  actionName(id: string): string | undefined;
  /** Notes that part of the event is not in the file. */
  note(text: string): void;
}

type Entry = Record<string, unknown>;

/** The keys of an event's entry, apart from those of every object. */
export function eventEntry({ data, parent }: Event, to: EventExport): Entry {
  const { trigger, cyclic, schedule, conditions, limit, script, actionId, actionParameters, active } = data;
  let isComplete = true;
  const tracked: EventExport = {
    ...to,
    path: (id) => {
      const path = to.path(id);
      isComplete &&= path !== undefined;
      return path;
    },
    note: (text) => {
      isComplete = false;
      to.note(text);
    },
  };
  const action = actionEntry(actionId, actionParameters, tracked);
  const isIdle = script === '' && !action && data.type !== eventType.schedule;
  const entry: Entry = {
    ...(trigger && { trigger: triggerEntry(trigger, tracked) }),
    ...(cyclic && { cyclic: cyclicEntry(cyclic, (text) => to.note(text)) }),
    ...(schedule && { schedule: scheduleEntry(schedule, tracked) }),
    ...(conditions.length > 0 && { conditions: conditionEntries(conditions, tracked) }),
    ...(limit !== 0 && { limit }),
    ...((script !== '' || (isIdle && !parent?.is(objectType.script))) && { script }),
    ...(action && { action }),
  };
  if (active && isComplete) return entry;
  // Without all its conditions it would run when it must not.
  if (active) to.note('it is inactive in this file');
  return { ...entry, active: false };
}

function triggerEntry(
  { type, variableId, value, subsequent }: NonNullable<Event['data']['trigger']>,
  to: EventExport,
): Entry {
  const on = triggerNames[type];
  const variable = variableId === 0 ? undefined : to.find(variableId);
  const standard = variable?.is(objectType.variable) ? initialValue(variable.data.type) : '';
  const hasValue = on !== 'update' && on !== 'change';
  return {
    variable: variableId === 0 ? '' : (to.path(variableId) ?? ''),
    on,
    ...((hasValue || value !== standard) && { value }),
    ...(!subsequent && { subsequent }),
  };
}

const actionKeys = {
  TARGET: 'target',
  VALUE: 'value',
  SCRIPT: 'script',
  PARENT: 'parent',
  ENVIRONMENT: 'environment',
};

function actionEntry(id: string, parameters: Readonly<Entry>, to: EventExport): Entry | undefined {
  if (id === '') return undefined;
  const name = to.actionName(id);
  if (name === undefined) {
    to.note(`its action ${id} does not exist`);
    return undefined;
  }
  const entry: Entry = { name };
  for (const [key, word] of Object.entries(actionKeys)) {
    const given = parameters[key];
    if (given === undefined) continue;
    const shown = key === 'TARGET' || key === 'PARENT' ? to.path(given) : given;
    if (shown !== undefined) entry[word] = shown;
  }
  return entry;
}

const repeats = ['at', 'everyS', 'everyMin', 'everyH'] as const;

function cyclicEntry(cyclic: Cyclic, note: (text: string) => void): Entry {
  const { timeType, timeValue, timeFrom, timeTo, dateType, dateFrom, dateTo } = cyclic;
  const isOnce = timeType === cyclicTime.once;
  const repeat = repeats[timeType] ?? 'at';
  const entry: CyclicConfig = {
    ...(isOnce ? { at: timeText(timeFrom) } : { [repeat]: Math.max(1, timeValue) }),
    ...(!isOnce && !isNone(timeFrom) && { from: timeText(timeFrom) }),
    ...(!isOnce && !isNone(timeTo) && { to: timeText(timeTo) }),
    ...daysEntry(cyclic),
    ...(dateType !== cyclicDate.once && dateFrom.day !== 0 && { firstDay: dateText(dateFrom) }),
    ...(dateTo.day !== 0 && { lastDay: dateText(dateTo) }),
  };
  if (!isDeepStrictEqual(cyclicOf(entry), cyclic))
    note(
      `its days and times differ from ${JSON.stringify(cyclic)} in values that do not matter for these days`,
    );
  return entry;
}

function daysEntry({ dateType, dateValue, dateDay, dateDayValue, dateFrom }: Cyclic): CyclicConfig {
  const count = Math.max(1, dateValue);
  const ofMonth =
    dateDay === 0
      ? { dayOfMonth: Math.max(1, dateDayValue) }
      : { days: daysOf(dateDay), nth: Math.max(1, dateDayValue) };
  switch (dateType) {
    case cyclicDate.once:
      // Without a date it never runs, just as with one in the past.
      return { date: dateText(dateFrom) || '1970-01-01' };
    case cyclicDate.day:
      return { everyDays: count };
    case cyclicDate.week:
      return { ...(count !== 1 && { everyWeeks: count }), days: daysOf(dateDay) };
    case cyclicDate.month:
      return { everyMonths: count, ...ofMonth };
    case cyclicDate.year:
      return { month: count, ...ofMonth };
    default:
      return {};
  }
}

function scheduleEntry({ actions, groups }: Schedule, to: EventExport): Entry {
  const names = actions.map(({ name }) => name);
  return {
    actions: actions.map(({ id, name, color, scriptText, actionId, actionParameters }, i) => {
      const action = actionEntry(actionId, actionParameters, to);
      return {
        name,
        ...(id !== i + 1 && { id }),
        ...(color !== -1 && { color: colorText(color) }),
        ...(scriptText !== '' && { script: scriptText }),
        ...(action && { action }),
      };
    }),
    groups: groups.map(({ days, points }) => ({
      days: daysOf(days),
      points: points.flatMap(({ start, actionId }) => {
        const at = actions.findIndex(({ id }) => id === actionId);
        const name = names[at];
        if (name === undefined)
          return to.note(`a point of its schedule has the action ${actionId}, which does not exist`) ?? [];
        return [
          { at: timeText(start), action: names.indexOf(name) === names.lastIndexOf(name) ? name : actionId },
        ];
      }),
    })),
  };
}

function conditionEntries(conditions: readonly Condition[], to: EventExport): Entry[] {
  const entry = ({ id, operation, rules }: Condition): Entry => {
    const is = (comparison: number) => (comparison === 0 ? {} : { is: comparisons[comparison] });
    const variables = rules.variable.map(({ variableId, comparison, type, value }): Entry => ({
      variable: to.path(variableId) ?? '',
      ...is(comparison),
      ...(type === ruleType.dynamic ? { than: to.path(value) ?? '' } : { value }),
    }));
    const parts = [
      ...variables.filter(({ variable, than }) => variable !== '' && than !== ''),
      ...rules.date.map(({ value, comparison }) => ({ date: dateText(value), ...is(comparison) })),
      ...rules.time.map(({ value, comparison }) => ({ time: timeText(value), ...is(comparison) })),
      ...rules.dayOfTheWeek.map(({ value, comparison }) => ({
        weekday: weekDays[value - 1],
        ...is(comparison),
      })),
      ...conditions.filter((one) => one.parentId === id && one.id !== id).map(entry),
    ];
    return { [operations[operation] ?? 'all']: parts };
  };
  return conditions.filter(({ id, parentId }) => id === parentId).map(entry);
}

/** Formats a colour as `#rrggbb`. */
export const colorText = (color: number): string => `#${color.toString(16).padStart(6, '0')}`;

const daysOf = (mask: number) => weekDays.filter((_, day) => (mask & (1 << day)) !== 0);

const isNone = ({ hour, minute, second }: EventTime) => hour === 0 && minute === 0 && second === 0;
const two = (n: number) => String(n).padStart(2, '0');
const timeText = ({ hour, minute, second }: EventTime) =>
  `${two(hour)}:${two(minute)}${second === 0 ? '' : `:${two(second)}`}`;
const dateText = ({ day, month, year }: EventDate) =>
  day === 0 ? '' : `${year === 0 ? '' : `${String(year).padStart(4, '0')}-`}${two(month)}-${two(day)}`;
