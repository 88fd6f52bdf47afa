import type { ComponentProps } from 'preact';
import { textOf } from './form-text.js';
import { useTypedText } from './use-typed-text.js';

type InputAttributes = Omit<ComponentProps<'input'>, 'type' | 'role' | 'value' | 'onInput' | 'onBlur'>;

interface NumberInputProps extends InputAttributes {
  /** Everything that is not a number is shown as an empty input. */
  readonly value: unknown;
  /** NaN: the input has no number, for example while only its sign is typed. */
  readonly onNumber: (number: number) => void;
}

/** The input of a number. */
export function NumberInput({ value, onNumber, ...attributes }: NumberInputProps) {
  const typed = useTypedText(
    Number.isNaN(value) ? '' : textOf(value),
    (text) => text === '' || Number(text) === value,
    (text) => onNumber(text === '' ? NaN : Number(text)),
  );
  return <input {...attributes} {...typed} type="number" />;
}
