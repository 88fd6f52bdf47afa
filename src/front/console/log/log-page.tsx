import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { useApp } from '../app.js';
import { CallList } from '../audit.js';
import { automation } from '../i18n/automation.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { Tabs } from '../parts/tabs.js';
import { MessageList } from './message-list.js';
import { Traffic } from './traffic.js';

const CALLS = 300;

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
  const { log } = automation();
  const { state } = useLoaded(
    () => (role.value === '' ? app.call('GW_GetAudit', CALLS) : app.call('GW_GetAudit', CALLS, role.value)),
    [role.value],
  );
  return (
    <>
      <div class="field">
        <label for={id}>{log.role}</label>
        <select id={id} value={role.value} onChange={(event) => (role.value = event.currentTarget.value)}>
          {Object.entries(log.roles).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <LoadedView state={state}>
        {(entries) =>
          entries.length === 0 ? <p class="soft">{log.noCalls}</p> : <CallList entries={entries} />
        }
      </LoadedView>
    </>
  );
}
