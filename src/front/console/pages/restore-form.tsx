import { useSignal } from '@preact/signals';
import { useEffect, useId, useMemo } from 'preact/hooks';
import { realTiming } from '../../../client/timing.js';
import { formText } from '../forms/form-text.js';
import { TargetFields, TargetKindField, targetFields } from '../forms/target-fields.js';
import { replacementTexts } from '../i18n/replacement.js';
import { targetTexts } from '../i18n/targets.js';
import { Problem } from '../parts/problem.js';
import { BACKUP_BYTES, sendFile } from '../parts/send-file.js';
import { CLAIM_PATH, claimProblem, postClaim } from './claim-request.js';

/** Where a backup can be: a file of this computer, or a target. SFTP needs a key file on this box. */
const KINDS = ['file', 'path', 'webdav', 's3'] as const;
type Kind = (typeof KINDS)[number];

/** Interval for asking whether the gateway has started with the backup, ms. */
const POLL_MS = 2000;

/** Restores the backup of another box on this one, which has no owner yet. */
export function RestoreForm({ code }: { readonly code: string }) {
  const id = useId();
  // Closed, it has no inputs that a browser could fill or require.
  const isOpen = useSignal(false);
  const kind = useSignal<Kind>('file');
  const sent = useSignal(0);
  const controller = useMemo(() => new AbortController(), []);
  useEffect(() => () => controller.abort(), []);
  const state = useSignal<'ready' | 'busy' | 'done'>('ready');
  const problem = useSignal('');
  const text = replacementTexts();
  useEffect(() => (state.value === 'done' ? reloadWhenOwned() : undefined), [state.value]);
  const sendBackup = async (file: File) => {
    try {
      if (file.size > BACKUP_BYTES) throw new Error(targetTexts().tooLarge(BACKUP_BYTES / 1024 / 1024));
      const rejected = await sendFile(`${CLAIM_PATH}/backup`, file, {
        headers: { 'Stellwerk-Claim': code },
        signal: controller.signal,
        onProgress: (part) => (sent.value = part),
        notSent: text.notSent,
      });
      if (rejected !== undefined) throw new Error(rejected);
      state.value = 'done';
    } catch (thrown) {
      problem.value = thrown instanceof Error ? thrown.message : String(thrown);
      state.value = 'ready';
    }
    sent.value = 0;
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    state.value = 'busy';
    problem.value = '';
    const file = form.get('file');
    if (kind.value === 'file') return file instanceof File ? sendBackup(file) : undefined;
    try {
      const target = JSON.stringify(targetOf(form, kind.value));
      await postClaim('/restore', { code, key: formText(form, 'key').trim(), target });
      state.value = 'done';
    } catch (thrown) {
      problem.value = claimProblem(thrown);
      state.value = 'ready';
    }
  };
  if (state.value === 'done') return <p role="status">{text.done}</p>;
  return (
    <details class="restore" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{text.title}</summary>
      <p class="soft">{text.hint}</p>
      {isOpen.value && (
        <form onSubmit={(event) => void submit(event)}>
          <Problem text={problem.value} />
          <TargetKindField
            label={text.kind}
            kinds={KINDS}
            kind={kind.value}
            onChange={(chosen) => (kind.value = chosen)}
          />
          {kind.value !== 'file' && <TargetFields kind={kind.value} />}
          {kind.value === 'file' && (
            <div class="field">
              <label for={`${id}-file`}>{text.file}</label>
              <input
                id={`${id}-file`}
                name="file"
                type="file"
                accept=".db"
                required
                aria-describedby={`${id}-file-hint`}
              />
              <small id={`${id}-file-hint`}>{text.fileHint}</small>
            </div>
          )}
          {kind.value !== 'file' && (
            <div class="field">
              <label for={`${id}-key`}>{text.key}</label>
              <input
                id={`${id}-key`}
                name="key"
                autocomplete="off"
                autocapitalize="characters"
                spellcheck={false}
                required
                aria-describedby={`${id}-hint`}
              />
              <small id={`${id}-hint`}>{text.keyHint}</small>
            </div>
          )}
          <button class="primary" disabled={state.value === 'busy'}>
            {text.submit}
          </button>
          {state.value === 'busy' && kind.value === 'file' && (
            <progress aria-label={text.busy} {...(sent.value < 1 && { value: sent.value })} />
          )}
          <p role="status">{state.value === 'busy' ? text.busy : ''}</p>
        </form>
      )}
    </details>
  );
}

/** What was entered, as an entry of `backup.targets` without its name. */
function targetOf(form: FormData, kind: Exclude<Kind, 'file'>): object {
  const entered = targetFields(kind)
    .map((field) => [field, formText(form, field).trim()] as const)
    .filter(([, value]) => value !== '');
  const members = Object.fromEntries(entered);
  return kind === 'path' ? members : { [kind]: members };
}

/** Loads the page again as soon as the gateway has an owner. Returns what stops asking. */
function reloadWhenOwned(): () => void {
  let cancel: () => void;
  const poll = async () => {
    // While it restarts, nothing replies.
    const response = await fetch(CLAIM_PATH, { cache: 'no-store' }).catch(() => undefined);
    if (response?.status === 404) location.reload();
    else wait();
  };
  const wait = () => (cancel = realTiming.after(POLL_MS, () => void poll()));
  wait();
  return () => cancel();
}
