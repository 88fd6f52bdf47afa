import type { EventRecord } from '../../../client/generated/records.js';
import { dateFormat } from '../../web/format.js';
import type { Model, TreeNode } from '../../web/model.js';
import { objectType, type Value } from '../../web/objects.js';
import type { ConsoleApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { nameOf } from '../search.js';

export type Condition = EventRecord['EventConditions'][number];
export type RuleKind = 'variable' | 'date' | 'time' | 'dayOfTheWeek';
type EventDate = EventRecord['CyclicDateFrom'];
type EventTime = EventRecord['CyclicTimeFrom'];

const WORKDAYS = 31;
const WEEKEND = 96;
const WEEK = 127;
const DYNAMIC = 1;
/** 5 January 2026 was a Monday. */
const MONDAY = Date.UTC(2026, 0, 5);
const DAY_MS = 86_400_000;

/** Events in words. Everything subscribes to the language; names are read without a subscription. */
export class Sentences {
  readonly #app: ConsoleApp;
  readonly #model: Model;

  constructor(app: ConsoleApp) {
    this.#app = app;
    this.#model = app.gateway.model;
  }

  /** When an event runs. */
  when(event: EventRecord): string {
    if (event.EventType === 0) return this.#trigger(event);
    if (event.EventType === 1) return cyclicText(event);
    const { schedule } = eventTexts();
    const points = event.ScheduleGroups.reduce((sum, { Points }) => sum + Points.length, 0);
    return points === 0 ? schedule.empty : schedule.plan(points);
  }

  /** The times of a weekly plan, days by days; empty for other events. */
  plan({ ScheduleGroups, ScheduleActions }: EventRecord): string[] {
    const { schedule } = eventTexts();
    const nameOf = (id: number) => ScheduleActions.find(({ ID }) => ID === id)?.Name ?? '';
    return ScheduleGroups.map(({ Days, Points }) => {
      const sorted = [...Points].sort((a, b) => timeText(a.Start).localeCompare(timeText(b.Start)));
      const times = sorted.map(({ Start, ActionID }) => `${timeText(Start)} ${nameOf(ActionID)}`);
      return schedule.times(daysOfWeek(Days), times.join(', '));
    });
  }

  /** The conditions of an event; '' if there are none. */
  onlyIf({ EventConditions: all }: EventRecord): string {
    const top = all.filter(({ ID, ParentID }) => ID === ParentID);
    return top
      .map((condition) => this.condition(condition, all))
      .filter((text) => text !== '')
      .join(eventTexts().and);
  }

  /** What an event does. */
  effect(event: EventRecord): string {
    const { EventActionID, EventActionParameters, EventScript, EventID, ScheduleActions } = event;
    const parent = this.#model.find(this.#model.find(EventID)?.entry.peek().parentID ?? 0);
    const own = this.action({
      ActionID: EventActionID,
      ActionParameters: EventActionParameters,
      ScriptText: EventScript,
      parent,
    });
    if (ScheduleActions.length === 0) return own;
    return ScheduleActions.map((one) => `${one.Name}: ${this.action({ ...one, parent })}`).join('; ');
  }

  /** What an action does; `parent` is the object that the event is below. */
  action({
    ActionID,
    ActionParameters,
    ScriptText,
    parent,
  }: {
    readonly ActionID: string;
    readonly ActionParameters: Readonly<Record<string, unknown>>;
    readonly ScriptText: string;
    readonly parent: TreeNode | undefined;
  }): string {
    const { action, actionNames } = eventTexts();
    const id = Number(ActionParameters['TARGET'] ?? parent?.id ?? 0);
    const target = this.#model.find(id);
    const name = this.name(id);
    const value = ActionParameters['VALUE'] as Value | undefined;
    const shown = value === undefined ? '…' : this.value(target, value);
    switch (actionKey(ActionID)) {
      case 'switch':
        return action.switch(name, shown);
      case 'set':
        return action.set(name, shown);
      case 'toggle':
        return action.toggle(name);
      case 'script':
        return action.script(name);
      case 'text':
        return action.text;
      default:
        if (ActionID !== '') return actionNames[ActionID] ?? ActionID;
        if (ScriptText !== '') return action.text;
        return parent?.type === objectType.script ? action.script(parent.name) : action.nothing;
    }
  }

  /** A condition with those below it; '' if it has no rules. */
  condition(condition: Condition, all: readonly Condition[]): string {
    const { and, or, not } = eventTexts();
    const below = all
      .filter(({ ID, ParentID }) => ParentID === condition.ID && ID !== ParentID)
      .map((one) => this.condition(one, all))
      .filter((text) => text !== '');
    const parts = [
      ...this.#rules(condition),
      ...below.map((text) => (below.length > 1 ? `(${text})` : text)),
    ];
    const text = parts.join(condition.Operation % 2 === 0 ? and : or);
    return condition.Operation < 2 || text === '' ? text : not(text);
  }

  /** A rule of a condition in words; undefined if it is gone. */
  rule(condition: Condition, kind: RuleKind, id: number): string | undefined {
    const { rule } = eventTexts();
    if (kind === 'variable') {
      const found = condition.VariableRules.find(({ ID }) => ID === id);
      if (found === undefined) return undefined;
      const { VariableID, Value: value, Type, Comparison } = found;
      const other =
        Type === DYNAMIC ? this.name(Number(value)) : this.value(this.#model.find(VariableID), value);
      return rule.variable[Comparison]?.(this.name(VariableID), other);
    }
    if (kind === 'date') {
      const found = condition.DateRules.find(({ ID }) => ID === id);
      return found && rule.date[found.Comparison]?.(dateText(found.Value));
    }
    if (kind === 'time') {
      const found = condition.TimeRules.find(({ ID }) => ID === id);
      return found && rule.time[found.Comparison]?.(timeText(found.Value));
    }
    const found = condition.DayOfTheWeekRules.find(({ ID }) => ID === id);
    return found && rule.time[found.Comparison]?.(weekdayName(found.Value));
  }

  /** What a rule compared: the value of its variable, a date, a time or a day of the week. */
  current(condition: Condition, [kind, id]: readonly [RuleKind, number], value: Value): string {
    if (kind === 'dayOfTheWeek') return weekdayName(Number(value));
    if (kind !== 'variable') return String(value);
    const found = condition.VariableRules.find(({ ID }) => ID === id);
    return this.value(this.#model.find(found?.VariableID ?? 0), value);
  }

  /** A variable of an instance by the instance, with its own name unless it is the only main one. */
  name(id: number): string {
    const node = this.#model.find(id);
    const { deleted, main } = eventTexts();
    if (node === undefined || id === 0) return deleted(id);
    const { name } = node;
    const { parentID, data } = node.entry.peek();
    const parent = this.#model.find(parentID);
    if (node.type !== objectType.variable || parent?.type !== objectType.instance) return name;
    const mains = this.#model.children(parentID).filter(({ entry }) => entry.peek().data.role === 'main');
    const instance = parent.name;
    return data.role === 'main' && mains.length === 1 ? instance : main(instance, nameOf(this.#model, node));
  }

  /** A value of the variable with this ID. */
  valueOf(id: number, value: Value): string {
    return this.value(this.#model.find(id), value);
  }

  /** A value as the profile of the variable shows it. */
  value(variable: TreeNode | undefined, value: Value): string {
    return variable?.type === objectType.variable ? this.#app.format(variable, value) : String(value);
  }

  #trigger({
    TriggerType,
    TriggerVariableID,
    TriggerValue,
    TriggerSubsequentExecution,
  }: EventRecord): string {
    const { trigger } = eventTexts();
    if (TriggerVariableID === 0) return trigger.none;
    const name = this.name(TriggerVariableID);
    const value = this.value(this.#model.find(TriggerVariableID), TriggerValue);
    const isEach = TriggerSubsequentExecution;
    switch (TriggerType) {
      case 0:
        return trigger.update(name);
      case 1:
        return trigger.change(name);
      case 2:
        return (isEach ? trigger.aboveEach : trigger.above)(name, value);
      case 3:
        return (isEach ? trigger.belowEach : trigger.below)(name, value);
      default:
        return (isEach ? trigger.valueEach : trigger.value)(name, value);
    }
  }

  *#rules(condition: Condition): Generator<string> {
    for (const [kind, rules] of [
      ['variable', condition.VariableRules],
      ['date', condition.DateRules],
      ['time', condition.TimeRules],
      ['dayOfTheWeek', condition.DayOfTheWeekRules],
    ] as const)
      for (const { ID } of rules) yield this.rule(condition, kind, ID) ?? '';
  }
}

const ACTION_KEYS: Readonly<Record<string, 'text' | 'script' | 'switch' | 'set' | 'toggle'>> = {
  '{346AA8C1-30E0-1663-78EF-93EFADFAC650}': 'text',
  '{7938A5A2-0981-5FE0-BE6C-8AA610D654EB}': 'script',
  '{3644F802-C152-464A-868A-242C2A3DEC5C}': 'switch',
  '{516818A2-E497-4A84-B7C4-94CB9C745FD1}': 'set',
  '{B4E02384-0CA9-4D45-8AF3-34956B540207}': 'toggle',
};

/** Which of the built-in actions an ID is; undefined: none. */
export function actionKey(id: string) {
  return ACTION_KEYS[id.toUpperCase()];
}

function cyclicText(event: EventRecord): string {
  const { cyclic } = eventTexts();
  const { CyclicDateType, CyclicTimeType, CyclicTimeValue, CyclicTimeFrom, CyclicTimeTo } = event;
  const bounds = CyclicDateType === 1 ? '' : rangeText(cyclic.dates, ...dateBounds(event));
  if (CyclicTimeType === 0)
    return [daysText(event), cyclic.at(timeText(CyclicTimeFrom)), bounds].filter(Boolean).join(' ');
  const [from, to] = [CyclicTimeFrom, CyclicTimeTo].map((time) => (isZero(time) ? '' : timeText(time)));
  const every = [
    cyclic.every(CyclicTimeValue, CyclicTimeType),
    rangeText(cyclic.times, from ?? '', to ?? ''),
  ];
  const days = CyclicDateType === 0 && bounds === '' ? '' : daysText(event);
  return [days, ...every, bounds].filter(Boolean).join(' ');
}

function dateBounds({ CyclicDateFrom, CyclicDateTo }: EventRecord): [string, string] {
  return [
    isZero(CyclicDateFrom) ? '' : dateText(CyclicDateFrom),
    isZero(CyclicDateTo) ? '' : dateText(CyclicDateTo),
  ];
}

function rangeText(
  texts: ReturnType<typeof eventTexts>['cyclic']['dates'],
  from: string,
  to: string,
): string {
  if (from !== '' && to !== '') return texts.range(from, to);
  return from !== '' ? texts.from(from) : to === '' ? '' : texts.until(to);
}

function daysText(event: EventRecord): string {
  const { cyclic } = eventTexts();
  const { CyclicDateType: type, CyclicDateValue, CyclicDateDay: days, CyclicDateFrom } = event;
  const every = Math.max(1, CyclicDateValue);
  switch (type) {
    case 1:
      return isZero(CyclicDateFrom) ? cyclic.once : cyclic.on(dateText(CyclicDateFrom));
    case 2:
      return every === 1 ? cyclic.daily : cyclic.days(every);
    case 3:
      return weekText(days, every);
    case 4:
      return every === 1 ? cyclic.month(monthDay(event)) : cyclic.months(every, monthDay(event));
    case 5: {
      const month = monthName(every);
      const isDate = days === 0 && event.CyclicDateDayValue < 31;
      return isDate ? cyclic.yearDay(event.CyclicDateDayValue, month) : cyclic.year(monthDay(event), month);
    }
    default:
      return cyclic.daily;
  }
}

function weekText(days: number, every: number): string {
  const { cyclic } = eventTexts();
  if (days === 0) return cyclic.noDays;
  if (every > 1) return cyclic.weeks(every, daysOfWeek(days));
  if (days === WEEK) return cyclic.daily;
  if (days === WORKDAYS) return cyclic.workdays;
  return days === WEEKEND ? cyclic.weekend : cyclic.week(daysOfWeek(days));
}

function monthDay({ CyclicDateDay: days, CyclicDateDayValue: value }: EventRecord): string {
  const { cyclic, or } = eventTexts();
  if (days !== 0) return cyclic.nth(value, daysOfWeek(days, or));
  return value === 31 ? cyclic.lastDay : cyclic.dayOfMonth(value);
}

/** Days of the week by a mask: 1 Monday … 64 Sunday. */
export function daysOfWeek(mask: number, last = eventTexts().and): string {
  const names = [1, 2, 3, 4, 5, 6, 7]
    .filter((day) => (mask & (1 << (day - 1))) !== 0)
    .map((day) => weekdayName(day));
  return names.length < 2
    ? names.join('')
    : `${names.slice(0, -1).join(', ')}${last}${names[names.length - 1]}`;
}

/** 1 Monday … 7 Sunday. */
export function weekdayName(day: number, form: 'long' | 'short' = 'long'): string {
  return dateFormat('UTC', { weekday: form }).format(MONDAY + (day - 1) * DAY_MS);
}

export function monthName(month: number): string {
  return dateFormat('UTC', { month: 'long' }).format(Date.UTC(2026, month - 1, 1));
}

/** A year of 0 is every year. */
function dateText({ Day, Month, Year }: EventDate): string {
  const at = Date.UTC(Year || 2000, Month - 1, Day);
  return dateFormat('UTC', { day: 'numeric', month: 'long', ...(Year !== 0 && { year: 'numeric' }) }).format(
    at,
  );
}

/** Hours and minutes; with seconds if there are any. */
export function timeText({ Hour, Minute, Second }: EventTime): string {
  const parts = Second === 0 ? [Hour, Minute] : [Hour, Minute, Second];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

function isZero(one: EventDate | EventTime): boolean {
  return Object.values(one).every((part) => part === 0);
}
