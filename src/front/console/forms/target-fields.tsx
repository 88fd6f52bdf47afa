import { useId } from 'preact/hooks';
import { targetTexts } from '../i18n/targets.js';
import type { TextEvent } from './use-draft.js';

/** The inputs of each kind of backup target, those that may be empty after a question mark. */
const FIELDS = {
  path: ['path'],
  webdav: ['url', '?username', '?password'],
  s3: ['endpoint', 'region', 'bucket', '?prefix', 'accessKey', 'secretKey'],
  sftp: ['host', '?port', 'username', '?folder', 'keyFile', 'hostKey'],
} as const;
export type TargetKind = keyof typeof FIELDS;
type WithoutMark<F extends string> = F extends `?${infer N}` ? N : F;
export type TargetField = WithoutMark<(typeof FIELDS)[TargetKind][number]>;

const SECRETS: ReadonlySet<TargetField> = new Set(['password', 'secretKey']);

/** Whether an input is written, and never shown or kept. */
export const isSecretField = (field: TargetField): boolean => SECRETS.has(field);

/** The names of the inputs of a kind. */
export const targetFields = (kind: TargetKind): readonly TargetField[] =>
  FIELDS[kind].map((field) => field.replace('?', '') as TargetField);

interface TargetKindFieldProps<K extends string> {
  readonly label: string;
  readonly kinds: readonly K[];
  readonly kind: K;
  readonly onChange: (kind: K) => void;
}

/** The list of the kinds of targets. */
export function TargetKindField<K extends string>(props: TargetKindFieldProps<K>) {
  const { label, kinds, kind, onChange } = props;
  const id = useId();
  const text = targetTexts();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={kind} onChange={({ currentTarget }) => onChange(currentTarget.value as K)}>
        {kinds.map((one) => (
          <option key={one} value={one}>
            {text.kinds[one]}
          </option>
        ))}
      </select>
    </div>
  );
}

/** What an input has beyond its name and type. */
interface TargetInput {
  readonly value?: string;
  readonly onInput?: (event: TextEvent) => void;
  readonly placeholder?: string;
  readonly required?: boolean;
}

interface TargetFieldsProps {
  readonly kind: TargetKind;
  readonly inputProps?: (field: TargetField) => TargetInput;
}

/** The inputs of a kind of target, by their names. */
export function TargetFields({ kind, inputProps = () => ({}) }: TargetFieldsProps) {
  const id = useId();
  const { fields } = targetTexts();
  return (
    <>
      {FIELDS[kind].map((one) => {
        const field = one.replace('?', '') as TargetField;
        return (
          <div class="field" key={`${kind} ${field}`}>
            <label for={`${id}-${field}`}>{fields[field]}</label>
            <input
              id={`${id}-${field}`}
              name={field}
              {...(isSecretField(field) && { type: 'password' as const })}
              {...(field === 'port' && { inputMode: 'numeric' as const, pattern: '[0-9]+' })}
              autocomplete={isSecretField(field) ? 'new-password' : 'off'}
              spellcheck={false}
              required={one === field}
              {...inputProps(field)}
            />
          </div>
        );
      })}
    </>
  );
}
