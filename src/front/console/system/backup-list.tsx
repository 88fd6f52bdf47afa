import { useSignal } from '@preact/signals';
import { useApp } from '../app.js';
import { automation } from '../i18n/automation.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { Question } from '../parts/question.js';

const KIB = 1024;

/** The backups in the data directory: make, download, delete. */
export function BackupList() {
  const app = useApp();
  const isBusy = useSignal(false);
  const asked = useSignal<string | undefined>(undefined);
  const { state, reload } = useLoaded(() => app.call('GW_GetBackups'), []);
  const { system } = automation();
  const make = async () => {
    isBusy.value = true;
    await app.act(() => app.call('GW_MakeBackup', ''), system.made);
    isBusy.value = false;
    reload();
  };
  return (
    <>
      <div class="row-head">
        <button class="primary" type="button" disabled={isBusy.value} onClick={() => void make()}>
          {system.make}
        </button>
      </div>
      <LoadedView state={state}>
        {(backups) =>
          backups.length === 0 ? (
            <p class="soft">{system.noBackups}</p>
          ) : (
            <ul class="cards">
              {backups.map(({ Name, Size, CreatedMs, Note, IsRestoredAtStart }) => (
                <li key={Name}>
                  <strong>{app.moment(CreatedMs)}</strong>
                  <small>
                    {Name} · {Math.ceil(Size / KIB)} KiB{Note !== '' && ` · ${Note}`}
                    {IsRestoredAtStart && ` · ${system.atStart}`}
                  </small>
                  <p class="row-head">
                    <a href={`/console/backup/${encodeURIComponent(Name)}`} download={Name}>
                      {system.download}
                    </a>
                    <button class="plain" type="button" onClick={() => (asked.value = Name)}>
                      {system.remove}
                    </button>
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </LoadedView>
      {asked.value !== undefined && (
        <Question
          title={system.removeQuestion(asked.value)}
          action={system.remove}
          onConfirm={async () => {
            await app.act(() => app.call('GW_DeleteBackup', asked.peek() ?? ''));
            reload();
          }}
          onClose={() => (asked.value = undefined)}
        />
      )}
    </>
  );
}
