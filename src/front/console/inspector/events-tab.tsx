import type { EventRecord } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { CheckField } from '../parts/check-field.js';
import { Sentences } from '../events/sentences.js';
import { COLLECT_MS, isOfEvent } from '../events/use-events.js';
import { useActivity, useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';

/** Events that an object triggers, that run it, or that are below it; an event itself. */
export function EventsTab({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const { model } = app.gateway;
  const { state, reload, refresh } = useLoaded(async () => {
    const ids = new Set(
      model
        .children(node.id)
        .filter(({ type }) => type === objectType.event)
        .map(({ id }) => id),
    );
    if (node.type === objectType.event) ids.add(node.id);
    if (node.type === objectType.variable)
      for (const id of await app.call('SVC_GetVariableEventList', node.id)) ids.add(id);
    if (node.type === objectType.script)
      for (const id of await app.call('SVC_GetScriptEventList', node.id)) ids.add(id);
    return Promise.all([...ids].map((id) => app.call('SVC_GetEvent', id)));
  }, [node.id, model.structure.value]);
  useActivity(COLLECT_MS, refresh, isOfEvent);
  return (
    <LoadedView state={state}>
      {(events) =>
        events.length === 0 ? (
          <p class="soft">{words().events.none}</p>
        ) : (
          <ul class="cards">
            {events.map((event) => (
              <EventCard key={event.EventID} event={event} onChange={reload} />
            ))}
          </ul>
        )
      }
    </LoadedView>
  );
}

interface EventCardProps {
  readonly event: EventRecord;
  readonly onChange: () => void;
}

function EventCard({ event, onChange }: EventCardProps) {
  const app = useApp();
  const node = app.gateway.model.find(event.EventID);
  const { events } = words();
  if (node === undefined) return null;
  const toggle = async (isActive: boolean) => {
    await app.act(() => app.call('SVC_SetEventActive', event.EventID, isActive));
    onChange();
  };
  return (
    <li>
      <a href={addressOf('events', node.id)}>{node.name}</a>
      <small>
        {new Sentences(app).when(event)}
        {` · ${events.lastRun} ${event.LastRun === 0 ? events.never : app.moment(event.LastRun * 1000)}`}
        {event.NextRun > 0 && ` · ${events.nextRun} ${app.moment(event.NextRun * 1000)}`}
      </small>
      <CheckField
        label={events.active}
        checked={event.EventActive}
        onChange={(isActive) => void toggle(isActive)}
      />
    </li>
  );
}
