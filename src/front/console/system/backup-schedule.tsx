import { useId } from 'preact/hooks';
import { useApp } from '../app.js';
import { useDraft } from '../forms/use-draft.js';
import { useSubmit } from '../forms/use-submit.js';
import { scheduleTexts } from './schedule-texts.js';
import type { BackupSettings, Change } from './settings.js';

/** What the gateway does by default. */
const DEFAULTS = { at: '03:15', verify: 'weekly', days: 7, weeks: 4, months: 6 } as const;
/** The most that the configuration allows. */
const LIMITS = { days: 366, weeks: 520, months: 120 } as const;
const PERIODS = ['days', 'weeks', 'months'] as const;

interface BackupScheduleProps {
  readonly settings: BackupSettings;
  /** Whether the changes were saved. */
  readonly onChange: (changes: readonly Change[]) => Promise<boolean>;
}

/** When encrypted backups are made and compared, and how many are kept. */
export function BackupSchedule({ settings, onChange }: BackupScheduleProps) {
  const { timezone } = useApp().gateway.model;
  const id = useId();
  const text = scheduleTexts();
  const { at = DEFAULTS.at, verify = DEFAULTS.verify, keep = {} } = settings;
  const before = {
    at,
    verify,
    days: String(keep.days ?? DEFAULTS.days),
    weeks: String(keep.weeks ?? DEFAULTS.weeks),
    months: String(keep.months ?? DEFAULTS.months),
  };
  const { draft, clear, bind } = useDraft('backup-schedule', before);
  const changes: readonly Change[] = [
    ...(['at', 'verify'] as const).map((name) => [name, `backup.${name}`, draft[name]] as const),
    ...PERIODS.map((name) => [name, `backup.keep.${name}`, Number(draft[name])] as const),
  ]
    .filter(([name]) => draft[name] !== before[name])
    .map(([, path, value]) => [path, value]);
  const { isBusy, onSubmit } = useSubmit(() => onChange(changes), clear);
  return (
    <form class="card" onSubmit={onSubmit} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{text.title}</h3>
      <div class="fields">
        <div class="field">
          <label for={`${id}-at`}>{text.at}</label>
          <input id={`${id}-at`} type="time" required {...bind('at')} aria-describedby={`${id}-hint`} />
          <small id={`${id}-hint`}>{text.atHint(timezone)}</small>
        </div>
        <div class="field">
          <label for={`${id}-verify`}>{text.verify}</label>
          <select id={`${id}-verify`} {...bind('verify')} aria-describedby={`${id}-verify-hint`}>
            <option value="weekly">{text.weekly}</option>
            <option value="off">{text.off}</option>
          </select>
          <small id={`${id}-verify-hint`}>{text.verifyHint}</small>
        </div>
      </div>
      <fieldset aria-describedby={`${id}-keep`}>
        <legend>{text.keep}</legend>
        <div class="fields">
          {PERIODS.map((name) => (
            <div class="field" key={name}>
              <label for={`${id}-${name}`}>{text[name]}</label>
              <input id={`${id}-${name}`} type="number" required min={0} max={LIMITS[name]} {...bind(name)} />
            </div>
          ))}
        </div>
      </fieldset>
      <small id={`${id}-keep`}>{text.keepHint}</small>
      <div class="row-head">
        <button class="primary" disabled={isBusy.value || changes.length === 0}>
          {text.save}
        </button>
        {changes.length > 0 && (
          <button class="plain" type="button" onClick={clear}>
            {text.discard}
          </button>
        )}
      </div>
    </form>
  );
}
