import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { words } from '../i18n/console-texts.js';
import { type Choices, choiceText } from './choices.js';
import type { FormElement } from './form-element.js';
import { textOf } from './form-text.js';
import { NumberInput } from './number-input.js';

/** Lines of an input for a list of texts; it grows with the list. */
const MIN_LINES = 3;

interface InputProps {
  readonly element: FormElement;
  readonly value: unknown;
  readonly choices: Choices;
  readonly onChange: (value: unknown) => void;
  /** The attributes that every kind of input has. */
  readonly shared: {
    readonly id?: string;
    readonly 'aria-invalid'?: boolean;
    readonly 'aria-describedby'?: string | undefined;
    readonly 'aria-label'?: string;
  };
}

/** The input of a value without its label, for fields and for the cells of lists. */
export function Input({ element, value, choices, onChange, shared }: InputProps) {
  switch (element.type) {
    case 'CheckBox':
      return (
        <input
          {...shared}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'Select':
      return (
        <select
          {...shared}
          value={String(value)}
          onChange={({ currentTarget }) =>
            onChange(element.options?.[currentTarget.selectedIndex]?.value ?? currentTarget.value)
          }
        >
          {element.options?.map((option) => (
            <option key={option.caption} value={String(option.value)}>
              {option.caption}
            </option>
          ))}
        </select>
      );
    case 'NumberSpinner':
      return (
        <NumberInput
          {...shared}
          min={element.minimum}
          max={element.maximum}
          step={element.digits === undefined ? 1 : 'any'}
          value={value}
          onNumber={onChange}
        />
      );
    case 'PasswordTextBox':
      return (
        <input
          {...shared}
          type="password"
          autocomplete="new-password"
          value={textOf(value)}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
    default:
      if (isLines(value)) return <LinesInput shared={shared} lines={value} onChange={onChange} />;
      return typeof value === 'object' && value !== null ? (
        <JsonInput shared={shared} value={value} onChange={onChange} />
      ) : (
        <TextInput element={element} value={value} choices={choices} onChange={onChange} shared={shared} />
      );
  }
}

/** A text, with what the machine has as suggestions. */
function TextInput({ element, value, choices, onChange, shared }: InputProps) {
  const id = useId();
  const suggestions = choices.get(element.source ?? '') ?? [];
  return (
    <>
      <input
        {...shared}
        list={suggestions.length > 0 ? id : undefined}
        autocomplete="off"
        spellcheck={false}
        value={textOf(value)}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {suggestions.length > 0 && (
        <datalist id={id}>
          {suggestions.map((one) => (
            <option key={one.Caption} value={one.Value}>
              {choiceText(one)}
            </option>
          ))}
        </datalist>
      )}
    </>
  );
}

const isLines = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

interface LinesInputProps extends Pick<InputProps, 'shared'> {
  readonly lines: readonly string[];
  readonly onChange: (lines: readonly string[]) => void;
}

/** A list of texts, one per line. */
export function LinesInput({ shared, lines, onChange }: LinesInputProps) {
  const typed = useSignal('');
  const listed = lines.join('\n');
  return (
    <textarea
      {...shared}
      rows={Math.max(MIN_LINES, lines.length + 1)}
      spellcheck={false}
      placeholder={words().settings.perLine}
      // Empty lines stay while the list is typed.
      value={linesOf(typed.value).join('\n') === listed ? typed.value : listed}
      onInput={({ currentTarget }) => {
        typed.value = currentTarget.value;
        onChange(linesOf(currentTarget.value));
      }}
    />
  );
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** A value without a form of its own, as JSON. */
function JsonInput({ shared, value, onChange }: Pick<InputProps, 'shared' | 'value' | 'onChange'>) {
  return (
    <textarea
      {...shared}
      rows={6}
      spellcheck={false}
      defaultValue={JSON.stringify(value, null, 2)}
      onChange={(event) => {
        const area = event.currentTarget;
        try {
          onChange(JSON.parse(area.value));
          area.setCustomValidity('');
        } catch (thrown) {
          area.setCustomValidity(thrown instanceof Error ? thrown.message : 'JSON');
          area.reportValidity();
        }
      }}
    />
  );
}
