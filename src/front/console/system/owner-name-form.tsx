import { useId } from 'preact/hooks';
import { formText } from '../forms/form-text.js';
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
  const { isBusy, onSubmit } = useSubmit(
    (form) => onChange([['remoteAccess.username', formText(form, 'username')]]),
    onClose,
  );
  return (
    <Dialog title={text.ownerName} onClose={onClose}>
      <form class="form" onSubmit={onSubmit}>
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
        <FormButtons submit={text.save} isDisabled={isBusy.value} onClose={onClose} />
      </form>
    </Dialog>
  );
}
