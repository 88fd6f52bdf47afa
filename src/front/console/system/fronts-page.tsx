import { useApp } from '../app.js';
import { automation } from '../i18n/automation.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { SessionList } from './session-list.js';

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
            {configurators.length === 0 && <p class="soft">{fronts.none}</p>}
            {configurators.map(({ ID, Title, PasswordRequired }) => (
              <section key={ID}>
                <h2>{Title}</h2>
                <p>
                  <a href={`/wfc/${ID}/`} target="_blank" rel="noreferrer">
                    {fronts.open}
                  </a>{' '}
                  <small>
                    {`${location.origin}/wfc/${ID}/`}
                    {!PasswordRequired && ` · ${fronts.noPassword}`}
                  </small>
                </p>
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
