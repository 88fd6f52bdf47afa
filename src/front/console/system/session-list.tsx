import type { BrowserSession } from '../../../client/generated/records.js';
import { useApp } from '../app.js';
import { automation } from '../i18n/automation.js';

interface SessionListProps {
  readonly sessions: readonly BrowserSession[];
  /** A session was ended. */
  readonly onChange: () => void;
}

/** Browsers that are signed in; each can be signed out. */
export function SessionList({ sessions, onChange }: SessionListProps) {
  const app = useApp();
  const { system } = automation();
  if (sessions.length === 0) return <p class="soft">{system.noSessions}</p>;
  const end = async (id: string) => {
    await app.act(() => app.call('GW_EndSession', id));
    onChange();
  };
  return (
    <ul class="cards">
      {sessions.map((session) => (
        <li key={session.ID}>
          <strong>{session.Device === '' ? session.Address : session.Device}</strong>
          <small>
            {session.Kind === 'console'
              ? system.console
              : app.gateway.model.find(session.ConfiguratorID)?.entry.value.name}
            {` · ${session.Address} · `}
            {session.Connected ? system.connected : `${system.lastSeen} ${app.moment(session.LastSeenMs)}`}
          </small>
          <button class="plain" type="button" onClick={() => void end(session.ID)}>
            {system.end}
          </button>
        </li>
      ))}
    </ul>
  );
}
