import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { errorText, useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { targetTexts } from '../i18n/targets.js';
import { Dialog } from '../parts/dialog.js';
import type { Change, TargetSettings } from './settings.js';

/** The inputs of each kind of target, those that may be empty after a question mark. */
const KINDS = {
  path: ['path'],
  webdav: ['url', '?username', '?password'],
  s3: ['endpoint', 'region', 'bucket', '?prefix', 'accessKey', 'secretKey'],
  sftp: ['host', '?port', 'username', '?folder', 'keyFile', 'hostKey'],
} as const;
type Kind = keyof typeof KINDS;
type Field<F extends string = (typeof KINDS)[Kind][number]> = F extends `?${infer N}` ? N : F;

/** They are written, and never shown. */
const SECRETS = new Set<string>(['password', 'secretKey']);

interface TargetFormProps {
  readonly targets: readonly TargetSettings[];
  /** The place of the target in the list; behind its end for another one. */
  readonly at: number;
  readonly digest: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Adds or changes a target of encrypted backups. */
export function TargetForm({ targets, at, digest, onDone, onClose }: TargetFormProps) {
  const app = useApp();
  const id = useId();
  const before = targets[at];
  const kind = useSignal<Kind>(kindOf(before));
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const { form: text, kinds } = targetTexts();
  const known = kind.value === 'path' ? before : before?.[kind.value];
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const valueOf = (field: string) => {
      const value = given.get(field);
      return typeof value === 'string' ? value.trim() : '';
    };
    const values = KINDS[kind.value].map((one) => {
      const field = one.replace('?', '');
      const value = valueOf(field);
      return [field, field === 'port' && value !== '' ? Number(value) : value] as const;
    });
    const changes =
      before === undefined
        ? additionOf(targets, { name: valueOf('name'), kind: kind.value, values })
        : changesOf(`backup.targets[${at}]${kind.value === 'path' ? '' : `.${kind.value}`}`, values);
    isBusy.value = true;
    problem.value = '';
    try {
      await app.call(
        'GW_ChangeSettings',
        changes.map(([Path, Value]) => ({ Path, Value })),
        digest,
      );
      app.notice.value = { text: text.saved, isError: false };
      onClose();
      onDone();
    } catch (thrown) {
      problem.value = errorText(thrown);
    }
    isBusy.value = false;
  };
  return (
    <Dialog title={before === undefined ? text.add : text.changeOf(before.name)} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {problem.value !== '' && (
          <p class="problem" role="alert">
            {problem.value}
          </p>
        )}
        {before === undefined && (
          <>
            <div class="field">
              <label for={`${id}-name`}>{text.name}</label>
              <input
                id={`${id}-name`}
                name="name"
                required
                pattern="[A-Za-z0-9_]+"
                title={text.nameHint}
                autocomplete="off"
                aria-describedby={`${id}-name-hint`}
              />
              <small id={`${id}-name-hint`}>{text.nameHint}</small>
            </div>
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
          </>
        )}
        {KINDS[kind.value].map((one) => {
          const field = one.replace('?', '') as Field;
          const isSecret = SECRETS.has(field);
          const isKept = isSecret && before !== undefined;
          return (
            <div class="field" key={`${kind.value} ${field}`}>
              <label for={`${id}-${field}`}>{text.fields[field]}</label>
              <input
                id={`${id}-${field}`}
                name={field}
                {...(isSecret && { type: 'password' as const })}
                {...(field === 'port' && { inputMode: 'numeric' as const, pattern: '[0-9]+' })}
                defaultValue={
                  isSecret ? '' : shown((known as Readonly<Record<string, unknown>> | undefined)?.[field])
                }
                placeholder={isKept ? text.kept : undefined}
                autocomplete={isSecret ? 'new-password' : 'off'}
                spellcheck={false}
                required={one === field && !isKept}
              />
            </div>
          );
        })}
        <p class="soft">{text.hint}</p>
        <button class="primary" disabled={isBusy.value}>
          {text.save}
        </button>
        <button class="plain" type="button" onClick={onClose}>
          {words().tree.cancel}
        </button>
      </form>
    </Dialog>
  );
}

type Values = readonly (readonly [field: string, value: string | number])[];

/** Another target; a list that is not there yet is created with it. */
function additionOf(
  targets: readonly TargetSettings[],
  { name, kind, values }: { readonly name: string; readonly kind: Kind; readonly values: Values },
): Change[] {
  const members = Object.fromEntries(values.filter(([, value]) => value !== ''));
  const target = { name, ...(kind === 'path' ? members : { [kind]: members }) };
  return targets.length === 0
    ? [['backup.targets', [target]]]
    : [[`backup.targets[${targets.length}]`, target]];
}

/** Each input is a key; an empty one is removed, an empty secret stays as it was. */
function changesOf(path: string, values: Values): Change[] {
  return values
    .filter(([field, value]) => value !== '' || !SECRETS.has(field))
    .map(([field, value]) => [`${path}.${field}`, value === '' ? null : value]);
}

const kindOf = (target: TargetSettings | undefined): Kind =>
  (['webdav', 's3', 'sftp'] as const).find((kind) => target?.[kind] !== undefined) ?? 'path';

const shown = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
