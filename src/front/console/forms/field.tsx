import { useId } from 'preact/hooks';
import type { PropertyProblem } from '../../../client/generated/records.js';
import { words } from '../i18n/console-texts.js';
import type { Choices } from './choices.js';
import { type FormElement, isOutside } from './form-element.js';
import { Input } from './input.js';
import { ListField } from './list-field.js';

interface FieldProps {
  readonly element: FormElement;
  readonly value: unknown;
  readonly choices: Choices;
  /** What the gateway finds wrong with the value, in the user's language. */
  readonly found: PropertyProblem | undefined;
  readonly onChange: (value: unknown) => void;
}

/** The input of one property, with its unit, its help and what is wrong with it. */
export function Field({ element, value, choices, found, onChange }: FieldProps) {
  const id = useId();
  const { caption, help, suffix } = element;
  const range = isOutside(element, value) ? rangeText(element) : undefined;
  const problem = range ?? found?.Text;
  const isWarning = range === undefined && found?.Severity === 'warning';
  const describedBy = [problem === undefined ? '' : `${id}-error`, help === undefined ? '' : `${id}-help`];
  const shared = {
    id,
    'aria-invalid': problem !== undefined && !isWarning,
    'aria-describedby': describedBy.join(' ').trim() || undefined,
  };
  return (
    <div class={element.type === 'List' ? 'field wide' : 'field'}>
      {element.type === 'List' ? (
        <>
          <span>{caption}</span>
          <ListField element={element} value={value} choices={choices} onChange={onChange} />
        </>
      ) : element.type === 'CheckBox' ? (
        <label class="check">
          <Input element={element} value={value} onChange={onChange} shared={shared} choices={choices} />
          {caption}
        </label>
      ) : (
        <>
          <label for={id}>{caption}</label>
          <span class="with-unit">
            <Input element={element} value={value} onChange={onChange} shared={shared} choices={choices} />
            {suffix !== undefined && <small>{suffix}</small>}
          </span>
        </>
      )}
      {problem !== undefined && (
        <small
          id={`${id}-error`}
          class={isWarning ? 'caution' : 'problem'}
          role={isWarning ? 'status' : 'alert'}
        >
          {problem}
        </small>
      )}
      {help !== undefined && <small id={`${id}-help`}>{help}</small>}
    </div>
  );
}

function rangeText({ minimum, maximum }: FormElement): string {
  const { settings } = words();
  if (minimum !== undefined && maximum !== undefined) return settings.between(minimum, maximum);
  if (minimum !== undefined) return settings.atLeast(minimum);
  return maximum === undefined ? settings.number : settings.atMost(maximum);
}
