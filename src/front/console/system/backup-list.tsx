import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { BackupRecord } from '../../../client/generated/records.js';
import { formatDate } from '../../web/format.js';
import { useApp } from '../app.js';
import { systemTexts } from '../i18n/system.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';
import { BackupTargets } from './backup-targets.js';
import { BackupUpload } from './backup-upload.js';
import { FactoryReset } from './factory-reset.js';
import { RestartButton } from './restart-button.js';

const KIB = 1024;
/** What fits into a backup's note, characters. */
const NOTE_LENGTH = 200;

/** The backups in the data directory: make, upload, download, restore, delete. */
export function BackupList() {
  const app = useApp();
  const { state, reload } = useLoaded(() => app.call('GW_GetBackups'), []);
  const { backups: text } = systemTexts();
  return (
    <div class="sections">
      <MakeForm onMade={reload} />
      <BackupUpload onUploaded={reload} />
      <p class="soft">{text.secrets}</p>
      <LoadedView state={state}>
        {(backups) => (
          <>
            <PendingRestore backups={backups} onChange={reload} />
            {backups.length === 0 && <p class="soft">{text.none}</p>}
            <ul class="cards">
              {backups.map((backup) => (
                <BackupItem key={backup.Name} backup={backup} onChange={reload} />
              ))}
            </ul>
          </>
        )}
      </LoadedView>
      <BackupTargets onChange={reload} />
      <FactoryReset />
    </div>
  );
}

function MakeForm({ onMade }: { readonly onMade: () => void }) {
  const app = useApp();
  const id = useId();
  const isBusy = useSignal(false);
  const note = app.form<string>('backup');
  const { backups: text } = systemTexts();
  const make = async (event: SubmitEvent) => {
    event.preventDefault();
    isBusy.value = true;
    if (await app.act(() => app.call('GW_MakeBackup', (note.peek() ?? '').trim()), text.made))
      note.value = undefined;
    isBusy.value = false;
    onMade();
  };
  return (
    <form class="filters" onSubmit={(event) => void make(event)}>
      <div class="field wide">
        <label for={id}>{text.note}</label>
        <input
          id={id}
          value={note.value ?? ''}
          maxLength={NOTE_LENGTH}
          onInput={(event) => (note.value = event.currentTarget.value || undefined)}
        />
      </div>
      <button class="primary" disabled={isBusy.value}>
        {text.make}
      </button>
    </form>
  );
}

interface BackupsProps {
  readonly backups: readonly BackupRecord[];
  readonly onChange: () => void;
}

/** What the next start will restore, with the ways to do it now, or not at all. */
function PendingRestore({ backups, onChange }: BackupsProps) {
  const app = useApp();
  const { backups: text } = systemTexts();
  const pending = backups.find(({ IsRestoredAtStart }) => IsRestoredAtStart);
  if (pending === undefined) return null;
  const cancel = async () => {
    await app.act(() => app.call('GW_RestoreBackup', ''), text.kept);
    onChange();
  };
  return (
    <section class="card">
      <p>{text.pending(pending.Name)}</p>
      <div class="row-head">
        <RestartButton />
        <button class="plain" type="button" onClick={() => void cancel()}>
          {text.keep}
        </button>
      </div>
    </section>
  );
}

interface BackupItemProps {
  readonly backup: BackupRecord;
  readonly onChange: () => void;
}

function BackupItem({ backup, onChange }: BackupItemProps) {
  const app = useApp();
  const asked = useSignal<'remove' | 'restore' | undefined>(undefined);
  const { backups: text } = systemTexts();
  const { Name, Size, CreatedMs, Reason, Note } = backup;
  const time = formatDate(CreatedMs, app.gateway.model.timezone, 'short');
  const title = Note === '' ? time : `${time} · ${Note}`;
  const close = () => (asked.value = undefined);
  const act = async (action: () => Promise<unknown>) => {
    await app.act(action);
    onChange();
  };
  return (
    <li>
      <strong>{title}</strong>
      <small>{`${text.reasons[Reason] ?? Reason} · ${Math.ceil(Size / KIB)} KiB · ${Name}`}</small>
      <div class="row-head">
        <a
          class="plain"
          href={`/console/backup/${encodeURIComponent(Name)}`}
          download={Name}
          aria-label={text.downloadOf(Name)}
        >
          {text.download}
        </a>
        <button class="plain" type="button" onClick={() => (asked.value = 'restore')}>
          {text.restore}
        </button>
        <button class="plain" type="button" onClick={() => (asked.value = 'remove')}>
          {text.remove}
        </button>
      </div>
      {asked.value === 'remove' && (
        <ConfirmationDialog
          title={text.removeQuestion(Name)}
          action={text.remove}
          onConfirm={() => act(() => app.call('GW_DeleteBackup', Name))}
          onClose={close}
        />
      )}
      {asked.value === 'restore' && (
        <ConfirmationDialog
          title={text.restoreQuestion(title)}
          action={text.restore}
          onConfirm={() => act(() => app.call('GW_RestoreBackup', Name))}
          onClose={close}
        >
          <ul>
            {text.effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
        </ConfirmationDialog>
      )}
    </li>
  );
}
