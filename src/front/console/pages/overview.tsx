import { objectType } from '../../web/objects.js';
import type { TreeNode } from '../../web/model.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { statusText } from '../status.js';
import { LoadedView } from '../loaded-view.js';

/** An instance that is open and works. */
const ONLINE = 102;
const INACTIVE = 104;
const RECENT = 20;

/** Health with what to do, devices that are not online, and who changed what. */
export function OverviewPage() {
  return (
    <main>
      <h1>{words().pages.overview}</h1>
      <HealthSection />
      <OfflineSection />
      <RecentSection />
    </main>
  );
}

function HealthSection() {
  const app = useApp();
  const { state } = useLoaded(() => app.call('GW_GetHealth'), [app.gateway.state.value]);
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
            <ul class="cards">
              {Checks.filter((check) => check.State !== 'ok').map((check) => (
                <li key={check.Name} class={check.State}>
                  <strong>
                    {overview.states[check.State]} · {check.Name}
                  </strong>
                  <p>{check.Text}</p>
                  <p>{check.WhatToDo}</p>
                  {check.Since > 0 && <small>{overview.since(app.moment(check.Since * 1000))}</small>}
                </li>
              ))}
            </ul>
          </>
        )}
      </LoadedView>
    </section>
  );
}

function OfflineSection() {
  const app = useApp();
  void app.gateway.model.structure.value;
  const { overview } = words();
  const instances = [...app.gateway.model.all()].filter(
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
  const { model } = useApp().gateway;
  const { name, data } = instance.entry.value;
  const reason = model.child(instance.id, 'STATUS')?.value.value;
  return (
    <li class="failed">
      <a href={addressOf('tree', instance.id)}>{name}</a>
      <p>{typeof reason === 'string' && reason !== '' ? reason : statusText(data.status ?? 0)}</p>
    </li>
  );
}

function RecentSection() {
  const app = useApp();
  const { state } = useLoaded(() => app.call('GW_GetAudit', RECENT), [app.gateway.state.value]);
  const { overview } = words();
  return (
    <section>
      <h2>{overview.recent}</h2>
      <LoadedView state={state}>
        {(entries) =>
          entries.length === 0 ? (
            <p class="soft">{overview.noRecent}</p>
          ) : (
            <div class="scroll">
              <table>
                <thead>
                  <tr>
                    <th>{overview.when}</th>
                    <th>{overview.who}</th>
                    <th>{overview.what}</th>
                    <th>{overview.result}</th>
                  </tr>
                </thead>
                <tbody>
                  {entries.map((entry, index) => (
                    <tr key={index}>
                      <td>{app.moment(entry.TimeStamp * 1000)}</td>
                      <td>{entry.User}</td>
                      <td>
                        {entry.Method} <small>{JSON.stringify(entry.Parameters)}</small>
                      </td>
                      <td>{entry.Success ? overview.done : entry.Error}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </LoadedView>
    </section>
  );
}
