import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { EventRecord } from '../../../client/generated/records.js';
import { texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import { Icon } from '../../web/parts/icon.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { words } from '../i18n/console-texts.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';
import { Tabs } from '../parts/tabs.js';
import { pathOf } from '../search.js';
import { CreateEvent } from './create-event.js';
import { Decisions } from './decisions.js';
import { forgetActivation } from './entered-event.js';
import { EventSettings } from './event-settings.js';
import { Sentences } from './sentences.js';
import { useEvents } from './use-events.js';

/** Events that are listed; the filter finds the others. */
const LISTED = 200;

/** All events, and what one of them does, did and is set to. */
export function EventsPage({ id }: { readonly id: string }) {
  const app = useApp();
  const { model } = app.gateway;
  const { events, show } = useEvents();
  const tab = useSignal<string>('why');
  void model.structure.value;
  const selected = events.value?.get(Number(id));
  const node = model.find(Number(id));
  return (
    <main class={selected === undefined ? 'split' : 'split chosen'}>
      <h1 class="unseen">{words().pages.events}</h1>
      <section class="pane" aria-label={words().pages.events}>
        <CreateEvent onCreated={() => (tab.value = 'edit')} />
        {events.value === undefined ? (
          <p class="soft">{texts().loading}</p>
        ) : (
          <EventList events={[...events.value.values()]} selected={selected?.EventID} />
        )}
      </section>
      <section class="pane">
        <a class="up" href={addressOf('events')}>
          <Icon name="back" />
          {texts().back}
        </a>
        {selected === undefined || node === undefined ? (
          <p class="soft">{eventTexts().choose}</p>
        ) : (
          <EventDetail
            key={node.id}
            node={node}
            event={selected}
            onRead={show}
            tab={tab.value}
            onTab={(name) => (tab.value = name)}
          />
        )}
      </section>
    </main>
  );
}

interface EventListProps {
  readonly events: readonly EventRecord[];
  readonly selected: number | undefined;
}

function EventList({ events, selected }: EventListProps) {
  const app = useApp();
  const id = useId();
  const filter = useSignal('');
  const kind = useSignal(-1);
  const text = eventTexts();
  const sentences = new Sentences(app);
  const lower = filter.value.trim().toLowerCase();
  const rows = events
    .map((event) => ({
      event,
      name: app.gateway.model.find(event.EventID)?.name ?? '',
      when: sentences.when(event),
    }))
    .filter(
      ({ event, name, when }) =>
        (kind.value < 0 || event.EventType === kind.value) && `${name} ${when}`.toLowerCase().includes(lower),
    )
    .sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  if (events.length === 0) return <p class="soft">{text.none}</p>;
  return (
    <>
      <div class="filters">
        <input
          type="search"
          aria-label={text.filter}
          placeholder={text.filterHint}
          value={filter.value}
          onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
        />
        <label class="unseen" for={`${id}-kind`}>
          {text.filterKind}
        </label>
        <select
          id={`${id}-kind`}
          value={kind.value}
          onChange={({ currentTarget }) => (kind.value = Number(currentTarget.value))}
        >
          <option value={-1}>{text.allKinds}</option>
          {text.kinds.map((name, value) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {rows.length === 0 && <p class="soft">{text.noMatch}</p>}
      <ul class="rows events">
        {rows.slice(0, LISTED).map(({ event, name, when }) => (
          <EventRow
            key={event.EventID}
            event={event}
            name={name}
            when={when}
            isSelected={event.EventID === selected}
          />
        ))}
      </ul>
      {rows.length > LISTED && <p class="soft">{text.more(rows.length - LISTED)}</p>}
    </>
  );
}

interface EventRowProps {
  readonly event: EventRecord;
  readonly name: string;
  readonly when: string;
  readonly isSelected: boolean;
}

const KIND_ICONS = ['Gauge', 'Clock', 'Calendar'] as const;

function EventRow({ event, name, when, isSelected }: EventRowProps) {
  return (
    <li>
      <a href={addressOf('events', event.EventID)} aria-current={isSelected ? 'true' : undefined}>
        <Icon name={KIND_ICONS[event.EventType] ?? 'Clock'} />
        <span>
          {name}
          <small>{when}</small>
          <small>
            <RunTimes event={event} />
          </small>
        </span>
      </a>
      <ActiveSwitch event={event} name={name} />
    </li>
  );
}

/** The last and the next run, and the runs that are left. */
function RunTimes({ event: { LastRun, NextRun, EventLimit } }: { readonly event: EventRecord }) {
  const app = useApp();
  const { lastRun, nextRun, neverRan, runsLeft } = eventTexts();
  const parts = [
    LastRun === 0 ? neverRan : lastRun(app.moment(LastRun * 1000)),
    ...(NextRun > 0 ? [nextRun(app.moment(NextRun * 1000))] : []),
    ...(EventLimit > 0 ? [runsLeft(EventLimit)] : []),
  ];
  return <>{parts.join(' · ')}</>;
}

interface ActiveSwitchProps {
  readonly event: EventRecord;
  readonly name: string;
  readonly isLabelled?: boolean;
}

function ActiveSwitch({ event, name, isLabelled = false }: ActiveSwitchProps) {
  const app = useApp();
  const { EventID, EventActive } = event;
  return (
    <label class="check active">
      <input
        type="checkbox"
        role="switch"
        aria-label={isLabelled ? undefined : eventTexts().activate(name)}
        checked={EventActive}
        onChange={({ currentTarget }) => {
          const isActive = currentTarget.checked;
          // It shows what was reported, not what is requested.
          currentTarget.checked = EventActive;
          void app.act(async () => {
            await app.call('SVC_SetEventActive', EventID, isActive);
            forgetActivation(app, EventID);
          });
        }}
      />
      {isLabelled && eventTexts().active}
    </label>
  );
}

interface EventDetailProps {
  readonly node: TreeNode;
  readonly event: EventRecord;
  readonly onRead: (event: EventRecord) => void;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
}

function EventDetail({ node, event, onRead, tab, onTab }: EventDetailProps) {
  const app = useApp();
  const isAsking = useSignal(false);
  const { name } = node;
  const text = eventTexts();
  const sentences = new Sentences(app);
  const onlyIf = sentences.onlyIf(event);
  const path = pathOf(app.gateway.model, node);
  const remove = async () => {
    if (await app.act(() => app.call('SVC_DeleteEvent', node.id), text.removed(name)))
      app.router.go('events');
  };
  return (
    <article class="inspector">
      <header class="row-head">
        <h2>{name}</h2>
        <ActiveSwitch event={event} name={name} isLabelled />
        <button class="plain" type="button" onClick={() => (isAsking.value = true)}>
          {text.remove}
        </button>
      </header>
      <p class="soft">
        {path !== '' && <span class="path">{path}</span>}
        <RunTimes event={event} /> · <a href={addressOf('tree', node.id)}>{text.inTree}</a>
      </p>
      <dl class="sentence">
        <div>
          <dt>{text.when}</dt>
          <dd>
            {sentences.when(event)}
            {sentences.plan(event).map((line, at) => (
              <span key={at} class="path">
                {line}
              </span>
            ))}
          </dd>
        </div>
        {onlyIf !== '' && (
          <div>
            <dt>{text.onlyIf}</dt>
            <dd>{onlyIf}</dd>
          </div>
        )}
        <div>
          <dt>{text.effect}</dt>
          <dd>{sentences.effect(event)}</dd>
        </div>
      </dl>
      <Tabs
        label={text.tabs.label}
        tabs={[
          { name: 'why', text: text.tabs.why },
          { name: 'edit', text: text.tabs.edit },
        ]}
        chosen={tab}
        onChoose={onTab}
      >
        {tab === 'why' ? (
          <Decisions event={event} />
        ) : (
          <EventSettings node={node} event={event} onRead={onRead} />
        )}
      </Tabs>
      {isAsking.value && (
        <ConfirmationDialog
          title={text.removeQuestion(name)}
          action={text.remove}
          onConfirm={remove}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </article>
  );
}
