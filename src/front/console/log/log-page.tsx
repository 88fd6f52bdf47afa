import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { useApp } from '../app.js';
import { CallList } from '../audit/call-list.js';
import { auditTexts } from '../audit/texts.js';
import { automation } from '../i18n/automation.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { Tabs } from '../parts/tabs.js';
import { MessageList } from './message-list.js';
import { Traffic } from './traffic.js';

/** Records that are read, those that are listed first, and that a press of "more" adds. */
const READ = 2000;
const ROWS = 100;

/** The gateway's log as it is written, what instances send and receive, and who did what. */
export function LogPage() {
  const chosen = useSignal('messages');
  const { log } = automation();
  return (
    <main>
      <h1>{words().pages.log}</h1>
      <Tabs
        label={words().pages.log}
        tabs={[
          { name: 'messages', text: log.messages },
          { name: 'debug', text: log.debug },
          { name: 'calls', text: log.calls },
        ]}
        chosen={chosen.value}
        onChoose={(name) => (chosen.value = name)}
      >
        {chosen.value === 'messages' ? <MessageList /> : chosen.value === 'debug' ? <Traffic /> : <Calls />}
      </Tabs>
    </main>
  );
}

function Calls() {
  const app = useApp();
  const id = useId();
  const role = useSignal('');
  const result = useSignal('');
  const rows = useSignal(ROWS);
  const { log } = automation();
  const audit = auditTexts();
  const { state } = useLoaded(
    () => (role.value === '' ? app.call('GW_GetAudit', READ) : app.call('GW_GetAudit', READ, role.value)),
    [role.value],
  );
  return (
    <>
      <div class="filters">
        <Choice id={`${id}-role`} label={log.role} options={log.roles} chosen={role} />
        <Choice id={`${id}-result`} label={audit.result} options={audit.results} chosen={result} />
      </div>
      <LoadedView state={state}>
        {(entries) => {
          const found = entries.filter(
            ({ Success }) => result.value === '' || Success === (result.value === 'done'),
          );
          if (found.length === 0) return <p class="soft">{log.noCalls}</p>;
          return (
            <>
              <CallList entries={found.slice(0, rows.value)} />
              {found.length > rows.value && (
                <button class="plain" type="button" onClick={() => (rows.value += ROWS)}>
                  {log.more}
                </button>
              )}
            </>
          );
        }}
      </LoadedView>
    </>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly options: Readonly<Record<string, string>>;
  readonly chosen: Signal<string>;
}

function Choice({ id, label, options, chosen }: ChoiceProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value)}>
        {Object.entries(options).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
