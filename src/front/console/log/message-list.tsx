import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { formatDate } from '../../web/format.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { automation } from '../i18n/automation.js';
import { type LogLine, useLog } from './use-log.js';

/** Rows that are shown, and that a press of "more" adds. */
const ROWS = 200;
/** In the order of their weight: a level includes those after it. */
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Lines of the log, newest first, filtered by level, subject and text. */
export function MessageList() {
  const { lines, isPaused, setPaused } = useLog();
  const level = useSignal<string>('debug');
  const subject = useSignal('');
  const text = useSignal('');
  const rows = useSignal(ROWS);
  const id = useId();
  const { log } = automation();
  const all = lines.value;
  const allowed: readonly string[] = LEVELS.slice(LEVELS.findIndex((one) => one === level.value));
  const lower = text.value.trim().toLowerCase();
  const found = all.filter(
    ({ Level, Subject, Text }) =>
      allowed.includes(Level) &&
      (subject.value === '' || Subject === subject.value) &&
      (lower === '' || `${Subject} ${Text}`.toLowerCase().includes(lower)),
  );
  const subjects = [...new Set(all.map(({ Subject }) => Subject))].sort();
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
            {LEVELS.map((one) => (
              <option key={one} value={one}>
                {log.from[one]}
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
        {found.slice(0, rows.value).map((line) => (
          <MessageRow key={line.key} line={line} />
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

const CLASSES: Readonly<Record<LogLine['Level'], string>> = {
  debug: '',
  info: '',
  warn: 'warning',
  error: 'failed',
};

function MessageRow({ line }: { readonly line: LogLine }) {
  const app = useApp();
  const { TimeMs, Level, Subject, Text, InstanceID } = line;
  const instance = InstanceID === 0 ? undefined : app.gateway.model.find(InstanceID);
  return (
    <li class={CLASSES[Level]}>
      <time>{formatDate(TimeMs, app.gateway.model.timezone, 'medium')}</time>
      <span class="level">{automation().log.levels[Level]}</span>
      <span class="subject">
        {Subject}
        {instance !== undefined && (
          <>
            {' '}
            <a href={addressOf('tree', instance.id)}>{instance.name}</a>
          </>
        )}
      </span>
      <span class="text" lang="en">
        {Text}
      </span>
    </li>
  );
}
