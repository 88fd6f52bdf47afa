import type { BrowserSession } from '../../../client/generated/records.js';
import { keepFocus } from '../../web/parts/take-focus.js';
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
    <ul ref={keepFocus} class="cards">
      {sessions.map((session) => {
        const name = session.Device === '' ? session.Address : session.Device;
        return (
          <li key={session.ID}>
            <strong>
              {name}
              {session.IsOwn && <span class="mark">{text.own}</span>}
              {session.IsOwnerView && <span class="mark">{text.ownerView}</span>}
            </strong>
            <small>
              {session.Kind === 'console'
                ? text.console
                : text.front(app.gateway.model.find(session.ConfiguratorID)?.name ?? '')}
              {` · ${session.Address} · `}
              {session.Connected ? text.connected : text.lastSeen(app.moment(session.LastSeenMs))}
            </small>
            <small>{text.times(app.moment(session.CreatedMs), app.moment(session.ValidUntilMs))}</small>
            <div>
              <button
                class="plain"
                type="button"
                aria-label={text.endOf(name)}
                onClick={() => void end(session.ID)}
              >
                {text.end}
              </button>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
