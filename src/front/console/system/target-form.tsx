import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { errorText, useApp } from '../app.js';
import { formText, textOf } from '../forms/form-text.js';
import {
  TargetFields,
  TargetKindField,
  isSecretField,
  targetFields,
  type TargetField,
  type TargetKind,
} from '../forms/target-fields.js';
import { type TextEvent, useDraft } from '../forms/use-draft.js';
import { targetTexts } from '../i18n/targets.js';
import { Dialog } from '../parts/dialog.js';
import { FormButtons } from '../parts/form-buttons.js';
import { Problem } from '../parts/problem.js';
import type { Change, TargetSettings } from './settings.js';

const KINDS: readonly TargetKind[] = ['path', 'webdav', 's3', 'sftp'];

/** What is entered, by the names of the inputs. */
interface TargetDraft {
  readonly kind: TargetKind;
  readonly texts: Readonly<Record<string, string>>;
}

interface TargetFormProps {
  readonly targets: readonly TargetSettings[];
  /** The index of the target in the list; the length of the list for a new one. */
  readonly at: number;
  readonly digest: string;
  readonly onDone: () => void;
  readonly onFailed: () => void;
  readonly onClose: () => void;
}

/** Adds or changes a target of encrypted backups. */
export function TargetForm({ targets, at, digest, onDone, onFailed, onClose }: TargetFormProps) {
  const app = useApp();
  const id = useId();
  const before = targets[at];
  // Without the secrets: they are entered again after the end of the session.
  const { draft, set, clear } = useDraft<TargetDraft>(`target/${before?.name ?? ''}`, {
    kind: kindOf(before),
    texts: {},
  });
  const { kind, texts } = draft;
  const inputOf = (field: string, value = '') => ({
    value: texts[field] ?? value,
    onInput: ({ currentTarget }: TextEvent) => set({ texts: { ...texts, [field]: currentTarget.value } }),
  });
  const close = () => {
    clear();
    onClose();
  };
  const problem = useSignal('');
  const isBusy = useSignal(false);
  /** What a test found. */
  const outcome = useSignal('');
  const { form: text } = targetTexts();
  const known: Readonly<Record<string, unknown>> = {
    ...(kind === 'path' ? before : before?.[kind]),
  };
  const act = async (action: () => Promise<void>) => {
    isBusy.value = true;
    problem.value = '';
    outcome.value = '';
    try {
      await action();
    } catch (thrown) {
      problem.value = errorText(thrown);
    }
    isBusy.value = false;
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const entered = enteredIn(event.currentTarget as HTMLFormElement, kind);
    const changes =
      before === undefined
        ? additionOf(targets, targetOf(before, entered))
        : changesOf(`backup.targets[${at}]${kind === 'path' ? '' : `.${kind}`}`, entered.values);
    return act(async () => {
      const given = changes.map(([Path, Value]) => ({ Path, Value }));
      try {
        await app.call('GW_ChangeSettings', given, digest);
      } catch (thrown) {
        // Somebody else may have changed them.
        onFailed();
        throw thrown;
      }
      app.notice.value = { text: text.saved, isError: false };
      close();
      onDone();
    });
  };
  const test = (form: HTMLFormElement | null) => {
    if (form?.reportValidity() !== true) return undefined;
    const target = targetOf(before, enteredIn(form, kind));
    return act(async () => {
      outcome.value = text.testing;
      await app.call('GW_TestBackupTarget', { ...target }).finally(() => (outcome.value = ''));
      outcome.value = text.works;
    });
  };
  return (
    <Dialog title={before === undefined ? text.add : text.changeOf(before.name)} onClose={close}>
      <form onSubmit={(event) => void submit(event)}>
        <Problem text={problem.value} />
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
                {...inputOf('name')}
                aria-describedby={`${id}-name-hint`}
              />
              <small id={`${id}-name-hint`}>{text.nameHint}</small>
            </div>
            <TargetKindField
              label={text.kind}
              kinds={KINDS}
              kind={kind}
              onChange={(chosen) => set({ kind: chosen })}
            />
          </>
        )}
        <TargetFields
          kind={kind}
          inputProps={(field) => {
            if (!isSecretField(field)) return inputOf(field, textOf(known[field]));
            return before === undefined ? {} : { placeholder: text.kept, required: false };
          }}
        />
        <p class="soft">{text.hint}</p>
        <p role="status">{outcome}</p>
        <FormButtons submit={text.save} isDisabled={isBusy.value} onClose={close}>
          <button
            class="plain"
            type="button"
            disabled={isBusy.value}
            onClick={({ currentTarget }) => void test(currentTarget.form)}
          >
            {text.test}
          </button>
        </FormButtons>
      </form>
    </Dialog>
  );
}

type Values = readonly (readonly [field: TargetField, value: string | number])[];

interface Entered {
  readonly name: string;
  readonly kind: TargetKind;
  readonly values: Values;
}

function enteredIn(form: HTMLFormElement, kind: TargetKind): Entered {
  const given = new FormData(form);
  const values = targetFields(kind).map((field) => {
    const value = formText(given, field).trim();
    return [field, field === 'port' && value !== '' ? Number(value) : value] as const;
  });
  return { name: formText(given, 'name').trim(), kind, values };
}

/** The target as the form describes it. An empty secret is `***`, which stands for the stored one. */
function targetOf(before: TargetSettings | undefined, { name, kind, values }: Entered): TargetSettings {
  const known = kind === 'path' ? {} : before?.[kind];
  const entered = values.filter(([field, value]) => value !== '' || !isSecretField(field));
  const members = Object.entries({ ...known, ...Object.fromEntries(entered) }).filter(
    ([, value]) => value !== '',
  );
  const given = Object.fromEntries(members);
  return { name: before?.name ?? name, ...(kind === 'path' ? given : { [kind]: given }) };
}

/** Adds a target; creates the list if there is none yet. */
function additionOf(targets: readonly TargetSettings[], target: TargetSettings): Change[] {
  return targets.length === 0
    ? [['backup.targets', [target]]]
    : [[`backup.targets[${targets.length}]`, target]];
}

/** Each input is a key; an empty one is removed, an empty secret stays as it was. */
function changesOf(path: string, values: Values): Change[] {
  return values
    .filter(([field, value]) => value !== '' || !isSecretField(field))
    .map(([field, value]) => [`${path}.${field}`, value === '' ? null : value]);
}

const kindOf = (target: TargetSettings | undefined): TargetKind =>
  (['webdav', 's3', 'sftp'] as const).find((kind) => target?.[kind] !== undefined) ?? 'path';
