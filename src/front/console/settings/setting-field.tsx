import { useSignal } from '@preact/signals';
import type { TargetedInputEvent } from 'preact';
import { useId } from 'preact/hooks';
import type { ConfigurationProblem } from '../../../client/generated/records.js';
import { LinesInput } from '../forms/input.js';
import { NumberInput } from '../forms/number-input.js';
import { useTypedText } from '../forms/use-typed-text.js';
import { sentence, settingText, settingWord } from '../i18n/gateway-texts.js';
import { words } from '../i18n/console-texts.js';
import { CheckField } from '../parts/check-field.js';
import { settingTexts } from './setting-texts.js';
import {
  entrySchema,
  isFields,
  isSecretPath,
  kindOf,
  type SettingSchema,
  withKey,
  wordsOf,
} from './setting-schema.js';

interface SettingProps {
  readonly schema: SettingSchema;
  /** As problems name it: `webServers[0].tls`. */
  readonly path: string;
  readonly value: unknown;
  readonly problems: readonly ConfigurationProblem[];
  readonly onChange: (value: unknown) => void;
}

/** The caption and the help of a setting, and what is wrong with it. */
export function SettingField(props: SettingProps) {
  const { schema, path, value, problems, onChange } = props;
  const id = useId();
  const kind = kindOf(schema);
  const [title, help] = settingText(path, [schema.title ?? path, schema.description ?? '']);
  const found = problems.filter((one) => one.Path === path);
  const text = settingTexts();
  const describedBy = [help === '' ? '' : `${id}-help`, found.length === 0 ? '' : `${id}-problem`]
    .join(' ')
    .trim();
  const notes = (
    <>
      {found.map((one, index) => (
        <small
          key={index}
          id={index === 0 ? `${id}-problem` : undefined}
          class={one.Severity === 'error' ? 'problem' : 'caution'}
          role={one.Severity === 'error' ? 'alert' : 'status'}
        >
          {sentence(one.CodedText)}
        </small>
      ))}
      {help !== '' && (
        <small id={`${id}-help`}>
          {help}
          {schema['x-restart'] === true && ` ${text.restart}`}
        </small>
      )}
    </>
  );
  if (kind === 'flag')
    return (
      <div class="field">
        <CheckField label={title} checked={value === true} onChange={(on) => onChange(on || undefined)} />
        {notes}
      </div>
    );
  if (kind === 'parts' || kind === 'list' || kind === 'variants' || kind === 'map')
    return (
      <fieldset class="field wide parts">
        <legend>{title}</legend>
        {notes}
        {kind === 'parts' && <Parts {...props} />}
        {kind === 'list' && <List {...props} />}
        {kind === 'variants' && <Variants {...props} title={title} />}
        {kind === 'map' && <MapField {...props} />}
      </fieldset>
    );
  const shared = {
    id,
    'aria-invalid': found.some(({ Severity }) => Severity === 'error'),
    'aria-describedby': describedBy === '' ? undefined : describedBy,
  };
  return (
    <div class="field">
      <label for={id}>{title}</label>
      <Input {...props} shared={shared} />
      {notes}
    </div>
  );
}

interface InputProps extends SettingProps {
  readonly shared: object;
}

/** The input of a setting that has no parts; an empty one is the default. */
function Input({ schema, path, value, onChange, shared }: InputProps) {
  const text = settingTexts();
  switch (kindOf(schema)) {
    case 'words':
      return (
        <select
          {...shared}
          value={plainText(value)}
          onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        >
          <option value="">{text.default}</option>
          {wordsOf(schema)?.map((word) => (
            <option key={word} value={word}>
              {settingWord(word)}
            </option>
          ))}
        </select>
      );
    case 'number':
      return (
        <NumberInput
          {...shared}
          min={schema.minimum}
          max={schema.maximum}
          step={schema.type === 'integer' ? 1 : 'any'}
          placeholder={text.default}
          value={value}
          onNumber={(number) => onChange(Number.isNaN(number) ? undefined : number)}
        />
      );
    case 'texts':
      return (
        <LinesInput
          shared={shared}
          lines={Array.isArray(value) ? value : []}
          onChange={(lines) => onChange(lines.length > 0 ? lines : undefined)}
        />
      );
    case 'scalar':
      return <ScalarInput shared={shared} value={value} onChange={onChange} />;
    default: {
      const given = {
        ...shared,
        spellcheck: false,
        placeholder: text.default,
        value: typeof value === 'string' ? value : '',
        onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) =>
          onChange(currentTarget.value === '' ? undefined : currentTarget.value),
      };
      return isSecretPath(path) ? (
        <input {...given} type="password" autocomplete="new-password" />
      ) : (
        <input {...given} type="text" autocomplete="off" />
      );
    }
  }
}

function ScalarInput({ shared, value, onChange }: Pick<InputProps, 'shared' | 'value' | 'onChange'>) {
  const typed = useTypedText(
    plainText(value),
    (text) => scalarOf(text) === value,
    (text) => onChange(scalarOf(text)),
  );
  return <input {...shared} {...typed} spellcheck={false} />;
}

const plainText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** A boolean, a number or a text, as in the file. */
function scalarOf(text: string): unknown {
  if (text === '') return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) || text.trim() === '' ? text : Number(text);
}

/** The settings that belong together. */
function Parts({ schema, path, value, problems, onChange }: SettingProps) {
  return (
    <div class="fields">
      {Object.entries(schema.properties ?? {}).map(([key, one]) => (
        <SettingField
          key={key}
          schema={one}
          path={path === '' ? key : `${path}.${key}`}
          value={isFields(value) ? value[key] : undefined}
          problems={problems}
          onChange={(next) => onChange(withKey(value, key, next))}
        />
      ))}
    </div>
  );
}

/** A word, or one of the forms with settings of their own. */
function Variants({ title, ...props }: SettingProps & { readonly title: string }) {
  const { schema, path, value, onChange } = props;
  const text = settingTexts();
  const variants = schema.anyOf ?? [];
  const all = variants.flatMap((one) => wordsOf(one) ?? []);
  const others = variants.filter((one) => wordsOf(one) === undefined);
  const at = others.findIndex((one) =>
    kindOf(one) === 'text' ? typeof value === 'string' : isFields(value),
  );
  const chosen =
    typeof value === 'string' && all.includes(value) ? value : value === undefined ? '' : `#${at}`;
  const form = chosen.startsWith('#') ? others[at] : undefined;
  return (
    <>
      <select
        aria-label={title}
        value={chosen}
        onChange={({ currentTarget: { value: next } }) =>
          onChange(next === '' ? undefined : next.startsWith('#') ? {} : next)
        }
      >
        <option value="">{text.default}</option>
        {all.map((word) => (
          <option key={word} value={word}>
            {settingWord(word)}
          </option>
        ))}
        {others.map((one, index) => (
          <option key={index} value={`#${index}`}>
            {one.patternProperties === undefined ? partTitles(one, path) : text.perName}
          </option>
        ))}
      </select>
      {form !== undefined &&
        (form.patternProperties === undefined ? (
          <Parts {...props} schema={form} />
        ) : (
          <MapField {...props} schema={form} />
        ))}
    </>
  );
}

/** The titles of the settings that a form has. */
function partTitles({ properties = {} }: SettingSchema, path: string): string {
  return Object.entries(properties)
    .map(([key, { title = key }]) => settingText(`${path}.${key}`, [title, ''])[0])
    .join(', ');
}

/** Entries of a list; a removed one stays in it as undefined until it is saved. */
function List({ schema, path, value, problems, onChange }: SettingProps) {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const text = settingTexts();
  const [title] = settingText(path, [schema.title ?? path, '']);
  const set = (index: number, next: unknown) =>
    onChange(entries.map((one, at) => (at === index ? next : one)));
  // Problems are found in the list without the removed entries.
  let left = 0;
  return (
    <>
      {entries.map(
        (entry, index) =>
          entry !== undefined && (
            <div key={index} class="card" role="group" aria-label={`${title} ${index + 1}`}>
              <Parts
                schema={schema.items ?? {}}
                path={`${path}[${left++}]`}
                value={entry}
                problems={problems}
                onChange={(next) => set(index, next ?? {})}
              />
              <p>
                <button
                  class="plain"
                  type="button"
                  aria-label={words().settings.removeRow(index + 1)}
                  onClick={() => set(index, undefined)}
                >
                  {text.remove}
                </button>
              </p>
            </div>
          ),
      )}
      <p>
        <button class="plain" type="button" onClick={() => onChange([...entries, {}])}>
          {text.add}
        </button>
      </p>
    </>
  );
}

/** Settings by a name of the user: a prefix, a subject of the log, a profile. */
function MapField({ schema, path, value, problems, onChange }: SettingProps) {
  const id = useId();
  const name = useSignal('');
  const text = settingTexts();
  const entries = Object.entries(isFields(value) ? value : {});
  const one = entrySchema(schema);
  const isNew = name.value !== '' && !entries.some(([key]) => key === name.value);
  const add = () => {
    onChange({ ...Object.fromEntries(entries), [name.peek()]: one.type === 'object' ? {} : '' });
    name.value = '';
  };
  return (
    <>
      {entries.map(([key, entry]) => (
        <div key={key} class="card" role="group" aria-label={key}>
          <SettingField
            schema={{ ...one, title: key }}
            path={`${path}.${key}`}
            value={entry}
            problems={problems}
            onChange={(next) =>
              onChange({ ...Object.fromEntries(entries), [key]: next ?? (one.type === 'object' ? {} : '') })
            }
          />
          <p>
            <button
              class="plain"
              type="button"
              aria-label={text.removeOf(key)}
              onClick={() => onChange(withKey(value, key, undefined))}
            >
              {text.remove}
            </button>
          </p>
        </div>
      ))}
      <div class="field">
        <label for={id}>{text.name}</label>
        <span class="with-unit">
          <input
            id={id}
            autocomplete="off"
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value.trim())}
          />
          <button class="plain" type="button" disabled={!isNew} onClick={add}>
            {text.add}
          </button>
        </span>
      </div>
    </>
  );
}
