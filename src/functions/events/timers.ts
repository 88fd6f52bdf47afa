import { fault } from '../../base/fault.js';
import { array, declare, int, type FunctionDeclaration } from '../../device/declare.js';
import { cyclicDate, cyclicTime, eventType } from '../../kernel/events/event-data.js';
import type { Event } from '../../kernel/events/events.js';
import type { Kernel } from '../../kernel/kernel.js';
import { objectType } from '../../kernel/object.js';
import { checkedIds } from '../argument-checks.js';
import * as shapes from '../machine-shapes.js';
import type { Ports } from '../ports.js';
import { ids } from '../shapes.js';

/**
 * Timers, which are the cyclic and schedule events; the ID of a timer is that of the event (interface §9,
 * "timers").
 */
export function timerFunctions({ kernel }: Ports): FunctionDeclaration[] {
  const TimerID = int('TimerID');
  return [
    declare({
      name: 'SVC_TimerExists',
      parameters: [TimerID],
      result: 'boolean',
      help: 'Whether a timer with this ID exists: a cyclic or schedule event.',
      run: (_caller, id) => findTimer(kernel, id) !== undefined,
    }),
    declare({
      name: 'SVC_GetTimerList',
      parameters: [],
      result: 'array',
      shape: ids,
      help: 'The IDs of all timers: cyclic and schedule events.',
      run: () => timersOf(kernel).map(({ id }) => id),
    }),
    declare({
      name: 'SVC_GetTimer',
      parameters: [TimerID],
      result: 'array',
      shape: shapes.timer,
      help: 'Interval, last and next run of a timer; times are unix seconds, 0 means never.',
      run: (_caller, id) => timerRecord(timerOf(kernel, id)),
    }),
    declare({
      name: 'SVC_GetTimers',
      parameters: [array('TimerIDs', ids)],
      result: 'array',
      shape: shapes.timers,
      help: 'Like SVC_GetTimer, for some timers; an empty list: all timers.',
      run: (_caller, given) => {
        const requested = checkedIds(given, 'TimerIDs');
        const timers = requested.length === 0 ? timersOf(kernel) : requested.map((id) => timerOf(kernel, id));
        return timers.map(timerRecord);
      },
    }),
  ];
}

const isTimer = ({ data }: Event): boolean => data.type !== eventType.trigger;

const timersOf = (kernel: Kernel): Event[] =>
  [...kernel.tree.objectsOfType(objectType.event)].filter(isTimer);

function findTimer(kernel: Kernel, id: number): Event | undefined {
  const event = kernel.tree.find(id);
  return event?.is(objectType.event) && isTimer(event) ? event : undefined;
}

function timerOf(kernel: Kernel, id: number): Event {
  const timer = findTimer(kernel, id);
  if (timer === undefined) throw fault('NOT_OF_TYPE', 'Timer', id);
  return timer;
}

function timerRecord(event: Event) {
  const { id, displayName, parent, data } = event;
  return {
    TimerID: id,
    ParentID: parent?.id ?? 0,
    Name: displayName,
    Interval: intervalOf(event),
    LastRun: data.lastRun,
    NextRun: data.nextRun,
  };
}

/** Seconds between two runs if that is constant, otherwise 0. */
function intervalOf({ data: { cyclic } }: Event): number {
  if (cyclic === undefined || cyclic.dateType !== cyclicDate.none) return 0;
  const seconds: Readonly<Record<number, number>> = {
    [cyclicTime.second]: 1,
    [cyclicTime.minute]: 60,
    [cyclicTime.hour]: 3600,
  };
  return cyclic.timeValue * (seconds[cyclic.timeType] ?? 0);
}
