import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { EventRecord } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { type Value, variableType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { NumberInput } from '../forms/number-input.js';
import { weekdayName } from './sentences.js';

type EventDate = EventRecord['CyclicDateFrom'];
type EventTime = EventRecord['CyclicTimeFrom'];

interface SelectFieldProps {
  readonly label: string;
  /** The texts of the values 0, 1, 2 … */
  readonly options: readonly string[];
  readonly value: number;
  readonly onChange: (value: number) => void;
}

export function SelectField({ label, options, value, onChange }: SelectFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}>
        {options.map((option, index) => (
          <option key={index} value={index}>
            {option}
          </option>
        ))}
      </select>
    </div>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly limits: readonly [minimum: number, maximum: number];
  readonly onChange: (value: number) => void;
}

/** An integer; input that is not a number is ignored. */
export function NumberField({ label, value, limits: [min, max], onChange }: NumberFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <NumberInput
        id={id}
        required
        min={min}
        max={max}
        step={1}
        value={value}
        onNumber={(number) => {
          if (!Number.isNaN(number)) onChange(number);
        }}
      />
    </div>
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: EventTime;
  readonly onChange: (value: EventTime) => void;
}

export function TimeField({ label, value: { Hour, Minute, Second }, onChange }: TimeFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="time"
        required
        step={1}
        value={[Hour, Minute, Second].map(twoDigits).join(':')}
        onInput={({ currentTarget }) => {
          const [hour, minute = 0, second = 0] = currentTarget.value.split(':').map(Number);
          if (currentTarget.value !== '') onChange({ Hour: hour ?? 0, Minute: minute, Second: second });
        }}
      />
    </div>
  );
}

interface DateFieldProps {
  readonly label: string;
  readonly value: EventDate;
  readonly onChange: (value: EventDate) => void;
}

/** A date; empty is all 0. */
export function DateField({ label, value: { Day, Month, Year }, onChange }: DateFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={Day === 0 ? '' : `${String(Year).padStart(4, '0')}-${twoDigits(Month)}-${twoDigits(Day)}`}
        onInput={({ currentTarget }) => {
          const [year = 0, month = 0, day = 0] = currentTarget.value.split('-').map(Number);
          onChange({ Day: day, Month: month, Year: year });
        }}
      />
    </div>
  );
}

const twoDigits = (part: number): string => String(part).padStart(2, '0');

interface DaysFieldProps {
  readonly label: string;
  /** 1 Monday, 2 Tuesday … 64 Sunday. */
  readonly mask: number;
  readonly onChange: (mask: number) => void;
}

export function DaysField({ label, mask, onChange }: DaysFieldProps) {
  return (
    <fieldset class="kinds wide">
      <legend>{label}</legend>
      {[1, 2, 3, 4, 5, 6, 7].map((day) => {
        const bit = 1 << (day - 1);
        return (
          <label key={day}>
            <input
              type="checkbox"
              aria-label={weekdayName(day)}
              checked={(mask & bit) !== 0}
              // The last day stays.
              onClick={(event) => mask === bit && event.preventDefault()}
              onChange={() => onChange(mask ^ bit)}
            />
            {weekdayName(day, 'short')}
          </label>
        );
      })}
    </fieldset>
  );
}

interface ValueFieldProps {
  readonly label: string;
  /** The variable whose values it has; undefined: any value, as text. */
  readonly variable: TreeNode | undefined;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A value of a variable: one of its choices, a number or a text. */
export function ValueField({ label, variable, value, onChange }: ValueFieldProps) {
  const app = useApp();
  const id = useId();
  const { type = variableType.string } = variable?.entry.value.data ?? {};
  const associations =
    variable === undefined ? [] : (app.gateway.model.profileOf(variable)?.associations ?? []);
  const choices: readonly Value[] =
    type === variableType.boolean ? [false, true] : associations.map((one) => one.value);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {variable !== undefined && choices.length > 0 ? (
        <select
          id={id}
          value={String(value)}
          onChange={({ currentTarget }) => onChange(choices[currentTarget.selectedIndex] ?? value)}
        >
          {choices.map((choice) => (
            <option key={String(choice)} value={String(choice)}>
              {app.format(variable, choice)}
            </option>
          ))}
        </select>
      ) : type === variableType.string ? (
        <input id={id} value={String(value)} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
      ) : (
        <NumberInput
          id={id}
          required
          step={type === variableType.integer ? 1 : 'any'}
          value={Number(value)}
          onNumber={(number) => {
            if (!Number.isNaN(number)) onChange(number);
          }}
        />
      )}
    </div>
  );
}

/** The value of the variable's type that is the closest to `value`. */
export function valueFor(variable: TreeNode | undefined, value: Value): Value {
  const { type = variableType.string } = variable?.entry.peek().data ?? {};
  if (type === variableType.boolean) return typeof value === 'boolean' ? value : true;
  if (type === variableType.string) return typeof value === 'string' ? value : String(value);
  return typeof value === 'number' ? value : 0;
}

interface SectionProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A group of fields with a heading. */
export function Section({ title, children }: SectionProps) {
  return (
    <fieldset class="fields">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}
