import { isDeepStrictEqual } from 'node:util';
import { eventType, ruleType } from '../../kernel/events/event-data.js';
import type { Event } from '../../kernel/events/events.js';
import type { Kernel } from '../../kernel/kernel.js';
import {
  conditionsOf,
  cyclicOf,
  objectAt,
  scheduleOf,
  triggerOf,
  type ActionOf,
} from './event-conversion.js';
import type { ActionConfig } from '../schema/event-schema.js';
import type { EventNode } from '../schema/gateway-schema.js';
import type { IsNew } from './apply-instance.js';

export type { ActionOf } from './event-conversion.js';

/** The event type of a listed event, by its trigger. */
export const typeOfEvent = ({ trigger, schedule }: EventNode): number =>
  trigger !== undefined ? eventType.trigger : schedule === undefined ? eventType.cyclic : eventType.schedule;

/**
 * Applies an entry to an event; `isNew` determines which keys apply. A key also applies if its target was
 * deleted or re-created since. The event becomes active last, so that an incomplete event never runs. Throws
 * an Error that says what is wrong.
 */
export async function applyEvent(
  node: EventNode,
  event: Event,
  { kernel, actionOf, isNew }: { kernel: Kernel; actionOf: ActionOf; isNew: IsNew },
): Promise<void> {
  const { trigger, cyclic, schedule, conditions, limit, script, action, active = true } = node;
  if (event.data.type !== typeOfEvent(node))
    throw new Error('the event has another type; delete it so that it is created again');
  const isGone = (id: unknown) => id === 0 || (typeof id === 'number' && kernel.tree.find(id) === undefined);
  const { trigger: present, actionParameters: currentParameters } = event.data;
  const resolve = async ({ name, target, value, script: SCRIPT, parent, environment }: ActionConfig) =>
    actionOf(name, {
      ...(target === undefined ? {} : { TARGET: objectAt(target, kernel).id }),
      ...(value === undefined ? {} : { VALUE: value }),
      ...(SCRIPT === undefined ? {} : { SCRIPT }),
      ...(parent === undefined ? {} : { PARENT: objectAt(parent, kernel).id }),
      ...(environment === undefined ? {} : { ENVIRONMENT: environment }),
    });
  if (trigger !== undefined && (isNew('trigger', trigger) || isGone(present?.variableId)))
    kernel.events.setTrigger(event.id, triggerOf(trigger, kernel));
  if (cyclic !== undefined && isNew('cyclic', cyclic)) kernel.events.setCyclic(event.id, cyclicOf(cyclic));
  if (schedule !== undefined) {
    const targets = event.data.schedule?.actions.map(({ actionParameters: { TARGET } }) => TARGET) ?? [];
    if (isNew('schedule', schedule) || targets.some((id) => id !== undefined && isGone(id)))
      kernel.events.setSchedule(event.id, await scheduleOf(schedule, resolve));
  }
  if (conditions !== undefined) {
    const named = event.data.conditions.flatMap(({ rules }) =>
      rules.variable.flatMap(({ variableId, type, value }) =>
        type === ruleType.dynamic ? [variableId, value] : [variableId],
      ),
    );
    if (isNew('conditions', conditions) || named.some(isGone)) {
      const converted = conditionsOf(conditions, kernel);
      if (!isDeepStrictEqual(converted, event.data.conditions))
        kernel.events.set(event, { conditions: converted });
    }
  }
  if (script !== undefined && isNew('script', script))
    kernel.events.set(event, { script, actionId: '', actionParameters: {} });
  if (action !== undefined && (isNew('action', action) || isGone(currentParameters['TARGET'])))
    kernel.events.set(event, { ...(await resolve(action)), script: '' });
  if (limit !== undefined && isNew('limit', limit)) kernel.events.set(event, { limit });
  if (isNew('active', active)) kernel.events.set(event, { active });
}
