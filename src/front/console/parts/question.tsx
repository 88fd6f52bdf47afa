import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { words } from '../i18n/console-texts.js';
import { Dialog } from './dialog.js';
import { useIsMounted } from './use-is-mounted.js';

interface QuestionProps {
  readonly title: string;
  /** What the button that confirms says. */
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** Asks before something is done that cannot be undone easily. Cancel has the focus. */
export function Question({ title, action, onConfirm, onClose, children }: QuestionProps) {
  const isBusy = useSignal(false);
  const isMounted = useIsMounted();
  const confirm = async () => {
    isBusy.value = true;
    try {
      await onConfirm();
      // Otherwise another question may be open in its place.
      if (isMounted()) onClose();
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
        <button class="danger" type="button" disabled={isBusy.value} onClick={() => void confirm()}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
