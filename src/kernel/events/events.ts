import { fault } from '../../base/fault.js';
import { initialValue, isOfType } from '../convert.js';
import {
  eventData,
  eventType,
  type Cyclic,
  type EventData,
  type Schedule,
  type Trigger,
} from './event-data.js';
import { eventMessagesFor } from './event-messages.js';
import { message } from '../messages.js';
import { objectType, type TreeObject } from '../object.js';
import type { ObjectOptions, Tree } from '../tree.js';

/** An event object. */
export type Event = TreeObject<4>;

/** The settings of an event that users change. */
type Configured = Pick<
  EventData,
  'active' | 'limit' | 'script' | 'actionId' | 'actionParameters' | 'conditions'
>;

const kinds = ['trigger', 'cyclic', 'schedule'] as const;
type Kind = (typeof kinds)[number];

/** Event objects of the tree. `src/events/` runs them. */
export class Events {
  readonly #tree: Tree;
  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Throws `NOT_OF_TYPE`. */
  get(id: number): Event {
    return this.#tree.getOfType(objectType.event, id);
  }

  /**
   * An event and the settings of its type. Throws `NOT_OF_TYPE`, and `EVENT_TYPE` if it has another type.
   */
  getOfKind<K extends Kind>(kind: K, id: number): [Event, NonNullable<EventData[K]>] {
    const event = this.get(id);
    const settings = event.data[kind];
    if (settings === undefined) throw fault('EVENT_TYPE', id, kind);
    return [event, settings];
  }

  /** The events that a variable triggers. */
  triggeredBy(variableId: number): Event[] {
    const events: Event[] = [];
    for (const event of this.#tree.objectsOfType(objectType.event))
      if (event.data.trigger?.variableId === variableId) events.push(event);
    return events;
  }

  /** Creates an inactive event, or a copy of the settings `like`. */
  create(
    type: number,
    nowMs: number,
    { like, ...options }: ObjectOptions & { like?: EventData } = {},
  ): Event {
    const standard = eventData(type, Math.floor(nowMs / 1000));
    const data = like === undefined ? standard : { ...like, ...fresh, created: standard.created };
    const emitTypeMessages = ({ id }: Event) => {
      for (const sent of eventMessagesFor(standard, data)) this.#tree.changes.emit(id, ...sent);
    };
    return this.#tree.create(objectType.event, data, { ...options, created: [type], emitTypeMessages });
  }

  /** Changes settings. Equal values change nothing and emit no message. */
  set(event: Event, to: Partial<Configured>): void {
    this.#change(event, to);
  }

  /**
   * Sets when a trigger event fires. A value of another type than the variable's becomes that type's initial
   * value. Throws `EVENT_TYPE`, and `NOT_OF_TYPE` for a missing variable; 0 means none.
   */
  setTrigger(id: number, to: Partial<Trigger>): void {
    const [event, now] = this.getOfKind('trigger', id);
    const trigger = { ...now, ...to };
    if (trigger.variableId !== 0) {
      const { type } = this.#tree.getOfType(objectType.variable, trigger.variableId).data;
      if (!isOfType(type, trigger.value)) trigger.value = initialValue(type);
    }
    this.#change(event, { trigger });
  }

  /** Removes the variable of a trigger event after it was deleted. */
  clearTriggerVariable(event: Event): void {
    const { trigger } = event.data;
    if (trigger !== undefined) this.#change(event, { trigger: { ...trigger, variableId: 0 } });
  }

  /** When a cyclic event runs. Throws `EVENT_TYPE`. */
  setCyclic(id: number, to: Partial<Cyclic>): void {
    const [event, now] = this.getOfKind('cyclic', id);
    this.#change(event, { cyclic: { ...now, ...to } });
  }

  /** What a schedule does, and when. Throws `EVENT_TYPE`. */
  setSchedule(id: number, to: Partial<Schedule>): void {
    const [event, now] = this.getOfKind('schedule', id);
    this.#change(event, { schedule: { ...now, ...to } });
  }

  /**
   * Records a run at `nowMs`. The last run of a limit deactivates the event. `nextRun` is called after
   * everything else is recorded, and its result is part of the same message.
   */
  recordRun(
    event: Event,
    nowMs: number,
    { actionId, nextRun }: { actionId?: number; nextRun?: () => number } = {},
  ): void {
    const { data } = event;
    const { limit } = data;
    if (limit > 0) this.#change(event, { limit: limit - 1, ...(limit === 1 && { active: false }) });
    this.#tree.touch(event);
    data.lastRun = Math.floor(nowMs / 1000);
    if (actionId !== undefined) data.lastActionId = actionId;
    if (nextRun !== undefined) data.nextRun = nextRun();
    this.#tree.journal.values.add(event);
    this.#tree.changes.emit(event.id, message.EM_UPDATE, [data.lastRun, data.nextRun]);
  }

  /** Sets the next run, unix seconds; 0: never or unknown. Not stored. */
  setNextRun(event: Event, nextRun: number): void {
    const { data } = event;
    if (data.nextRun === nextRun) return;
    this.#tree.touch(event);
    data.nextRun = nextRun;
    this.#tree.changes.emit(event.id, message.EM_UPDATE, [data.lastRun, nextRun]);
  }

  #change(event: Event, to: Partial<EventData>): void {
    const before = { ...event.data };
    const sent = [...eventMessagesFor(before, { ...before, ...to })];
    if (sent.length === 0) return;
    this.#tree.touch(event);
    Object.assign(event.data, to);
    for (const each of sent) this.#tree.changes.emit(event.id, ...each);
    this.#tree.journal.markObject(event);
  }
}

/** Data that a copy does not get. */
const fresh = { lastRun: 0, nextRun: 0, lastActionId: 0 };

/** Whether an event is triggered by time and not by a variable. */
export function isTimed({ data }: Event): boolean {
  return data.type !== eventType.trigger;
}
