import type { Value } from './value.js';

/** Event types by their numbers in the interface (§1). */
export const eventType = { trigger: 0, cyclic: 1, schedule: 2 } as const;
/** What sets a trigger off: any update, a change, the value passing the limit upwards or downwards, one value. */
export const triggerType = { update: 0, change: 1, limitExceed: 2, limitDrop: 3, value: 4 } as const;
/** How a cyclic event's days repeat. */
export const cyclicDate = { none: 0, once: 1, day: 2, week: 3, month: 4, year: 5 } as const;
/** How a cyclic event repeats within a day. */
export const cyclicTime = { once: 0, second: 1, minute: 2, hour: 3 } as const;

/** A date as events have it; all 0: none. */
export interface EventDate {
  readonly day: number;
  readonly month: number;
  readonly year: number;
}

/** A time of day as events have it, local time. */
export interface EventTime {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** What sets a trigger event off. */
export interface Trigger {
  readonly type: number;
  readonly variableId: number;
  readonly value: Value;
  /** Whether it runs again while what it asks for is still so. */
  readonly subsequent: boolean;
}

/** When a cyclic event runs (`SVC_SetEventCyclic`); what the values mean depends on the date type. */
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

/** What a schedule can do: a state with a colour (−1: none) and what carries it out. */
export interface ScheduleAction {
  readonly id: number;
  readonly name: string;
  readonly color: number;
  readonly scriptText: string;
  readonly actionId: string;
  readonly actionParameters: Readonly<Record<string, unknown>>;
}

/** From a time of day on an action holds. */
export interface SchedulePoint {
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
