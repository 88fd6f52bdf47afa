import type { EventOutcome } from '../base/codes/stable-codes.js';
import { triggerType, type Trigger } from '../kernel/events/event-data.js';
import type { Event } from '../kernel/events/events.js';
import type { Value } from '../kernel/value.js';

/** An update of a variable (message VM_UPDATE). */
export interface VariableUpdate {
  readonly value: Value;
  readonly old: Value;
  readonly isChange: boolean;
}

/** Index of events by the variable that triggers them. */
export class Triggers {
  readonly #byVariable = new Map<number, Map<number, Event>>();
  readonly #variableOf = new Map<number, number>();

  /** The events of a variable by their ids; undefined if it has none. */
  of(variableId: number): ReadonlyMap<number, Event> | undefined {
    return this.#byVariable.get(variableId);
  }

  /** Adds or updates an event. */
  put(event: Event): void {
    const { variableId = 0 } = event.data.trigger ?? {};
    if (this.#variableOf.get(event.id) === variableId) return;
    this.remove(event.id);
    if (variableId === 0) return;
    this.#variableOf.set(event.id, variableId);
    const events = this.#byVariable.get(variableId);
    if (events === undefined) this.#byVariable.set(variableId, new Map([[event.id, event]]));
    else events.set(event.id, event);
  }

  remove(eventId: number): void {
    const variableId = this.#variableOf.get(eventId);
    if (variableId === undefined) return;
    this.#variableOf.delete(eventId);
    const events = this.#byVariable.get(variableId);
    events?.delete(eventId);
    if (events?.size === 0) this.#byVariable.delete(variableId);
  }
}

/**
 * Why an update does not trigger the event; undefined if it does. Without subsequent execution, a limit or
 * value must not have been met before.
 */
export function reasonNotTriggered(
  { type, value: limit, subsequent }: Trigger,
  { value, old, isChange }: VariableUpdate,
): EventOutcome | undefined {
  const isMet = (one: Value): boolean => {
    if (type === triggerType.limitExceed) return one > limit;
    return type === triggerType.limitDrop ? one < limit : one === limit;
  };
  switch (type) {
    case triggerType.update:
      return undefined;
    case triggerType.change:
      return isChange ? undefined : 'NOT_CHANGED';
    default:
      if (!isMet(value)) return 'OTHER_VALUE';
      return subsequent || !isMet(old) ? undefined : 'MET_BEFORE';
  }
}
