import { useSignal } from '@preact/signals';
import { useApp } from '../app.js';
import { systemTexts } from '../i18n/system.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';

/** Ends the gateway, which its service manager starts again. */
export function RestartButton() {
  const app = useApp();
  const isAsking = useSignal(false);
  const { restart } = systemTexts();
  return (
    <>
      <button class="plain" type="button" onClick={() => (isAsking.value = true)}>
        {restart.action}
      </button>
      {isAsking.value && (
        <ConfirmationDialog
          title={restart.question}
          action={restart.action}
          onConfirm={() => app.act(() => app.call('SVC_StopKernel'), restart.started)}
          onClose={() => (isAsking.value = false)}
        >
          <p>{restart.hint}</p>
        </ConfirmationDialog>
      )}
    </>
  );
}
