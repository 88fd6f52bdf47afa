import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { words } from '../i18n/console-texts.js';
import { Dialog } from './dialog.js';

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
  const confirm = async () => {
    isBusy.value = true;
    await onConfirm();
    onClose();
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
