import { useId } from 'preact/hooks';
import { useApp } from '../app.js';
import { useDraft } from '../forms/use-draft.js';
import { useSubmit } from '../forms/use-submit.js';
import { updateTexts } from '../i18n/updates.js';
import type { Change, UpdateSettings } from './settings.js';

/** What the gateway does by default. */
const DEFAULTS = { from: '02:00', to: '04:00' } as const;

interface UpdateScheduleProps {
  readonly settings: UpdateSettings | undefined;
  /** Whether the changes were saved. */
  readonly onChange: (changes: readonly Change[]) => Promise<boolean>;
}

/** Whether and when the box asks for updates, and whether it installs them. */
export function UpdateSchedule({ settings, onChange }: UpdateScheduleProps) {
  const { timezone } = useApp().gateway.model;
  const id = useId();
  const text = updateTexts();
  const before = {
    url: settings?.url ?? '',
    install: String(settings?.install ?? false),
    from: settings?.from ?? DEFAULTS.from,
    to: settings?.to ?? DEFAULTS.to,
  };
  const { draft, clear, bind } = useDraft('update-schedule', before);
  const isChanged = (Object.keys(before) as (keyof typeof before)[]).some(
    (name) => draft[name] !== before[name],
  );
  const { isBusy, onSubmit } = useSubmit(() => onChange([['updates', valueOf(draft)]]), clear);
  return (
    <form class="card" onSubmit={onSubmit} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{text.schedule}</h3>
      {before.url === '' && <p class="soft">{text.isOff}</p>}
      <div class="field">
        <label for={`${id}-url`}>{text.url}</label>
        <input id={`${id}-url`} type="url" {...bind('url')} aria-describedby={`${id}-url-hint`} />
        <small id={`${id}-url-hint`}>{text.urlHint}</small>
      </div>
      <div class="fields">
        <div class="field">
          <label for={`${id}-from`}>{text.from}</label>
          <input id={`${id}-from`} type="time" required {...bind('from')} aria-describedby={`${id}-hint`} />
        </div>
        <div class="field">
          <label for={`${id}-to`}>{text.to}</label>
          <input id={`${id}-to`} type="time" required {...bind('to')} aria-describedby={`${id}-hint`} />
        </div>
      </div>
      <small id={`${id}-hint`}>{text.windowHint(timezone)}</small>
      <div class="field">
        <label for={`${id}-install`}>{text.auto}</label>
        <select id={`${id}-install`} {...bind('install')}>
          <option value="false">{text.no}</option>
          <option value="true">{text.yes}</option>
        </select>
      </div>
      <div class="row-head">
        <button class="primary" disabled={isBusy.value || !isChanged}>
          {text.save}
        </button>
        {isChanged && (
          <button class="plain" type="button" onClick={clear}>
            {text.discard}
          </button>
        )}
      </div>
    </form>
  );
}

/** The setting `updates`; null without an address: nothing is checked. */
function valueOf({
  url,
  install,
  from,
  to,
}: Readonly<Record<'url' | 'install' | 'from' | 'to', string>>): object | null {
  if (url.trim() === '') return null;
  return { url: url.trim(), install: install === 'true', from, to };
}
