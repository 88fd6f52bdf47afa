import type { BrowserSession } from '../../../client/generated/records.js';
import { useApp } from '../app.js';
import { systemTexts } from '../i18n/system.js';

interface SessionListProps {
  readonly sessions: readonly BrowserSession[];
  /** A session was ended. */
  readonly onChange: () => void;
}

/** Browsers that are signed in; each can be signed out. */
export function SessionList({ sessions, onChange }: SessionListProps) {
  const app = useApp();
  const { sessions: text } = systemTexts();
  if (sessions.length === 0) return <p class="soft">{text.none}</p>;
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
              ? text.console
              : app.gateway.model.find(session.ConfiguratorID)?.entry.value.name}
            {` · ${session.Address} · `}
            {session.Connected ? text.connected : `${text.lastSeen} ${app.moment(session.LastSeenMs)}`}
          </small>
          <button class="plain" type="button" onClick={() => void end(session.ID)}>
            {text.end}
          </button>
        </li>
      ))}
    </ul>
  );
}
