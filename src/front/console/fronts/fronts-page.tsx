import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { FrontItem } from '../../../client/generated/records.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { automation } from '../i18n/automation.js';
import { words } from '../i18n/console-texts.js';
import { systemTexts } from '../i18n/system.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { SessionList } from '../system/session-list.js';
import { SeeAsResident } from './see-as-resident.js';
import { ItemsEditor, type Area } from './items-editor.js';

/** The residents' fronts with their addresses and signed-in devices. */
export function FrontsPage() {
  const app = useApp();
  const { fronts } = automation();
  const { state, reload } = useLoaded(async () => {
    const [configurators, sessions] = await Promise.all([
      app.call('WFC_GetConfigurators'),
      app.call('GW_GetSessions'),
    ]);
    return { configurators, sessions };
  }, []);
  return (
    <main>
      <h1>{words().pages.fronts}</h1>
      <LoadedView state={state}>
        {({ configurators, sessions }) => (
          <>
            {configurators.length === 0 && (
              <p>
                {fronts.none}{' '}
                <a href={addressOf('system', 'passwords')}>
                  {`${words().pages.system} › ${systemTexts().tabs.passwords}`}
                </a>
              </p>
            )}
            {configurators.map(({ ID, Title, PasswordRequired }) => (
              <section key={ID}>
                <h2>{Title}</h2>
                <p class="row-head">
                  <SeeAsResident configurator={ID} title={Title} isOpen={!PasswordRequired} />
                  <small>
                    {`${location.origin}/wfc/${ID}/`}
                    {!PasswordRequired && ` · ${fronts.noPassword}`}
                  </small>
                </p>
                <p>
                  <a href={addressOf('tree', ID)}>{fronts.settings}</a>
                </p>
                <h3>{automation().items.heading}</h3>
                <Pages configurator={ID} title={Title} />
                <h3>{fronts.devices}</h3>
                <SessionList
                  sessions={sessions.filter((one) => one.Kind === 'front' && one.ConfiguratorID === ID)}
                  onChange={reload}
                />
              </section>
            ))}
          </>
        )}
      </LoadedView>
    </main>
  );
}

/** The pages of a front that the owner composed: a button, and the editor when it is pressed. */
function Pages({ configurator, title }: { readonly configurator: number; readonly title: string }) {
  const app = useApp();
  const { items: text } = automation();
  const loaded = useSignal<{ readonly items: readonly FrontItem[]; readonly area: Area } | undefined>(
    undefined,
  );
  const open = async () => {
    const [items, snapshot] = await Promise.all([
      app.call('WFC_GetItems', configurator),
      app.call('WFC_GetSnapshot', configurator),
    ]);
    loaded.value = { items, area: areaOf(snapshot) };
  };
  // What was changed before leaving this page.
  const isChanged = app.form(`items/${configurator}`).peek() !== undefined;
  useEffect(() => void (isChanged && app.act(open)), []);
  if (loaded.value !== undefined)
    return (
      <ItemsEditor
        configurator={configurator}
        {...loaded.value}
        onReload={() => void app.act(open)}
        onDone={() => (loaded.value = undefined)}
      />
    );
  return (
    <p>
      <button class="plain" type="button" aria-label={text.editFor(title)} onClick={() => void app.act(open)}>
        {text.edit}
      </button>
    </p>
  );
}

/** The area of a front in its snapshot. */
function areaOf(snapshot: unknown): Area {
  const { area, objects } = snapshot as { area: { base: number }; objects: Record<string, object> };
  return { base: area.base, ids: new Set(Object.keys(objects).map((key) => Number(key.slice(2)))) };
}
