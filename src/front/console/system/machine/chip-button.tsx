import { useSignal } from '@preact/signals';
import type { ChipRecord } from '../../../../client/generated/records.js';
import { useApp } from '../../app.js';
import { systemTexts } from '../../i18n/system.js';
import { Dialog } from '../../parts/dialog.js';
import { Question } from '../../parts/question.js';

/** Shows how the machine declares a chip that is missing, and writes it after a confirmation. */
export function ChipButton({ device }: { readonly device: string }) {
  const app = useApp();
  const { machine: text } = systemTexts();
  const plan = useSignal<ChipRecord | undefined>(undefined);
  const close = () => (plan.value = undefined);
  const show = () =>
    app.act(async () => {
      plan.value = await app.call('GW_CheckChip', device);
    });
  const asked = plan.value;
  return (
    <>
      <button class="plain" type="button" onClick={() => void show()}>
        {text.enableChip(device)}
      </button>
      {asked !== undefined &&
        (asked.CanWrite && asked.Lines.length > 0 ? (
          <Question
            title={text.chipQuestion(device)}
            action={text.chipAction}
            onConfirm={() => app.act(() => app.call('GW_EnableChip', device), text.chipDone)}
            onClose={close}
          >
            <Lines plan={asked} />
            <p>{text.chipEffect}</p>
          </Question>
        ) : (
          <Dialog title={text.chipQuestion(device)} onClose={close}>
            {asked.Lines.length === 0 ? (
              <p>{text.chipPresent(asked.Path)}</p>
            ) : (
              <>
                <Lines plan={asked} />
                <p>{text.chipCommand}</p>
                <pre class="output" tabIndex={0}>
                  {`sudo stellwerk enable-chip --yes ${device}`}
                </pre>
                <p>{text.chipEffect}</p>
              </>
            )}
          </Dialog>
        ))}
    </>
  );
}

function Lines({ plan: { Path, Lines: lines } }: { readonly plan: ChipRecord }) {
  const { machine: text } = systemTexts();
  return (
    <>
      <p>{text.chipLines(Path)}</p>
      <pre class="output" tabIndex={0} aria-label={Path}>
        {lines.join('\n')}
      </pre>
    </>
  );
}
