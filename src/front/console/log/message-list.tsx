import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { formatDate } from '../../web/format.js';
import { useApp } from '../app.js';
import { automation } from '../i18n/automation.js';
import { type LogEntry, useLog } from './use-log.js';

/** Rows that are shown, and that a press of "more" adds. */
const ROWS = 200;
const LEVELS = [10205, 10204, 10203, 10202, 10201, 10206, 10207] as const;

/** Messages, newest first, filtered by level, subject and text. */
export function MessageList() {
  const { entries, isPaused, setPaused } = useLog();
  const level = useSignal('all');
  const subject = useSignal('');
  const text = useSignal('');
  const rows = useSignal(ROWS);
  const id = useId();
  const { log } = automation();
  const all = entries.value;
  const lower = text.value.trim().toLowerCase();
  const found = all.filter(
    (entry) =>
      (level.value === 'all' || entry.level === Number(level.value)) &&
      (subject.value === '' || entry.subject === subject.value) &&
      (lower === '' || `${entry.subject} ${entry.text}`.toLowerCase().includes(lower)),
  );
  const subjects = [...new Set(all.map((entry) => entry.subject))].sort();
  return (
    <>
      <div class="filters">
        <div class="field">
          <label for={`${id}-level`}>{log.level}</label>
          <select
            id={`${id}-level`}
            value={level.value}
            onChange={(event) => (level.value = event.currentTarget.value)}
          >
            {['all', ...LEVELS].map((one) => (
              <option key={one} value={one}>
                {log.levels[one]}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${id}-subject`}>{log.subject}</label>
          <select
            id={`${id}-subject`}
            value={subject.value}
            onChange={(event) => (subject.value = event.currentTarget.value)}
          >
            <option value="">{log.anySubject}</option>
            {subjects.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </div>
        <div class="field wide">
          <label for={`${id}-text`}>{log.search}</label>
          <input
            id={`${id}-text`}
            type="search"
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </div>
        <button class="plain" type="button" onClick={() => setPaused(!isPaused.value)}>
          {isPaused.value ? log.resume : log.pause}
        </button>
      </div>
      <p class="soft">{log.shown(found.length, all.length)}</p>
      {found.length === 0 && <p class="soft">{log.none}</p>}
      <ul class="messages">
        {found.slice(0, rows.value).map((entry) => (
          <MessageRow key={entry.key} entry={entry} />
        ))}
      </ul>
      {found.length > rows.value && (
        <button class="plain" type="button" onClick={() => (rows.value += ROWS)}>
          {log.more}
        </button>
      )}
    </>
  );
}

const CLASSES: Readonly<Record<number, string>> = { 10202: 'good', 10204: 'warning', 10205: 'failed' };

function MessageRow({ entry }: { readonly entry: LogEntry }) {
  const app = useApp();
  return (
    <li class={CLASSES[entry.level] ?? ''}>
      <time>{formatDate(entry.unixS * 1000, app.gateway.model.timezone, 'medium')}</time>
      <span class="level">{automation().log.levels[entry.level]}</span>
      <span class="subject">{entry.subject}</span>
      <span class="text">{entry.text}</span>
    </li>
  );
}
