import { useId } from 'preact/hooks';
import { type Choices, choiceText } from './choices.js';
import type { FormElement } from './form-element.js';
import { textOf } from './form-text.js';

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
        <input
          {...shared}
          type="number"
          min={element.minimum}
          max={element.maximum}
          step={element.digits === undefined ? 1 : 'any'}
          value={Number.isNaN(value) ? undefined : Number(value)}
          onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
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
