import type { ComponentChildren } from 'preact';
import { words } from '../i18n/console-texts.js';

interface FormButtonsProps {
  /** What the button that submits the form says. */
  readonly submit: string;
  readonly isDisabled?: boolean;
  readonly onClose: () => void;
  /** Other buttons, between the two. */
  readonly children?: ComponentChildren;
}

/** The last row of a dialog's form: submit and cancel. */
export function FormButtons({ submit, isDisabled = false, onClose, children }: FormButtonsProps) {
  return (
    <div class="row-head">
      <button class="primary" disabled={isDisabled}>
        {submit}
      </button>
      {children}
      <button class="plain" type="button" onClick={onClose}>
        {words().tree.cancel}
      </button>
    </div>
  );
}
