import { useSignal } from '@preact/signals';
import { useApp } from '../app.js';
import { targetTexts } from '../i18n/targets.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';

/** Deletes everything on the gateway, after a question and the password. */
export function FactoryReset() {
  const app = useApp();
  const isAsked = useSignal(false);
  const { reset: text } = targetTexts();
  return (
    <section class="sections" aria-label={text.action}>
      <h2>{text.action}</h2>
      <p class="soft">{text.hint}</p>
      <p>
        <button class="danger" type="button" onClick={() => (isAsked.value = true)}>
          {text.action}
        </button>
      </p>
      {isAsked.value && (
        <ConfirmationDialog
          title={text.question}
          action={text.action}
          onConfirm={() => app.act(() => app.call('GW_FactoryReset', 'RESET'), text.done)}
          onClose={() => (isAsked.value = false)}
        >
          <p>{text.effect}</p>
        </ConfirmationDialog>
      )}
    </section>
  );
}
