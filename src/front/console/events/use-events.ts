import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Cancel } from '../../../base/clock.js';
import type { ChangeRecord, EventRecord } from '../../../client/generated/records.js';
import { realTiming } from '../../../client/timing.js';
import * as message from '../../web/message-numbers.js';
import { objectType } from '../../web/objects.js';
import { type ConsoleApp, useApp } from '../app.js';

/** Events are read again at most this often after they changed, ms. */
export const COLLECT_MS = 300;
/** The last message about an event (interface §3.5). */
const LAST_MESSAGE = 10_899;

/** Whether a message is about an event. */
export function isOfEvent({ Message }: ChangeRecord): boolean {
  return Message >= message.EVENT && Message <= LAST_MESSAGE;
}

/** All events by their IDs, and what follows them. */
interface Events {
  /** In step with the gateway; undefined until they are loaded. */
  readonly events: ReadonlySignal<ReadonlyMap<number, EventRecord> | undefined>;
  /** Shows an event that was read after it was changed here. */
  show(event: EventRecord): void;
}

/** See {@link Events}. */
export function useEvents(): Events {
  const app = useApp();
  const { gateway } = app;
  const events = useSignal<ReadonlyMap<number, EventRecord> | undefined>(undefined);
  const { kind } = gateway.state.value;
  useEffect(() => {
    if (kind !== 'live') return undefined;
    let isOpen = true;
    const changed = new Set<number>();
    let cancel: Cancel | undefined;
    const read = async () => {
      cancel = undefined;
      const ids = [...changed];
      changed.clear();
      const records = await Promise.all(ids.map((id) => readEvent(app, id)));
      if (!isOpen) return;
      const next = new Map(events.peek());
      ids.forEach((id, at) => {
        const record = records[at];
        if (record !== undefined) next.set(id, record);
        else if (gateway.model.find(id) === undefined) next.delete(id);
      });
      events.value = next;
    };
    const stop = gateway.observe((record) => {
      const { SenderID, Message } = record;
      const isDeletion = Message === message.UNREGISTER && events.peek()?.has(SenderID) === true;
      if (!isOfEvent(record) && !isDeletion) return;
      changed.add(SenderID);
      cancel ??= realTiming.after(COLLECT_MS, () => void read());
    });
    // Known ones may have been deleted while the connection was lost.
    for (const id of events.peek()?.keys() ?? []) changed.add(id);
    for (const { id, type } of gateway.model.all()) if (type === objectType.event) changed.add(id);
    void read();
    return () => {
      isOpen = false;
      stop();
      cancel?.();
    };
  }, [kind]);
  return {
    events,
    show: (event) => (events.value = new Map(events.peek()).set(event.EventID, event)),
  };
}

/** An event; undefined if it was deleted meanwhile or the connection is lost. */
function readEvent(app: ConsoleApp, id: number): Promise<EventRecord | undefined> {
  return app.call('SVC_GetEvent', id).catch(() => undefined);
}
