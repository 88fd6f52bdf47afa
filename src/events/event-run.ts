import type { Caller } from '../device/declare.js';
import type { ScheduleAction } from '../kernel/events/event-data.js';
import type { Event } from '../kernel/events/events.js';
import type { Decision } from './decision-log.js';

/** A run of an event: its cause, and the globals of a script in addition to `EVENT` and `TARGET`. */
export interface EventRun {
  readonly event: Event;
  /** The global `SENDER` of a script (interface §1). */
  readonly sender: 'Variable' | 'TimerEvent' | 'Schedule';
  readonly values: Readonly<Record<string, unknown>>;
  /** The action of the schedule that is due. */
  readonly action?: ScheduleAction;
  /** The decision to run; its verdict changes with the run. */
  readonly decision: Decision;
}

/** A run of an action: its parameters and its caller. */
export interface ActionRun {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The globals of a script in addition to the parameters: `EVENT`, `VALUE` … */
  readonly values: Readonly<Record<string, unknown>>;
  /** The global `SENDER` of a script. */
  readonly sender: string;
  readonly caller: Caller;
}
