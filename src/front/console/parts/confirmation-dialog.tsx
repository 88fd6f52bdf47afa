import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { words } from '../i18n/console-texts.js';
import { Dialog } from './dialog.js';

interface ConfirmationDialogProps {
  readonly title: string;
  /** The text of the button that confirms. */
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** Asks for confirmation of an action that cannot be undone easily. Cancel has the focus. */
export function ConfirmationDialog({ title, action, onConfirm, onClose, children }: ConfirmationDialogProps) {
  const isBusy = useSignal(false);
  const confirm = async (button: HTMLButtonElement) => {
    isBusy.value = true;
    try {
      await onConfirm();
      // Otherwise another dialog may be open in its place.
      if (button.isConnected) onClose();
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="row-head">
        <button class="plain" type="button" autofocus onClick={onClose}>
          {words().tree.cancel}
        </button>
        <button
          class="danger"
          type="button"
          disabled={isBusy.value}
          onClick={(event) => void confirm(event.currentTarget)}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
