import { useSignal } from '@preact/signals';
import type { AuditEntry, Health } from '../../../client/generated/records.js';
import { objectType } from '../../web/objects.js';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { CallList } from '../audit/call-list.js';
import { words } from '../i18n/console-texts.js';
import { captionsOf, checkName, sentence } from '../i18n/gateway-texts.js';
import { useActivity, useLoaded } from '../load.js';
import { addressOfNode } from '../object-icon.js';
import { LoadedView } from '../parts/loaded-view.js';
import { statusText } from '../status.js';

/** An instance that is open and works. */
const ONLINE = 102;
const INACTIVE = 104;
/** Calls that are read, and those that are listed. */
const READ = 200;
const LISTED = 20;
/** Lines of a finding that are shown without a request. */
const SHOWN_LINES = 4;
/** What has no messages is read again at most this often, ms. */
const RELOAD_MS = 2000;

/** Health with what to do, devices that are not online, and who changed what. */
export function OverviewPage() {
  const app = useApp();
  const { state, refresh } = useLoaded(() => app.call('GW_GetAudit', READ), []);
  useActivity(RELOAD_MS, refresh);
  return (
    <main>
      <h1>{words().pages.overview}</h1>
      <HealthSection />
      <OfflineSection />
      <LoadedView state={state}>
        {(entries) => (
          <>
            <RejectedSection entries={entries} />
            <RecentSection entries={entries} />
          </>
        )}
      </LoadedView>
    </main>
  );
}

function HealthSection() {
  const app = useApp();
  const { state, refresh } = useLoaded(() => app.call('GW_GetHealth'), []);
  useActivity(RELOAD_MS, refresh);
  const { overview } = words();
  return (
    <section>
      <h2>{overview.checks}</h2>
      <LoadedView state={state}>
        {({ State, Checks }) => (
          <>
            <p class={`health ${State}`}>
              {State === 'ok' ? overview.healthy : State === 'warning' ? overview.warning : overview.failed}
            </p>
            <Findings checks={Checks.filter((check) => check.State !== 'ok')} />
            <Authority checks={Checks} />
            <p class="soft">{overview.allOk(Checks.filter((check) => check.State === 'ok').length)}</p>
          </>
        )}
      </LoadedView>
    </section>
  );
}

/** The fingerprint of the gateway's own authority, which people compare with the page /tls. */
function Authority({ checks }: { readonly checks: Health['Checks'] }) {
  const found = checks.find(({ Name, State }) => Name === 'certificates' && State === 'ok')?.CodedText;
  const text = found === undefined ? '' : sentence(found);
  if (!text.includes('SHA-256')) return null;
  return (
    <p class="soft lines">
      <a href="/tls">{words().signIn.trust}</a>: {text}
    </p>
  );
}

function Findings({ checks }: { readonly checks: Health['Checks'] }) {
  const app = useApp();
  const { overview } = words();
  if (checks.length === 0) return null;
  return (
    <ul class="cards">
      {checks.map((check) => (
        <li key={check.Name} class={check.State}>
          <strong>
            {overview.states[check.State]} · {checkName(check.Name)}
          </strong>
          <FindingText text={sentence(check.CodedText)} />
          {check.WhatToDo !== '' && (
            <p>
              <b>{overview.whatToDo}:</b> {sentence(check.CodedWhatToDo)}
            </p>
          )}
          {check.Since > 0 && <small>{overview.since(app.moment(check.Since * 1000))}</small>}
        </li>
      ))}
    </ul>
  );
}

/** A finding with a line for each thing that it concerns; what follows the first ones is shown on request. */
function FindingText({ text }: { readonly text: string }) {
  const lines = text.split('\n');
  const shown = lines.length > SHOWN_LINES + 1 ? SHOWN_LINES : lines.length;
  return (
    <>
      <p class="lines">{lines.slice(0, shown).join('\n')}</p>
      {shown < lines.length && (
        <details>
          <summary>{words().overview.more(lines.length - shown)}</summary>
          <p class="lines">{lines.slice(shown).join('\n')}</p>
        </details>
      )}
    </>
  );
}

function OfflineSection() {
  const { model } = useApp().gateway;
  void model.structure.value;
  const { overview } = words();
  const instances = [...model.all()].filter(
    ({ type, entry }) =>
      type === objectType.instance && ![ONLINE, INACTIVE].includes(entry.value.data.status ?? ONLINE),
  );
  return (
    <section>
      <h2>{overview.notOnline}</h2>
      {instances.length === 0 ? (
        <p class="soft">{overview.allOnline}</p>
      ) : (
        <ul class="cards">
          {instances.map((instance) => (
            <OfflineInstance key={instance.id} instance={instance} />
          ))}
        </ul>
      )}
    </section>
  );
}

function OfflineInstance({ instance }: { readonly instance: TreeNode }) {
  const app = useApp();
  const { model } = app.gateway;
  const { name } = instance;
  const { data } = instance.entry.value;
  const { state } = useLoaded(
    () => app.call('HW_ReadServiceMessages', instance.id),
    [instance.id, model.child(instance.id, 'STATUS')?.value.value],
  );
  const own = (state.value && 'value' in state.value ? state.value.value : []).filter(
    ({ InstanceID }) => InstanceID === instance.id,
  );
  const captions = captionsOf(data.moduleName ?? '');
  return (
    <li class="failed">
      <a href={addressOfNode(instance)}>{name}</a>
      <p>
        {own.map(({ CodedText }) => sentence(CodedText, captions)).join('; ') || statusText(data.status ?? 0)}
      </p>
    </li>
  );
}

interface CallsProps {
  readonly entries: readonly AuditEntry[];
}

function RejectedSection({ entries }: CallsProps) {
  const { overview } = words();
  const rejected = entries.filter(({ Success }) => !Success).slice(0, LISTED);
  return (
    <section>
      <h2>{overview.rejected}</h2>
      {rejected.length === 0 ? <p class="soft">{overview.noRejected}</p> : <CallList entries={rejected} />}
    </section>
  );
}

const FILTERS = {
  all: () => true,
  people: ({ Role }: AuditEntry) => Role !== 'inside',
  automatic: ({ Role }: AuditEntry) => Role === 'inside',
};
type Filter = keyof typeof FILTERS;

function RecentSection({ entries }: CallsProps) {
  const filter = useSignal<Filter>('all');
  const { overview } = words();
  const done = entries.filter((entry) => entry.Success && FILTERS[filter.value](entry)).slice(0, LISTED);
  return (
    <section>
      <h2>{overview.recent}</h2>
      <div class="segments" role="group" aria-label={overview.filter}>
        {(Object.keys(FILTERS) as Filter[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={filter.value === name}
            onClick={() => (filter.value = name)}
          >
            {overview.filters[name]}
          </button>
        ))}
      </div>
      {done.length === 0 ? <p class="soft">{overview.noRecent}</p> : <CallList entries={done} />}
    </section>
  );
}
