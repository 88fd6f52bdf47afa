import { useSignal } from '@preact/signals';
import { useEffect, useId, useMemo } from 'preact/hooks';
import { realTiming } from '../../../client/timing.js';
import { targetTexts } from '../i18n/targets.js';
import { sendFile } from '../parts/send-file.js';
import { CLAIM_PATH, claimProblem, postClaim } from './claim-request.js';

/** Where a backup can be: the inputs of each kind of target, those that may be empty after a question mark. */
const KINDS = {
  file: [],
  path: ['path'],
  webdav: ['url', 'username', 'password'],
  s3: ['endpoint', 'region', 'bucket', '?prefix', 'accessKey', 'secretKey'],
} as const;
type Kind = keyof typeof KINDS;
type Field =
  | 'path'
  | 'url'
  | 'username'
  | 'password'
  | 'endpoint'
  | 'region'
  | 'bucket'
  | 'prefix'
  | 'accessKey'
  | 'secretKey';

const SECRETS = new Set<Field>(['password', 'secretKey']);
/** The gateway accepts no larger file, bytes. */
const FILE_BYTES = 512 * 1024 * 1024;
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
  const { claim: text, kinds } = targetTexts();
  useEffect(() => (state.value === 'done' ? reloadWhenOwned() : undefined), [state.value]);
  const sendBackup = async (file: File) => {
    try {
      if (file.size > FILE_BYTES) throw new Error(text.tooLarge(FILE_BYTES / 1024 / 1024));
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
    const valueOf = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const given = KINDS[kind.value].map((field) => field.replace('?', ''));
    const members = given
      .map((field) => [field, valueOf(field)] as const)
      .filter(([, value]) => value !== '');
    const target =
      kind.value === 'path' ? Object.fromEntries(members) : { [kind.value]: Object.fromEntries(members) };
    state.value = 'busy';
    problem.value = '';
    const file = form.get('file');
    if (file instanceof File) return sendBackup(file);
    try {
      await postClaim('/restore', { code, key: valueOf('key'), target: JSON.stringify(target) });
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
          {problem.value !== '' && (
            <p class="problem" role="alert">
              {problem.value}
            </p>
          )}
          <div class="field">
            <label for={`${id}-kind`}>{text.kind}</label>
            <select
              id={`${id}-kind`}
              value={kind.value}
              onChange={({ currentTarget }) => (kind.value = currentTarget.value as Kind)}
            >
              {Object.keys(KINDS).map((one) => (
                <option key={one} value={one}>
                  {kinds[one]}
                </option>
              ))}
            </select>
          </div>
          {KINDS[kind.value].map((given) => {
            const field = given.replace('?', '') as Field;
            return (
              <div class="field" key={field}>
                <label for={`${id}-${field}`}>{text[field]}</label>
                <input
                  id={`${id}-${field}`}
                  name={field}
                  {...(SECRETS.has(field) && { type: 'password' as const })}
                  autocomplete="off"
                  spellcheck={false}
                  required={given === field}
                />
              </div>
            );
          })}
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
