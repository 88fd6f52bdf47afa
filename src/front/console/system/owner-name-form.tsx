import { useId } from 'preact/hooks';
import { useDraft } from '../forms/use-draft.js';
import { useSubmit } from '../forms/use-submit.js';
import { systemTexts } from '../i18n/system.js';
import { Dialog } from '../parts/dialog.js';
import { FormButtons } from '../parts/form-buttons.js';
import type { Change } from './settings.js';

interface OwnerNameFormProps {
  readonly name: string;
  readonly onChange: (changes: readonly Change[]) => Promise<boolean>;
  readonly onClose: () => void;
}

/** Changes the user name of the owner. */
export function OwnerNameForm({ name, onChange, onClose }: OwnerNameFormProps) {
  const id = useId();
  const { areas: text } = systemTexts();
  const { draft, clear, bind } = useDraft('owner-name', { username: name });
  const close = () => {
    clear();
    onClose();
  };
  const { isBusy, onSubmit } = useSubmit(() => onChange([['remoteAccess.username', draft.username]]), close);
  return (
    <Dialog title={text.ownerName} onClose={close}>
      <form class="form" onSubmit={onSubmit}>
        <div class="field">
          <label for={id}>{text.username}</label>
          <input id={id} required pattern="[^:]+" autocomplete="username" {...bind('username')} />
        </div>
        <FormButtons submit={text.save} isDisabled={isBusy.value} onClose={close} />
      </form>
    </Dialog>
  );
}
