import type { ConfigurationText, ReloadReport } from '../../../client/generated/records.js';
import { useSignal } from '@preact/signals';
import { errorText, useApp } from '../app.js';
import { systemTexts } from '../i18n/system.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';
import { diffLines } from './diff-lines.js';

interface OverlayRemovalProps {
  /** The overlay. */
  readonly present: ConfigurationText;
  readonly onRemoved: (report: ReloadReport) => void;
  /** Somebody else may have changed the overlay. */
  readonly onFailed: () => void;
}

/** Leads back to the installed configuration, after a list of what differs. */
export function OverlayRemoval({ present, onRemoved, onFailed }: OverlayRemovalProps) {
  const app = useApp();
  const installed = useSignal<ConfigurationText | undefined>(undefined);
  const { configuration: text } = systemTexts();
  const compare = async () => {
    try {
      installed.value = await app.call('GW_GetInstalledConfiguration');
    } catch (thrown) {
      app.notice.value = { text: errorText(thrown), isError: true };
    }
  };
  const remove = async () => {
    const isDone = await app.act(
      async () => onRemoved(await app.call('GW_RemoveConfigurationOverlay', present.Digest)),
      text.removed,
    );
    if (!isDone) onFailed();
  };
  const changes = installed.value === undefined ? [] : diffLines(present.Text, installed.value.Text);
  return (
    <>
      <button class="plain" type="button" onClick={() => void compare()}>
        {text.overlayReturn}
      </button>
      {installed.value !== undefined && (
        <ConfirmationDialog
          title={text.removeOverlay}
          action={text.overlayReturn}
          onConfirm={remove}
          onClose={() => (installed.value = undefined)}
        >
          <p>{text.removalEffect(installed.value.Path, `${present.Path}.removed`)}</p>
          {changes.length === 0 && <p>{text.same}</p>}
          {changes.length > 0 && (
            <pre class="output" tabIndex={0} aria-label={text.differences}>
              {changes.map(({ kind, line, text: content }) => (
                <span key={`${kind} ${line}`} class={`diff ${kind}`}>
                  {`${kind === 'removed' ? '−' : '+'} ${line}: ${content}`}
                </span>
              ))}
            </pre>
          )}
        </ConfirmationDialog>
      )}
    </>
  );
}
