import { useEffect } from 'preact/hooks';
import { locale, texts } from '../../web/i18n/i18n.js';
import { useApp } from '../app.js';
import { MessageActions } from './message-actions.js';

const en = { empty: 'No messages since this page was opened.', remove: 'Clear the list' };
const de = { empty: 'Keine Meldungen, seit diese Seite geöffnet wurde.', remove: 'Liste leeren' };

/** Popups, notifications and sounds since the page was opened. */
export function MessagesPage() {
  const app = useApp();
  const { tabs } = texts();
  const own = locale() === 'de' ? de : en;
  const all = app.messages.all.value;
  useEffect(() => {
    app.messages.unread.value = 0;
  }, [all]);
  return (
    <main>
      <h1>{tabs.messages}</h1>
      {all.length === 0 ? (
        <p class="soft">{own.empty}</p>
      ) : (
        <ul class="list">
          {all.map((message) => (
            <li key={message.key}>
              <div class="grow">
                {message.atMs !== undefined && <small>{app.moment(message.atMs)}</small>}
                <strong>{message.title}</strong>
                <p>{message.text}</p>
              </div>
              <MessageActions message={message} />
            </li>
          ))}
        </ul>
      )}
      {all.length > 0 && (
        <p>
          <button class="plain" onClick={() => (app.messages.all.value = [])}>
            {own.remove}
          </button>
        </p>
      )}
    </main>
  );
}
