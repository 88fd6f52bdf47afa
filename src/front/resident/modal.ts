import { useLayoutEffect, useRef } from 'preact/hooks';
import { useApp } from './app.js';

/** Shows a dialog over the page while its component is mounted. */
export function useModal() {
  const { dialogs, polite, assertive } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  // A later effect would end without the reference: the focus would not return to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (shown === null) return;
    const place = (next: readonly HTMLDialogElement[]) => {
      // What was announced elsewhere is not announced again.
      polite.value = assertive.value = '';
      dialogs.value = next;
    };
    shown.showModal();
    place([shown, ...dialogs.peek()]);
    return () => {
      shown.close();
      place(dialogs.peek().filter((one) => one !== shown));
    };
  }, []);
  return dialog;
}
