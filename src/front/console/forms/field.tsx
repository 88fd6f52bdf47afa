import { useId } from 'preact/hooks';

/** An element of a configuration form (interface §9). */
export interface FormElement {
  readonly type: string;
  readonly name: string;
  readonly caption: string;
  readonly suffix?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly digits?: number;
  readonly multiline?: boolean;
  readonly validate?: string;
  readonly options?: readonly { readonly caption: string; readonly value: unknown }[];
  readonly columns?: readonly FormElement[];
}

interface FieldProps {
  readonly element: FormElement;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** The input of one property. */
export function Field({ element, value, onChange }: FieldProps) {
  const id = useId();
  if (element.type === 'CheckBox')
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {element.caption}
      </label>
    );
  return (
    <div class="field">
      <label for={id}>{element.caption}</label>
      <span class="with-unit">
        <Input id={id} element={element} value={value} onChange={onChange} />
        {element.suffix !== undefined && <small>{element.suffix}</small>}
      </span>
    </div>
  );
}

function Input({ id, element, value, onChange }: FieldProps & { readonly id: string }) {
  switch (element.type) {
    case 'Select':
      return (
        <select id={id} value={String(value)} onChange={(event) => onChange(event.currentTarget.value)}>
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
          id={id}
          type="number"
          min={element.minimum}
          max={element.maximum}
          step={element.digits === undefined ? 1 : 'any'}
          value={Number(value)}
          onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
        />
      );
    case 'PasswordTextBox':
      return (
        <input
          id={id}
          type="password"
          autocomplete="new-password"
          value={typeof value === 'string' ? value : ''}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'List':
      return <JsonInput id={id} value={value} onChange={onChange} />;
    default:
      return typeof value === 'object' && value !== null ? (
        <JsonInput id={id} value={value} onChange={onChange} />
      ) : (
        <input
          id={id}
          pattern={element.validate}
          value={typeof value === 'string' ? value : ''}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

/** A value without a form of its own, as JSON. */
function JsonInput({ id, value, onChange }: Omit<FieldProps, 'element'> & { readonly id: string }) {
  return (
    <textarea
      id={id}
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
