import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { OptionRecord } from '../../../client/generated/records.js';
import { chooseLanguage, locale, texts } from '../../web/i18n/i18n.js';
import { useApp } from '../app.js';
import { automation } from '../i18n/automation.js';
import { setConsoleLanguage, words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { Tabs } from '../parts/tabs.js';
import { BackupList } from './backup-list.js';
import { SessionList } from './session-list.js';

const TABS = { backups: BackupList, sessions: Sessions, options: Options, appearance: Appearance } as const;
type TabName = keyof typeof TABS;

/** Backups, sessions, options, and how the console looks. */
export function SystemPage({ id }: { readonly id: string }) {
  const app = useApp();
  const chosen = id in TABS ? (id as TabName) : 'backups';
  const Page = TABS[chosen];
  const { system } = automation();
  return (
    <main>
      <h1>{words().pages.system}</h1>
      <Tabs
        label={words().pages.system}
        tabs={(Object.keys(TABS) as TabName[]).map((name) => ({ name, text: system[name] }))}
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
  const { state, reload } = useLoaded(() => app.call('GW_GetSessions'), [app.gateway.state.value]);
  return (
    <LoadedView state={state}>
      {(sessions) => <SessionList sessions={sessions} onChange={reload} />}
    </LoadedView>
  );
}

function Options() {
  const app = useApp();
  const { state, reload } = useLoaded(async () => {
    const names = await app.call('SVC_GetOptionList');
    return Promise.all(names.map((name) => app.call('SVC_GetOptionEx', name)));
  }, []);
  return (
    <LoadedView state={state}>
      {(options) => (
        <div class="form">
          {options.map((option) => (
            <OptionField key={option.Name} option={option} onChange={reload} />
          ))}
        </div>
      )}
    </LoadedView>
  );
}

interface OptionFieldProps {
  readonly option: OptionRecord;
  readonly onChange: () => void;
}

function OptionField({ option, onChange }: OptionFieldProps) {
  const app = useApp();
  const id = useId();
  const value = useSignal(option.Value);
  const { system } = automation();
  const set = async (event: SubmitEvent) => {
    event.preventDefault();
    await app.act(() => app.call('SVC_SetOption', option.Name, value.peek()));
    onChange();
  };
  return (
    <form class="field" onSubmit={(event) => void set(event)}>
      <label for={id}>
        {option.Name} <small>{option.Description}</small>
      </label>
      <span class="with-unit">
        <input
          id={id}
          type="number"
          required
          min={option.Minimum}
          max={option.Maximum}
          value={value.value}
          aria-describedby={`${id}-range`}
          onInput={(event) => (value.value = event.currentTarget.valueAsNumber)}
        />
        <button class="plain" disabled={value.value === option.Value}>
          {system.set}
        </button>
      </span>
      <small id={`${id}-range`}>{system.range(option.Minimum, option.Maximum, option.Default)}</small>
    </form>
  );
}

function Appearance() {
  const app = useApp();
  const id = useId();
  const { device } = texts();
  const { theme } = app.preferences.value;
  return (
    <div class="form">
      <div class="field">
        <label for={`${id}-language`}>{device.language}</label>
        <select
          id={`${id}-language`}
          value={locale()}
          onChange={({ currentTarget }) => {
            const language = chooseLanguage([], currentTarget.value);
            app.preferences.change({ language });
            void setConsoleLanguage(language);
          }}
        >
          <option value="de">Deutsch</option>
          <option value="en">English</option>
        </select>
      </div>
      <div class="field">
        <label for={`${id}-theme`}>{device.theme}</label>
        <select
          id={`${id}-theme`}
          value={theme}
          onChange={({ currentTarget }) =>
            app.preferences.change({ theme: currentTarget.value as typeof theme })
          }
        >
          {Object.entries(device.themes).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}
