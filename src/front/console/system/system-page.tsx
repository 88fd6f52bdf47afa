import type { ComponentType } from 'preact';
import { useApp } from '../app.js';
import { CallList } from '../audit/call-list.js';
import { words } from '../i18n/console-texts.js';
import { systemTexts, type SystemTexts } from '../i18n/system.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { Tabs } from '../parts/tabs.js';
import { AppearanceForm } from './appearance-form.js';
import { BackupList } from './backup-list.js';
import { ConfigurationEditor } from './configuration-editor.js';
import { DeletedList } from './deleted-list.js';
import { MachineView } from './machine/machine-view.js';
import { OptionList } from './option-list.js';
import { PasswordList } from './password-list.js';
import { lazy } from '../../web/parts/lazy.js';
import { SessionList } from './session-list.js';

/** Wrong passwords that are listed. */
const REJECTED = 50;

type TabName = keyof SystemTexts['tabs'];

const TABS: Readonly<Record<TabName, ComponentType>> = {
  backups: BackupList,
  updates: lazy(async () => (await import('./updates-view.js')).UpdatesView),
  settings: lazy(async () => (await import('../settings/settings-form.js')).SettingsForm),
  configuration: ConfigurationEditor,
  deleted: DeletedList,
  passwords: PasswordList,
  sessions: Sessions,
  machine: MachineView,
  options: OptionList,
  appearance: AppearanceForm,
};

/** What concerns the gateway itself: each tab has an address, `#/system/TAB`. */
export function SystemPage({ id }: { readonly id: string }) {
  const app = useApp();
  const chosen = id in TABS ? (id as TabName) : 'backups';
  const Page = TABS[chosen];
  const { tabs } = systemTexts();
  return (
    <main>
      <h1>{words().pages.system}</h1>
      <Tabs
        label={words().pages.system}
        tabs={(Object.keys(TABS) as TabName[]).map((name) => ({ name, text: tabs[name] }))}
        chosen={chosen}
        onChoose={(name) => app.router.go('system', name)}
      >
        <Page />
      </Tabs>
    </main>
  );
}

function Sessions() {
  const app = useApp();
  const { sessions: text } = systemTexts();
  const { state, reload } = useLoaded(
    () => Promise.all([app.call('GW_GetSessions'), app.call('GW_GetAudit', REJECTED, 'unverified')]),
    [],
  );
  return (
    <LoadedView state={state}>
      {([sessions, rejected]) => (
        <>
          <SessionList sessions={sessions} onChange={reload} />
          <h2>{text.rejected}</h2>
          {rejected.length === 0 ? <p class="soft">{text.noRejected}</p> : <CallList entries={rejected} />}
        </>
      )}
    </LoadedView>
  );
}
