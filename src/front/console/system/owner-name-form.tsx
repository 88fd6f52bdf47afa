import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { words } from '../i18n/console-texts.js';
import { systemTexts } from '../i18n/system.js';
import { Dialog } from '../parts/dialog.js';
import type { Change } from './settings.js';

interface OwnerNameFormProps {
  readonly name: string;
  readonly onChange: (changes: readonly Change[]) => Promise<boolean>;
  readonly onClose: () => void;
}

/** Changes the user name of the owner. */
export function OwnerNameForm({ name, onChange, onClose }: OwnerNameFormProps) {
  const id = useId();
  const isBusy = useSignal(false);
  const { areas: text } = systemTexts();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const username = new FormData(event.currentTarget as HTMLFormElement).get('username');
    isBusy.value = true;
    const isDone = await onChange([['remoteAccess.username', username]]);
    isBusy.value = false;
    if (isDone) onClose();
  };
  return (
    <Dialog title={text.ownerName} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <div class="field">
          <label for={id}>{text.username}</label>
          <input
            id={id}
            name="username"
            required
            pattern="[^:]+"
            autocomplete="username"
            defaultValue={name}
          />
        </div>
        <div class="row-head">
          <button class="primary" disabled={isBusy.value}>
            {text.save}
          </button>
          <button class="plain" type="button" onClick={onClose}>
            {words().tree.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
