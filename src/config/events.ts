import { convertValue } from '../kernel/convert.js';
import {
  cyclicDate,
  cyclicTime,
  eventType,
  triggerType,
  type Cyclic,
  type EventTime,
  type Trigger,
} from '../kernel/event.js';
import type { Event } from '../kernel/events.js';
import type { Kernel } from '../kernel/kernel.js';
import type { TreeObject } from '../kernel/object.js';
import { weekDays, type EventNode } from './schema.js';

/** An action by its name and parameters, as an event keeps it. Throws for one that is not there or does not take them. */
export type ActionOf = (
  name: string,
  parameters: Readonly<Record<string, unknown>>,
) => Promise<{ readonly actionId: string; readonly actionParameters: Readonly<Record<string, unknown>> }>;

/** The interface's number for what sets a listed event off. */
export const typeOfEvent = ({ trigger }: EventNode): number =>
  trigger === undefined ? eventType.cyclic : eventType.trigger;

const triggerTypes = {
  update: triggerType.update,
  change: triggerType.change,
  above: triggerType.limitExceed,
  below: triggerType.limitDrop,
  value: triggerType.value,
} as const;

/**
 * Brings an event to what its entry says; `isNew` tells which of its keys count. A key counts too when what it
 * names was deleted or made anew since. It becomes active last, so that none is set off that is not whole. Throws what is wrong.
 */
export async function applyEvent(
  node: EventNode,
  event: Event,
  {
    kernel,
    actionOf,
    isNew,
  }: { kernel: Kernel; actionOf: ActionOf; isNew: (key: string, value: unknown) => boolean },
): Promise<void> {
  const { trigger, cyclic, script, action, active = true } = node;
  if (event.data.type !== typeOfEvent(node))
    throw new Error('the event is set off by something else; delete it to have it made anew');
  const isGone = (id: unknown) => id === 0 || (typeof id === 'number' && kernel.tree.find(id) === undefined);
  const { trigger: present, actionParameters: given } = event.data;
  if (trigger !== undefined && (isNew('trigger', trigger) || isGone(present?.variableId)))
    kernel.events.setTrigger(event.id, triggerOf(trigger, kernel));
  if (cyclic !== undefined && isNew('cyclic', cyclic)) kernel.events.setCyclic(event.id, cyclicOf(cyclic));
  if (script !== undefined && isNew('script', script))
    kernel.events.set(event, { script, actionId: '', actionParameters: {} });
  if (action !== undefined && (isNew('action', action) || isGone(given['TARGET']))) {
    const { name, target, value } = action;
    const parameters = {
      ...(target === undefined ? {} : { TARGET: objectAt(target, kernel).id }),
      ...(value === undefined ? {} : { VALUE: value }),
    };
    kernel.events.set(event, { ...(await actionOf(name, parameters)), script: '' });
  }
  if (isNew('active', active)) kernel.events.set(event, { active });
}

function triggerOf(
  { variable, on, value, subsequent = true }: NonNullable<EventNode['trigger']>,
  kernel: Kernel,
): Partial<Trigger> {
  const { id: variableId, data } = kernel.variables.get(objectAt(variable, kernel).id);
  const type = triggerTypes[on];
  if (value === undefined) return { variableId, type, subsequent };
  return { variableId, type, subsequent, value: convertValue(data.type, value, 'value') };
}

function objectAt(path: string, kernel: Kernel): TreeObject {
  const found = kernel.tree.at(path);
  if (found === undefined) throw new Error(`there is no object at ${path}`);
  return found;
}

function cyclicOf({ at, everyS, from, to, days }: NonNullable<EventNode['cyclic']>): Partial<Cyclic> {
  const mask = (days ?? []).reduce((sum, day) => sum | (1 << weekDays.indexOf(day)), 0);
  return {
    ...(mask === 0
      ? { dateType: cyclicDate.none, dateValue: 0, dateDay: 0, dateDayValue: 0 }
      : { dateType: cyclicDate.week, dateValue: 1, dateDay: mask, dateDayValue: 0 }),
    timeType: everyS === undefined ? cyclicTime.once : cyclicTime.second,
    timeValue: everyS ?? 0,
    timeFrom: timeOf(at ?? from),
    timeTo: timeOf(to),
  };
}

/** The schema has established that it is a time of day; none is midnight, which is no bound. */
function timeOf(text = '0:00'): EventTime {
  const [hour = 0, minute = 0, second = 0] = text.split(':').map(Number);
  return { hour, minute, second };
}
