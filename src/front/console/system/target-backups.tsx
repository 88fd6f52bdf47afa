import { formatDate } from '../../web/format.js';
import { useApp } from '../app.js';
import { targetTexts } from '../i18n/targets.js';
import { useLoaded } from '../load.js';
import { Dialog } from '../parts/dialog.js';
import { LoadedView } from '../parts/loaded-view.js';

/** A backup on a target. */
export interface ChosenBackup {
  /** Empty for the newest. */
  readonly name: string;
  /** What texts call it. */
  readonly title: string;
}

interface ActionsProps {
  readonly isDisabled: boolean;
  readonly onVerify: (backup: ChosenBackup) => void;
  readonly onRestore: (backup: ChosenBackup) => void;
}

/** The buttons that verify and restore a backup. */
export function TargetActions({
  backup,
  isDisabled,
  onVerify,
  onRestore,
}: ActionsProps & { readonly backup: ChosenBackup }) {
  const text = targetTexts();
  const button = (label: string, name: string, onClick: (backup: ChosenBackup) => void) => (
    <button
      class="plain"
      type="button"
      disabled={isDisabled}
      aria-label={name}
      onClick={() => onClick(backup)}
    >
      {label}
    </button>
  );
  return (
    <>
      {button(text.verify, text.verifyOf(backup.title), onVerify)}
      {button(text.restore, text.restoreOf(backup.title), onRestore)}
    </>
  );
}

interface TargetBackupsProps extends ActionsProps {
  readonly target: string;
  readonly onClose: () => void;
}

/** The backups on a target, the newest first. */
export function TargetBackups({ target, onClose, ...actions }: TargetBackupsProps) {
  const app = useApp();
  const { state } = useLoaded(() => app.call('GW_GetTargetBackups', target), [target]);
  const text = targetTexts();
  return (
    <Dialog title={text.allOn(target)} onClose={onClose}>
      <LoadedView state={state}>
        {(backups) =>
          backups.length === 0 ? (
            <p class="soft">{text.noBackups}</p>
          ) : (
            <ul class="cards">
              {backups.map(({ Name, CreatedMs }) => {
                const time = formatDate(CreatedMs, app.gateway.model.timezone, 'short');
                return (
                  <li key={Name}>
                    <strong>{time}</strong>
                    <small>{Name}</small>
                    <div class="row-head">
                      <TargetActions
                        backup={{ name: Name, title: text.backupOf(time, target) }}
                        {...actions}
                      />
                    </div>
                  </li>
                );
              })}
            </ul>
          )
        }
      </LoadedView>
    </Dialog>
  );
}
