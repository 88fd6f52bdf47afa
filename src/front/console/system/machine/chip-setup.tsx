import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { ChipRecord } from '../../../../client/generated/records.js';
import { useApp } from '../../app.js';
import { systemTexts } from '../../i18n/system.js';
import { Dialog } from '../../parts/dialog.js';
import { ConfirmationDialog } from '../../parts/confirmation-dialog.js';

/** Shows how the machine declares a chip that is missing, and writes it after a confirmation. */
export function ChipButton({ device }: { readonly device: string }) {
  const { machine: text } = systemTexts();
  const { plan, show } = useChipPlan();
  return (
    <>
      <button class="plain" type="button" onClick={() => void show(device)}>
        {text.enableChip(device)}
      </button>
      <ChipDialog plan={plan} />
    </>
  );
}

/** The same for any chip that the gateway knows, such as a port expander. */
export function ChipForm() {
  const { machine: text } = systemTexts();
  const { plan, show } = useChipPlan();
  const device = useSignal('');
  const id = useId();
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void show(device.value.trim());
        }}
      >
        <div class="field">
          <label for={id}>{text.chip}</label>
          <input
            id={id}
            required
            spellcheck={false}
            value={device.value}
            onInput={({ currentTarget }) => (device.value = currentTarget.value)}
            aria-describedby={`${id}-hint`}
          />
          <small id={`${id}-hint`}>{text.chipHint}</small>
        </div>
        <button class="plain">{text.showChip}</button>
      </form>
      <ChipDialog plan={plan} />
    </>
  );
}

function useChipPlan() {
  const app = useApp();
  const plan = useSignal<ChipRecord | undefined>(undefined);
  const show = (device: string) =>
    app.act(async () => {
      plan.value = await app.call('GW_CheckChip', device);
    });
  return { plan, show };
}

function ChipDialog({ plan }: { readonly plan: Signal<ChipRecord | undefined> }) {
  const app = useApp();
  const { machine: text } = systemTexts();
  if (plan.value === undefined) return null;
  const { Device, Path, Lines: lines, CanWrite } = plan.value;
  const close = () => (plan.value = undefined);
  const title = text.chipQuestion(Device);
  if (lines.length === 0)
    return (
      <Dialog title={title} onClose={close}>
        <p>{text.chipPresent(Path)}</p>
      </Dialog>
    );
  const content = (
    <>
      <p>{text.chipLines(Path)}</p>
      <pre class="output" tabIndex={0} aria-label={Path}>
        {lines.join('\n')}
      </pre>
    </>
  );
  return CanWrite ? (
    <ConfirmationDialog
      title={title}
      action={text.chipAction}
      onConfirm={() => app.act(() => app.call('GW_EnableChip', Device), text.chipDone)}
      onClose={close}
    >
      {content}
      <p>{text.chipEffect}</p>
    </ConfirmationDialog>
  ) : (
    <Dialog title={title} onClose={close}>
      {content}
      <p>{text.chipCommand}</p>
      <pre class="output" tabIndex={0}>
        {`sudo stellwerk enable-chip --yes ${Device}`}
      </pre>
      <p>{text.chipEffect}</p>
    </Dialog>
  );
}
