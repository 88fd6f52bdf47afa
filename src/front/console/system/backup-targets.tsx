import { useSignal } from '@preact/signals';
import type { BackupTargetList, BackupTargetRecord } from '../../../client/generated/records.js';
import { formatDate } from '../../web/format.js';
import { useApp } from '../app.js';
import { sentence } from '../i18n/gateway-texts.js';
import { targetTexts } from '../i18n/targets.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';
import { BackupSchedule } from './backup-schedule.js';
import { type Change, settingsOf, useSettings } from './settings.js';
import { type ChosenBackup, TargetActions, TargetBackups } from './target-backups.js';
import { TargetForm } from './target-form.js';

interface TargetsProps {
  /** What the next start restores may have changed. */
  readonly onChange: () => void;
}

/** The targets of encrypted backups, and their key. */
export function BackupTargets({ onChange }: TargetsProps) {
  const app = useApp();
  const { state, reload } = useLoaded(() => app.call('GW_GetBackupTargets'), []);
  const settings = useSettings();
  /** The name of the target whose form is open; empty for a new one. */
  const edited = app.form<string>('target');
  const removed = useSignal<string | undefined>(undefined);
  const text = targetTexts();
  const changed = () => {
    reload();
    onChange();
  };
  return (
    <section class="sections" aria-label={text.title}>
      <h2>{text.title}</h2>
      <LoadedView state={state}>
        {(list) =>
          list.Targets.length === 0 ? (
            <p class="soft">{text.none}</p>
          ) : (
            <>
              <RecoveryKey list={list} onChange={reload} />
              <ul class="cards">
                {list.Targets.map((target) => (
                  <TargetItem
                    key={target.Name}
                    target={target}
                    hasKey={list.KeyID !== ''}
                    onChange={changed}
                    onEdit={() => (edited.value = target.Name)}
                    onRemove={() => (removed.value = target.Name)}
                  />
                ))}
              </ul>
            </>
          )
        }
      </LoadedView>
      <LoadedView state={settings.state}>
        {(given) => {
          const { backup = {} } = settingsOf(given);
          const { targets = [] } = backup;
          const indexOf = (name: string) => targets.findIndex((one) => one.name === name);
          const done = () => {
            settings.reload();
            changed();
          };
          const remove = async (name: string) => {
            const at = indexOf(name);
            if (at < 0) {
              app.notice.value = { text: text.form.isGone(name), isError: true };
              done();
              return;
            }
            const path = targets.length === 1 ? 'backup.targets' : `backup.targets[${at}]`;
            await settings.change(given.Digest, [[path, null]]);
            changed();
          };
          const saveSchedule = async (changes: readonly Change[]) => {
            const isSaved = await settings.change(given.Digest, changes);
            changed();
            return isSaved;
          };
          return (
            <>
              <p>
                <button class="plain" type="button" onClick={() => (edited.value = '')}>
                  {text.form.add}
                </button>
              </p>
              {targets.length > 0 && <BackupSchedule settings={backup} onChange={saveSchedule} />}
              {(edited.value === '' || indexOf(edited.value ?? '') >= 0) && (
                <TargetForm
                  targets={targets}
                  at={edited.value === '' ? targets.length : indexOf(edited.value ?? '')}
                  digest={given.Digest}
                  onDone={done}
                  onFailed={settings.reload}
                  onClose={() => (edited.value = undefined)}
                />
              )}
              {removed.value !== undefined && (
                <ConfirmationDialog
                  title={text.form.removeQuestion(removed.value)}
                  action={text.form.remove}
                  onConfirm={() => remove(removed.value ?? '')}
                  onClose={() => (removed.value = undefined)}
                >
                  <p>{text.form.removeHint}</p>
                </ConfirmationDialog>
              )}
            </>
          );
        }}
      </LoadedView>
    </section>
  );
}

/** The state of the key, and a new one as long as the page shows it. */
function RecoveryKey({ list, onChange }: { readonly list: BackupTargetList; readonly onChange: () => void }) {
  const app = useApp();
  const created = useSignal<string | undefined>(undefined);
  const isAsked = useSignal(false);
  const text = targetTexts();
  const create = async () => {
    await app.act(async () => {
      const { Key } = await app.call('GW_CreateRecoveryKey');
      created.value = Key;
    });
    onChange();
  };
  const hasKey = list.KeyID !== '';
  return (
    <section class="card">
      {created.value === undefined ? (
        <p>{hasKey ? text.key(list.KeyID) : text.noKey}</p>
      ) : (
        <div role="status">
          <p>{text.newKey}</p>
          <p>
            <code class="recovery-key">{created.value}</code>
          </p>
        </div>
      )}
      <div class="row-head">
        <button
          class={hasKey ? 'plain' : 'primary'}
          type="button"
          onClick={() => (hasKey ? (isAsked.value = true) : void create())}
        >
          {hasKey ? text.replaceKey : text.createKey}
        </button>
      </div>
      {isAsked.value && (
        <ConfirmationDialog
          title={text.replaceQuestion}
          action={text.replaceKey}
          onConfirm={create}
          onClose={() => (isAsked.value = false)}
        >
          <p>{text.replaceHint}</p>
        </ConfirmationDialog>
      )}
    </section>
  );
}

interface TargetItemProps {
  readonly target: BackupTargetRecord;
  readonly hasKey: boolean;
  readonly onChange: () => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function TargetItem({ target, hasKey, onChange, onEdit, onRemove }: TargetItemProps) {
  const app = useApp();
  const isBusy = useSignal(false);
  const restored = useSignal<ChosenBackup | undefined>(undefined);
  const areAllShown = useSignal(false);
  const text = targetTexts();
  const { Name, Kind, LastMs, NextMs, VerifiedMs, Problem, CodedProblem, VerifyProblem, CodedVerifyProblem } =
    target;
  const timeOf = (ms: number) =>
    ms === 0 ? text.never : formatDate(ms, app.gateway.model.timezone, 'short');
  const act = async (action: () => Promise<unknown>, done: string) => {
    isBusy.value = true;
    await app.act(action, done);
    isBusy.value = false;
    onChange();
  };
  const isDisabled = isBusy.value || !hasKey;
  const actions = {
    isDisabled,
    onVerify: ({ name, title }: ChosenBackup) => {
      areAllShown.value = false;
      void act(() => app.call('GW_VerifyTargetBackup', Name, name), text.verified(title));
    },
    onRestore: (chosen: ChosenBackup) => {
      areAllShown.value = false;
      restored.value = chosen;
    },
  };
  return (
    <li>
      <strong>{`${Name} · ${text.kinds[Kind] ?? Kind}`}</strong>
      <small>{text.times(timeOf(LastMs), timeOf(VerifiedMs), timeOf(NextMs))}</small>
      {Problem !== '' && <p class="problem">{sentence(CodedProblem)}</p>}
      {VerifyProblem !== '' && <p class="problem">{sentence(CodedVerifyProblem)}</p>}
      <div class="row-head">
        <button
          class="plain"
          type="button"
          disabled={isDisabled}
          aria-label={text.runOn(Name)}
          onClick={() => void act(() => app.call('GW_RunTargetBackup', Name), text.stored(Name))}
        >
          {isBusy.value ? text.busy : text.run}
        </button>
        <TargetActions backup={{ name: '', title: text.newestOn(Name) }} {...actions} />
        <button
          class="plain"
          type="button"
          disabled={isDisabled}
          aria-label={text.allOn(Name)}
          onClick={() => (areAllShown.value = true)}
        >
          {text.all}
        </button>
        <button class="plain" type="button" aria-label={text.form.changeOf(Name)} onClick={onEdit}>
          {text.form.change}
        </button>
        <button class="plain" type="button" aria-label={text.form.removeOf(Name)} onClick={onRemove}>
          {text.form.remove}
        </button>
      </div>
      {areAllShown.value && (
        <TargetBackups target={Name} {...actions} onClose={() => (areAllShown.value = false)} />
      )}
      {restored.value !== undefined && (
        <ConfirmationDialog
          title={text.restoreQuestion(restored.value.title)}
          action={text.restore}
          onConfirm={() =>
            act(() => app.call('GW_RestoreTargetBackup', Name, restored.value?.name ?? ''), text.fetched)
          }
          onClose={() => (restored.value = undefined)}
        >
          <p>{text.restoreHint}</p>
        </ConfirmationDialog>
      )}
    </li>
  );
}
