import { texts } from '../../web/i18n/i18n.js';
import { useApp } from '../app.js';

/** Popups and notifications since the page was opened. */
export function MessagesPage() {
  const app = useApp();
  const { tabs, messages } = texts();
  return (
    <main>
      <h1>{tabs.messages}</h1>
      {app.messages.value.length === 0 && <p class="soft">{messages.empty}</p>}
      <ul class="list">
        {app.messages.value.map(({ key, atMs, record }) => (
          <li key={key}>
            <small>{app.time(atMs)}</small>
            <strong>{textOf(record.Data[0])}</strong>
            <p>{textOf(record.Data[1])}</p>
          </li>
        ))}
      </ul>
    </main>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
