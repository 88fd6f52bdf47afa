import { spend, spendCharacters } from './steps.js';
import { roundedText, textOf } from './text.js';
import { type Arguments, numberOf, TemplateError, Tuple, typeName, type Value } from './value.js';

/** How one value is written: Python's format specification (docs.python.org, "Format String Syntax"). */
interface Format {
  readonly fill: string;
  /** `<`, `>`, `^`, or `=`: between the sign and the digits. */
  readonly align: string;
  /** `+` or a space, before numbers that are not negative. */
  readonly plus: string;
  /** `0x`, `0b` or `0o` before the digits. */
  readonly hasPrefix: boolean;
  readonly width: number;
  /** Between thousands. */
  readonly comma: string;
  readonly precision: number | undefined;
  readonly kind: string;
}

/** The last code of Unicode. */
const LAST_CHARACTER = 0x10ffff;

const RADIX: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };

/** A value in a format. Throws if it is no number, and the format is one of numbers. */
function formattedOne(value: Value, format: Format): string {
  spend(1);
  spendCharacters(format.width);
  const { kind, precision, plus } = format;
  if (kind === 's') return padded('', textOf(value).slice(0, precision), format);
  if (kind === 'c') return padded('', characterOf(value), format);
  const number = numberOf(value);
  if (number === undefined)
    throw new TemplateError(`%${kind} format: a real number is required, not ${typeName(value)}`);
  const isNegative = number < 0 || Object.is(number, -0);
  const sign = isNegative ? '-' : plus;
  const digits = digitsOf(number < 0 ? -number : number, format);
  const prefix = format.hasPrefix && kind in RADIX ? `0${kind}` : '';
  return padded(sign + prefix, digits, format);
}

/** A text as it is, or the character of a code. */
function characterOf(value: Value): string {
  if (typeof value === 'string') return value;
  const code = Number(numberOf(value) ?? -1);
  if (!Number.isInteger(code) || code < 0 || code > LAST_CHARACTER)
    throw new TemplateError('%c requires an int in range(0x110000) or a char');
  return String.fromCodePoint(code);
}

/** The digits of a number that is not negative. */
function digitsOf(number: number | bigint, { kind, precision = 6, comma }: Format): string {
  const radix = RADIX[kind];
  if (kind === 'd' || radix !== undefined) {
    const digits = (typeof number === 'bigint' ? number : BigInt(Math.trunc(number))).toString(radix ?? 10);
    return kind === 'X' ? digits.toUpperCase() : grouped(digits, comma);
  }
  const float = Number(number);
  if (!Number.isFinite(float)) return textOf(float);
  switch (kind) {
    case 'f':
    case 'F':
      return grouped(roundedText(float, precision), comma);
    case '%':
      return `${roundedText(float * 100, precision)}%`;
    case 'e':
    case 'E':
      return inCase(kind, exponential(float, precision));
    default:
      return inCase(kind, general(float, Math.max(1, precision)));
  }
}

const inCase = (kind: string, text: string): string =>
  kind === kind.toUpperCase() ? text.toUpperCase() : text;

const grouped = (digits: string, comma: string): string =>
  comma === '' ? digits : digits.replaceAll(/(?<!\.\d*)\d(?=(?:\d{3})+(?!\d))/g, `$&${comma}`);

/** `1.5e+03`: the exponent has two digits or more. */
const exponential = (value: number, decimals: number): string =>
  value.toExponential(decimals).replace(/(?<=e[+-])\d$/, '0$&');

/** The shorter of both forms, without zeros at the end. */
function general(value: number, precision: number): string {
  const power = Number(value.toExponential(precision - 1).split('e')[1]);
  if (power >= -4 && power < precision) return withoutZeros(roundedText(value, precision - 1 - power));
  const [digits = '', exponent = ''] = exponential(value, precision - 1).split('e');
  return `${withoutZeros(digits)}e${exponent}`;
}

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

function padded(sign: string, digits: string, { fill, align, width }: Format): string {
  const missing = Math.max(0, width - sign.length - digits.length);
  if (align === '=') return sign + fill.repeat(missing) + digits;
  const before = align === '>' ? missing : align === '^' ? Math.floor(missing / 2) : 0;
  return fill.repeat(before) + sign + digits + fill.repeat(missing - before);
}

/** Python's `%` of a text: `'%.1f' % x`, `'%s-%s' % (a, b)`. */
export function formatted(text: string, values: Value): string {
  spendCharacters(text.length);
  const all = values instanceof Tuple ? values.items : [values];
  let next = 0;
  const made = text.replaceAll(
    /%([-+ #0]{0,5})(\d{0,3})(?:\.(\d{1,2}))?([dsifFeEgGxXoc%])/g,
    (...groups: readonly unknown[]) => {
      const [, flags = '', width = '', precision, kind = 's'] = groups as readonly (string | undefined)[];
      if (kind === '%') return '%';
      const value = all[next++];
      if (value === undefined) throw new TemplateError('not enough arguments for format string');
      const isText = kind === 's' || kind === 'c';
      const hasZeros = flags.includes('0') && !isText;
      return formattedOne(value, {
        fill: hasZeros && !flags.includes('-') ? '0' : ' ',
        align: flags.includes('-') ? '<' : hasZeros ? '=' : '>',
        plus: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '',
        hasPrefix: flags.includes('#'),
        width: Number(width),
        comma: '',
        precision: precision === undefined ? undefined : Number(precision),
        kind: kind === 'i' ? 'd' : kind,
      });
    },
  );
  if (next < all.length) throw new TemplateError('not all arguments converted during string formatting');
  return made;
}

const SPECIFICATION =
  /^(?:(.?)([<>=^]))?([+ -]?)(#?)(0?)(\d{0,3})([,_]?)(?:\.(\d{1,2}))?([bcdeEfFgGosxX%]?)$/su;

/** `'{} {0} {name} {:.1f}'.format(…)`. */
export function formatBraces(text: string, { positional, named }: Arguments): string {
  let next = 0;
  return text.replaceAll(/\{\{|\}\}|\{(\w*)(?::([^{}]*))?\}/g, (all, name?: string, specification = '') => {
    if (all === '{{' || all === '}}') return all.charAt(0);
    const value = /^\d*$/.test(name ?? '')
      ? positional[name === '' ? next++ : Number(name)]
      : named.get(name ?? '');
    if (value === undefined) throw new TemplateError('Replacement index out of range');
    return specified(value, String(specification));
  });
}

function specified(value: Value, specification: string): string {
  const parts = SPECIFICATION.exec(specification);
  if (parts === null) throw new TemplateError(`unsupported format '${specification}'`);
  const [, fill = '', align = '', plus = '', prefix, zero, width, comma = '', precision, kind = ''] = parts;
  const number = typeof value === 'boolean' ? undefined : numberOf(value);
  const isText = number === undefined;
  return formattedOne(value, {
    fill: fill === '' ? (zero === '0' ? '0' : ' ') : fill,
    align: align === '' ? (isText ? '<' : zero === '0' ? '=' : '>') : align,
    plus: plus === '-' ? '' : plus,
    hasPrefix: prefix === '#',
    width: Number(width),
    comma,
    precision: precision === undefined ? undefined : Number(precision),
    kind: kind === '' ? kindOf(number, precision) : kind,
  });
}

/** Without a type: the text of the value; of a float with a precision, the general form. */
const kindOf = (number: bigint | number | undefined, precision: string | undefined): string =>
  typeof number === 'bigint' ? 'd' : typeof number === 'number' && precision !== undefined ? 'g' : 's';
