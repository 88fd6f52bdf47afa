import type { Caller } from '../device/declare.js';
import type { ScheduleAction } from '../kernel/events/event-data.js';
import type { Event } from '../kernel/events/events.js';

/** A run of an event: because of what, and what a script finds of it beside `EVENT` and `TARGET`. */
export interface EventRun {
  readonly event: Event;
  /** What a script finds in `SENDER` (interface §1). */
  readonly sender: 'Variable' | 'TimerEvent' | 'Schedule';
  readonly values: Readonly<Record<string, unknown>>;
  /** Of a schedule: the action that begins to hold. */
  readonly action?: ScheduleAction;
}

/** A run of an action: what it was given, and who runs it. */
export interface ActionRun {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What a script finds beside the parameters: `EVENT`, `VALUE` … */
  readonly values: Readonly<Record<string, unknown>>;
  /** What a script finds in `SENDER`. */
  readonly sender: string;
  readonly caller: Caller;
}
