import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { BoxUpdateRecord } from '../../../client/generated/records.js';
import { realTiming } from '../../../client/timing.js';
import { formatDate } from '../../web/format.js';
import { useApp } from '../app.js';
import { updateTexts } from '../i18n/updates.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';
import { settingsOf, useSettings } from './settings.js';
import { UpdateSchedule } from './update-schedule.js';

/** Interval for asking for the progress, ms. */
const POLL_MS = 1000;

/** What is installed on a box and what is available; installs it, and chooses the slot of the next start. */
export function UpdatesView() {
  const app = useApp();
  const { state, reload } = useLoaded(() => app.call('GW_GetUpdates'), []);
  const settings = useSettings();
  const text = updateTexts();
  const loaded = state.value;
  const isBusy =
    loaded !== undefined &&
    'value' in loaded &&
    (loaded.value.Busy !== '' || (loaded.value.IsBox && loaded.value.Slots.length === 0));
  // Each reply is another value, so that the next one is asked for.
  useEffect(() => (isBusy ? realTiming.after(POLL_MS, reload) : undefined), [loaded]);
  return (
    <section class="sections" aria-label={text.title}>
      <h2>{text.title}</h2>
      <LoadedView state={state}>
        {(updates) =>
          updates.IsBox ? (
            <>
              <Box updates={updates} onChange={reload} />
              <LoadedView state={settings.state}>
                {(given) => (
                  <UpdateSchedule
                    key={given.Digest}
                    settings={settingsOf(given).updates}
                    onChange={async (changes) => {
                      const isSaved = await settings.change(given.Digest, changes);
                      reload();
                      return isSaved;
                    }}
                  />
                )}
              </LoadedView>
            </>
          ) : (
            <p class="soft">{text.noBox}</p>
          )
        }
      </LoadedView>
    </section>
  );
}

/** What the owner is asked to confirm; `source` is what to install, '' for the version that was found. */
interface Confirmation {
  readonly what: 'restart' | 'back' | 'install';
  readonly source: string;
}

function Box({ updates, onChange }: { readonly updates: BoxUpdateRecord; readonly onChange: () => void }) {
  const app = useApp();
  const id = useId();
  const asked = useSignal<Confirmation | undefined>(undefined);
  const source = useSignal('');
  const text = updateTexts();
  const { Slots, Busy, Percent, Problem, Available, CheckedMs, NextCheckMs, RolledBack } = updates;
  const isIdle = Busy === '';
  const next = Slots.find(({ IsNext }) => IsNext);
  const other = Slots.find(({ IsRunning }) => !IsRunning);
  const versionOf = (version: string) => (version === '' ? text.unknown : version);
  const timeOf = (ms: number) => formatDate(ms, app.gateway.model.timezone, 'short');
  const act = async (action: () => Promise<unknown>, done?: string) => {
    await app.act(action, done);
    onChange();
  };
  const confirm = async ({ what, source: given }: Confirmation) => {
    if (what === 'restart') return act(() => app.call('GW_RestartBox'), text.restarting);
    if (what === 'back') return act(() => app.call('GW_ActivateOtherSlot'));
    return act(() => app.call('GW_InstallUpdate', given));
  };
  return (
    <>
      <ul class="cards">
        {Slots.map((slot) => (
          <li key={slot.Name}>
            <strong>
              {text.slot(slot.Name, versionOf(slot.Version))}
              {slot.IsRunning && <span class="mark">{text.runs}</span>}
              {slot.IsNext && <span class="mark">{text.isNext}</span>}
              {!slot.IsUsable && <span class="mark">{text.unusable}</span>}
            </strong>
          </li>
        ))}
      </ul>
      {RolledBack !== '' && <p class="problem">{text.rolledBack(RolledBack)}</p>}
      {Problem !== '' && <p class="problem">{text.failed(Problem)}</p>}
      <p id={`${id}-busy`} role="status">
        {text.busy[Busy] ?? ''}
      </p>
      {!isIdle && (
        <progress
          aria-labelledby={`${id}-busy`}
          max={100}
          {...(Busy !== 'waiting' && Busy !== 'back' && { value: Percent })}
        />
      )}
      {isIdle && next !== undefined && !next.IsRunning && <p>{text.restartHint(versionOf(next.Version))}</p>}
      <div class="row-head">
        <button
          class="plain"
          type="button"
          disabled={!isIdle}
          onClick={() => (asked.value = { what: 'restart', source: '' })}
        >
          {text.restart}
        </button>
        {other?.IsUsable === true && !other.IsNext && (
          <button
            class="plain"
            type="button"
            disabled={!isIdle}
            onClick={() => (asked.value = { what: 'back', source: '' })}
          >
            {text.back}
          </button>
        )}
      </div>
      <section class="card">
        {CheckedMs > 0 && <p role="status">{Available === '' ? text.none : text.available(Available)}</p>}
        {(CheckedMs > 0 || NextCheckMs > 0) && (
          <p class="soft">
            {[
              CheckedMs > 0 && text.checked(timeOf(CheckedMs)),
              NextCheckMs > 0 && text.next(timeOf(NextCheckMs)),
            ]
              .filter((part) => part !== false)
              .join(' · ')}
          </p>
        )}
        <div class="row-head">
          {NextCheckMs > 0 && (
            <button class="plain" type="button" onClick={() => void act(() => app.call('GW_CheckUpdates'))}>
              {text.check}
            </button>
          )}
          {Available !== '' && (
            <button
              class="primary"
              type="button"
              disabled={!isIdle}
              onClick={() => (asked.value = { what: 'install', source: '' })}
            >
              {text.install(Available)}
            </button>
          )}
        </div>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            asked.value = { what: 'install', source: source.value.trim() };
          }}
          aria-labelledby={`${id}-stick`}
        >
          <h3 id={`${id}-stick`}>{text.stick}</h3>
          <div class="field">
            <label for={`${id}-source`}>{text.source}</label>
            <input
              id={`${id}-source`}
              required
              spellcheck={false}
              value={source.value}
              onInput={({ currentTarget }) => (source.value = currentTarget.value)}
              aria-describedby={`${id}-hint`}
            />
            <small id={`${id}-hint`}>{text.sourceHint}</small>
          </div>
          <button class="plain" disabled={!isIdle}>
            {text.installSource}
          </button>
        </form>
      </section>
      {asked.value !== undefined && (
        <ConfirmationDialog
          {...questionOf(asked.value, { available: Available, other: versionOf(other?.Version ?? '') })}
          onConfirm={() => confirm(asked.value ?? { what: 'restart', source: '' })}
          onClose={() => (asked.value = undefined)}
        >
          <p>
            {
              { restart: text.restartEffect, back: text.backEffect, install: text.installEffect }[
                asked.value.what
              ]
            }
          </p>
        </ConfirmationDialog>
      )}
    </>
  );
}

function questionOf(
  asked: Confirmation,
  { available, other }: { readonly available: string; readonly other: string },
): { readonly title: string; readonly action: string } {
  const text = updateTexts();
  if (asked.what === 'restart') return { title: text.restartQuestion, action: text.restart };
  if (asked.what === 'back') return { title: text.backQuestion(other), action: text.back };
  const what = asked.source === '' ? available : asked.source;
  return { title: text.installQuestion(what), action: text.installSource };
}
