import { coded, type Text } from '../../base/codes/coded-text.js';
import type { DocumentPath } from '../document.js';
import {
  operations,
  type ConditionConfig,
  type CyclicConfig,
  type ScheduleConfig,
} from '../schema/event-schema.js';
import type { EventNode } from '../schema/gateway-schema.js';

/** The nesting limit of condition groups; in practice three levels are used. */
const NESTING_LIMIT = 32;
const TIME_OF_DAY = /^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;
const DATE = /^(?:(\d{4})-)?(\d\d?)-(\d\d?)$/;
/** A leap year: for rules, 29 February is a day of every year. */
const LEAP_YEAR = 2000;

/** A problem of an entry: the path within the entry, and the text. */
type Problem = readonly [DocumentPath, Text];

/**
 * Checks what the schema can't express. `isBelowScript`: without an action the event runs its parent script.
 */
export function* eventProblems(node: EventNode, isBelowScript: boolean): Generator<Problem> {
  const { trigger, cyclic, schedule, conditions = [], script, action } = node;
  if ([trigger, cyclic, schedule].filter((one) => one !== undefined).length !== 1)
    yield [
      [],
      coded`EVENT_EXACTLY_KEYS_TRIGGER: an event has exactly one of the keys trigger, cyclic, schedule`,
    ];
  const runs = Number(script !== undefined) + Number(action !== undefined);
  if (runs > 1 || (runs === 0 && schedule === undefined && !isBelowScript))
    yield [[], coded`EVENT_EXACTLY_KEYS_SCRIPT: an event has exactly one of the keys script, action`];
  const requiresValue = trigger !== undefined && !['update', 'change'].includes(trigger.on);
  if (requiresValue && trigger.value === undefined)
    yield [['trigger'], coded`REQUIRES_VALUE: on: ${trigger.on} requires a value`];
  if (cyclic !== undefined) yield* below(['cyclic'], cyclicProblems(cyclic));
  if (schedule !== undefined) yield* below(['schedule'], scheduleProblems(schedule));
  for (const [i, part] of conditions.entries()) yield* below(['conditions', i], conditionProblems(part, 1));
}

function* below(path: DocumentPath, problems: Iterable<Problem>): Generator<Problem> {
  for (const [at, text] of problems) yield [[...path, ...at], text];
}

function* cyclicProblems(given: CyclicConfig): Generator<Problem> {
  const { at, everyS, everyMin, everyH, from, to, days, date } = given;
  for (const key of ['at', 'from', 'to'] as const) yield* timeProblems(given[key], [key]);
  for (const key of ['date', 'firstDay', 'lastDay'] as const) yield* dateProblems(given[key], [key], true);
  if ([at, everyS, everyMin, everyH].filter((one) => one !== undefined).length !== 1)
    yield [
      [],
      coded`CYCLIC_EXACTLY_KEYS_EVERYS: cyclic has exactly one of the keys at, everyS, everyMin, everyH`,
    ];
  if (at !== undefined && (from ?? to) !== undefined)
    yield [
      [],
      coded`FROM_BELONG_EVERYS_EVERYMIN: from and to belong to everyS, everyMin and everyH; at is a single time`,
    ];
  const { everyDays, everyWeeks, everyMonths, month, dayOfMonth, nth, firstDay } = given;
  if ([date, everyDays, everyWeeks, everyMonths, month].filter((one) => one !== undefined).length > 1)
    yield [
      [],
      coded`CYCLIC_MOST_KEYS_DATE: cyclic has at most one of the keys date, everyDays, everyWeeks, everyMonths, month`,
    ];
  if (date !== undefined && firstDay !== undefined)
    yield [['firstDay'], coded`DATE_DAY: firstDay cannot be used with date`];
  if (everyWeeks !== undefined && days === undefined)
    yield [['everyWeeks'], coded`REQUIRES_DAYS: it requires days`];
  if (days !== undefined && (date ?? everyDays) !== undefined)
    yield [['days'], coded`DATE_EVERYDAYS_NO_DAYS: days cannot be used with date or everyDays`];
  const isMonthly = (everyMonths ?? month) !== undefined;
  if (!isMonthly && (dayOfMonth ?? nth) !== undefined)
    yield [[], coded`DAYOFMONTH_NTH_BELONG_EVERYMONTHS: dayOfMonth and nth belong to everyMonths and month`];
  if (isMonthly && (days === undefined) === (dayOfMonth === undefined))
    yield [
      [],
      coded`EVERYMONTHS_MONTH_REQUIRE_EITHER: everyMonths and month require either dayOfMonth, or days and nth`,
    ];
  if (nth !== undefined && days === undefined) yield [['nth'], coded`REQUIRES_DAYS: it requires days`];
}

function* scheduleProblems({ actions, groups }: ScheduleConfig): Generator<Problem> {
  const ids = actions.map(({ id }, i) => id ?? i + 1);
  for (const [i, { script, action }] of actions.entries()) {
    if (script !== undefined && action !== undefined)
      yield [['actions', i], coded`GIVE_KEYS_SCRIPT_ACTION: give one of the keys script, action`];
    if (ids.indexOf(ids[i] as number) < i)
      yield [['actions', i], coded`ANOTHER_ACTION_ID: another action has the id ${ids[i] ?? 0}`];
  }
  const taken = new Set<string>();
  for (const [i, { days, points }] of groups.entries()) {
    for (const day of days) {
      if (taken.has(day))
        yield [['groups', i, 'days'], coded`ANOTHER_GROUP_TWICE: ${day} is in another group, or twice`];
      taken.add(day);
    }
    for (const [n, { at, action }] of points.entries()) {
      yield* timeProblems(at, ['groups', i, 'points', n, 'at']);
      const known = actions.filter(({ name }, a) => action === (typeof action === 'number' ? ids[a] : name));
      if (known.length !== 1)
        yield [
          ['groups', i, 'points', n, 'action'],
          known.length === 0
            ? coded`THERE_NO_SUCH_ACTION: there is no such action; known: ${actions.map(({ name }) => name).join(', ')}`
            : coded`SEVERAL_ACTIONS_NAME_GIVE: several actions have this name; give the id`,
        ];
    }
  }
}

function* conditionProblems(part: ConditionConfig, depth: number): Generator<Problem> {
  // A rule is no level: in events it belongs to its group.
  if (depth > NESTING_LIMIT && operations.some((word) => word in part)) {
    yield [[], coded`CONDITIONS_MORE_THAN_LEVELS: conditions are more than ${NESTING_LIMIT} levels deep`];
    return;
  }
  const kinds = (['variable', 'date', 'time', 'weekday', ...operations] as const).filter(
    (key) => key in part,
  );
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    yield [
      [],
      coded`CONDITION_EXACTLY_KEYS_VARIABLE: a condition has exactly one of the keys variable, date, time, weekday, ${operations.join(', ')}`,
    ];
    return;
  }
  yield* timeProblems(part.time, ['time']);
  yield* dateProblems(part.date, ['date'], false);
  const { value, than, is } = part;
  if (kind === 'variable' ? (value === undefined) === (than === undefined) : (value ?? than) !== undefined)
    yield [
      [],
      coded`VARIABLE_COMPARED_EITHER_VALUE: a variable condition has exactly one of the keys value (a constant) and than (the path of another variable); other conditions have neither`,
    ];
  for (const word of operations) {
    if (part[word] === undefined) continue;
    if (is !== undefined) yield [['is'], coded`BELONGS_RULE: it belongs to a rule`];
    for (const [i, inner] of part[word].entries())
      yield* below([word, i], conditionProblems(inner, depth + 1));
  }
}

function* timeProblems(time: string | undefined, path: DocumentPath): Generator<Problem> {
  if (time !== undefined && !TIME_OF_DAY.test(time))
    yield [path, coded`NOT_TIME_DAY_WRITE: ${time} is not a time of day; write it like 06:00`];
}

function* dateProblems(
  date: string | undefined,
  path: DocumentPath,
  requiresYear: boolean,
): Generator<Problem> {
  if (date === undefined) return;
  const [, year, month, day] = DATE.exec(date)?.map(Number) ?? [];
  const hasYear = year !== undefined && !Number.isNaN(year);
  const last = new Date(Date.UTC(hasYear ? year : LEAP_YEAR, month ?? 0, 0)).getUTCDate();
  const isDate =
    month !== undefined && month >= 1 && month <= 12 && day !== undefined && day >= 1 && day <= last;
  if (!isDate || (requiresYear && !hasYear) || (hasYear && year < 1970))
    yield [
      path,
      coded`NOT_DATE_WRITE_LIKE: ${date} is not a date; write it like 2026-12-24${requiresYear ? '' : coded`OR_EVERY_YEAR: , or 12-24 for every year`}`,
    ];
}
