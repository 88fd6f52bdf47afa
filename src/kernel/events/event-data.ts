import type { CalendarDate, TimeOfDay } from '../../base/local-time.js';
import type { Value } from '../value.js';

/** Event types (interface §1). */
export const eventType = { trigger: 0, cyclic: 1, schedule: 2 } as const;
/**
 * When a trigger fires: on every update, on a change, when the value exceeds or drops below a limit, on one
 * value.
 */
export const triggerType = { update: 0, change: 1, limitExceed: 2, limitDrop: 3, value: 4 } as const;
/** How a cyclic event's days repeat. */
export const cyclicDate = { none: 0, once: 1, day: 2, week: 3, month: 4, year: 5 } as const;
/** How a cyclic event repeats within a day. */
export const cyclicTime = { once: 0, second: 1, minute: 2, hour: 3 } as const;

/** A calendar date; all 0 means none. */
export type EventDate = CalendarDate;

/** A time of day, local time. */
export type EventTime = TimeOfDay;

/** When a trigger event fires. */
export interface Trigger {
  readonly type: number;
  readonly variableId: number;
  readonly value: Value;
  /** Whether it fires again while its condition stays true. */
  readonly subsequent: boolean;
}

/** When a cyclic event runs (`SVC_SetEventCyclic`). The meaning of the values depends on the date type. */
export interface Cyclic {
  readonly dateType: number;
  readonly dateValue: number;
  readonly dateDay: number;
  readonly dateDayValue: number;
  readonly dateFrom: EventDate;
  readonly dateTo: EventDate;
  readonly timeType: number;
  readonly timeValue: number;
  readonly timeFrom: EventTime;
  readonly timeTo: EventTime;
}

/** An action of a schedule: name, colour (−1: none), and the script or action that runs. */
export interface ScheduleAction {
  readonly id: number;
  readonly name: string;
  readonly color: number;
  readonly scriptText: string;
  readonly actionId: string;
  readonly actionParameters: Readonly<Record<string, unknown>>;
}

/** The time of day from which an action applies. */
interface SchedulePoint {
  readonly id: number;
  readonly start: EventTime;
  readonly actionId: number;
}

/** The points of some days of the week; `days` is a mask: 1 Monday … 64 Sunday. */
export interface ScheduleGroup {
  readonly id: number;
  readonly days: number;
  readonly points: readonly SchedulePoint[];
}

/** A week of actions. */
export interface Schedule {
  readonly actions: readonly ScheduleAction[];
  readonly groups: readonly ScheduleGroup[];
}

/** How the rules of a condition are combined. */
export const conditionOperation = { and: 0, or: 1, nand: 2, nor: 3 } as const;
/** How a rule compares the current value with its own. */
export const comparison = {
  equal: 0,
  notEqual: 1,
  greater: 2,
  greaterOrEqual: 3,
  smaller: 4,
  smallerOrEqual: 5,
} as const;
/** Whether a variable is compared with a constant or with another variable. */
export const ruleType = { static: 0, dynamic: 1 } as const;

interface Rule<V> {
  /** Unique among the rules of its kind in its condition. */
  readonly id: number;
  readonly comparison: number;
  readonly value: V;
}

/** Compares a variable with `value`, which is the id of the other variable for a dynamic rule. */
export interface VariableRule extends Rule<Value> {
  readonly variableId: number;
  readonly type: number;
}
/** Compares today's date; a year of 0 is every year. */
type DateRule = Rule<EventDate>;
/** Compares the time of day. */
type TimeRule = Rule<EventTime>;
/** Compares the day of the week: 1 Monday … 7 Sunday. */
type DayRule = Rule<number>;

/** The rules of one condition. */
export interface Rules {
  readonly variable: readonly VariableRule[];
  readonly date: readonly DateRule[];
  readonly time: readonly TimeRule[];
  readonly dayOfTheWeek: readonly DayRule[];
}

/** Combines its rules and its subconditions by one operation. A top-level condition is its own parent. */
export interface Condition {
  readonly id: number;
  readonly parentId: number;
  readonly operation: number;
  readonly rules: Rules;
}

/** An event: when it runs, on which conditions, and what it does. Times are unix seconds, 0: never. */
export interface EventData {
  readonly type: number;
  /** When it was created; intervals of n days count from here unless there is a first date. */
  readonly created: number;
  active: boolean;
  /** Runs that are left; 0: unlimited. */
  limit: number;
  /** A script's text, or the action below; at most one of them is set. */
  script: string;
  actionId: string;
  actionParameters: Readonly<Record<string, unknown>>;
  conditions: readonly Condition[];
  /** Stored with the last values. */
  lastRun: number;
  /** Also 0 while the clock is not trusted. Every start determines it again. */
  nextRun: number;
  /** The last action that a schedule ran; stored with the last values. */
  lastActionId: number;
  /** One of these, depending on the type. */
  trigger?: Trigger;
  cyclic?: Cyclic;
  schedule?: Schedule;
}

const noDate: EventDate = { day: 0, month: 0, year: 0 };
const noTime: EventTime = { hour: 0, minute: 0, second: 0 };

/** The data of a new event (interface §3.3); `created` in unix seconds. */
export function eventData(type: number, created = 0): EventData {
  const data: EventData = {
    type,
    created,
    active: false,
    limit: 0,
    script: '',
    actionId: '',
    actionParameters: {},
    conditions: [],
    lastRun: 0,
    nextRun: 0,
    lastActionId: 0,
  };
  if (type === eventType.trigger)
    data.trigger = { type: triggerType.change, variableId: 0, value: '', subsequent: true };
  if (type === eventType.cyclic)
    data.cyclic = {
      dateType: cyclicDate.none,
      dateValue: 0,
      dateDay: 0,
      dateDayValue: 0,
      dateFrom: noDate,
      dateTo: noDate,
      timeType: cyclicTime.once,
      timeValue: 0,
      timeFrom: noTime,
      timeTo: noTime,
    };
  if (type === eventType.schedule) data.schedule = { actions: [], groups: [] };
  return data;
}
