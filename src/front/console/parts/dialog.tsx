import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../../web/i18n/i18n.js';
import { Icon } from '../../web/parts/icon.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. Escape and the button close it; the focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // Otherwise the button that closes it would have the focus.
    dialog.current?.querySelector<HTMLElement>('[autofocus], input, select, textarea')?.focus();
    return () => {
      // As long as the dialog is in the document, nothing else can have the focus.
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return;
        const main = document.querySelector('main');
        if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus();
        else if (main !== null) {
          // What opened the dialog may vanish by what was done in it.
          main.tabIndex = -1;
          main.focus({ preventScroll: true });
        }
      });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        // A picker of files that is dismissed is cancelled, too.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onClose={onClose}
    >
      <header class="row-head">
        <h2 id={id}>{title}</h2>
        <button class="control" type="button" aria-label={texts().close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
