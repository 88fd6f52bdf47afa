import { ITEM, spend, spendCharacters } from './steps.js';
import { Dict, Duration, Missing, Moment, TemplateError, Tuple, typeName, type Value } from './value.js';

/** The text of a value in the output. */
export function textOf(value: Value): string {
  if (value instanceof Missing) return '';
  if (typeof value !== 'string') return reprOf(value);
  spendCharacters(value.length);
  return value;
}

/** The text of a value within a list. Each level copies what is nested in it. */
function reprOf(value: Value): string {
  spend(ITEM);
  const text = uncountedRepr(value);
  spendCharacters(text.length);
  return text;
}

function uncountedRepr(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return floatText(value);
  if (typeof value === 'string') return quoted(value);
  if (value instanceof Missing) return 'Undefined';
  if (Array.isArray(value)) return `[${value.map((one: Value) => reprOf(one)).join(', ')}]`;
  if (value instanceof Tuple) {
    const items = value.items.map((one) => reprOf(one));
    return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`;
  }
  if (value instanceof Dict)
    return `{${[...value.entries()].map(([key, one]) => `${reprOf(key)}: ${reprOf(one)}`).join(', ')}}`;
  if (value instanceof Moment) return isoText(value, ' ');
  if (value instanceof Duration) return durationText(value);
  return `<${typeName(value)}>`;
}

/** The shortest text that reads as the same float, as Python writes it. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    const size = String(Math.abs(power)).padStart(2, '0');
    return `${digits}e${power < 0 ? '-' : '+'}${size}`;
  }
  const plain = power < 0 ? value.toFixed(digits.replace(/[-.]/g, '').length - 1 - power) : String(value);
  return plain.includes('.') ? plain : `${plain}.0`;
}

/** As many decimals as a float can be written with. */
const ALL_DECIMALS = 100;
/** From here on, toFixed writes an exponent; such a float is an integer. */
const FIXED_LIMIT = 1e21;

/** A float with this number of decimals; exact ties are rounded to even, as Python does. */
export function roundedText(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return textOf(value);
  if (Math.abs(value) >= FIXED_LIMIT)
    return `${BigInt(value)}${decimals > 0 ? '.' : ''}${'0'.repeat(decimals)}`;
  const up = value.toFixed(decimals);
  const exact = value.toFixed(ALL_DECIMALS);
  const point = exact.indexOf('.');
  const isTie = /^50*$/.test(exact.slice(point + 1 + decimals));
  const isOdd = '13579'.includes(up.at(-1) ?? '0');
  if (!isTie || !isOdd) return up;
  // toFixed rounded away from zero; one unit less is even.
  const kept = exact.slice(0, decimals === 0 ? point : point + 1 + decimals);
  return kept;
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f\u007f]/g, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return quote + escaped + quote;
}

/** `-1 day, 2:03:04.500000` */
function durationText({ ms }: Duration): string {
  const days = Math.floor(ms / 86_400_000);
  const rest = ms - days * 86_400_000;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const time = `${Math.floor(rest / 3_600_000)}:${two((rest / 60_000) % 60)}:${two((rest / 1000) % 60)}`;
  const millis = rest % 1000 === 0 ? '' : `.${String(rest % 1000).padStart(3, '0')}000`;
  return `${days === 0 ? '' : `${days} day${Math.abs(days) === 1 ? '' : 's'}, `}${time}${millis}`;
}

/** `2026-11-24T01:02:03.000004+01:00` */
export function isoText({ ms, offsetMinutes }: Moment, separator = 'T'): string {
  const local = new Date(ms + offsetMinutes * 60_000).toISOString();
  const millis = ms % 1000 === 0 ? '' : `${local.slice(19, 23)}000`;
  return `${local.slice(0, 10)}${separator}${local.slice(11, 19)}${millis}${offsetText(offsetMinutes)}`;
}

function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

interface JsonOptions {
  /** Between items, and between a key and its value. */
  readonly separators: readonly [string, string];
  readonly isAscii: boolean;
  /** Whether the members of objects are in the order of their keys. */
  readonly isSorted?: boolean;
  /** Spaces per level; undefined for one line. */
  readonly indent?: bigint | undefined;
}

/** Spaces per level of indented JSON. */
const INDENT_LIMIT = 16;

/** JSON of a value. Throws if JSON has no form for it. Each level copies what is nested in it. */
export function jsonOf(value: Value, options: JsonOptions, depth = 0): string {
  spend(ITEM);
  const text = uncountedJson(value, options, depth);
  spendCharacters(text.length);
  return text;
}

function uncountedJson(value: Value, options: JsonOptions, depth: number): string {
  const colon = options.separators[1];
  if (value === null) return 'null';
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return floatText(value);
  if (typeof value === 'string') return jsonText(value, options.isAscii);
  if (value instanceof Tuple) return jsonOf(value.items, options, depth);
  if (Array.isArray(value))
    return enclosed(
      ['[', ']'],
      value.map((one: Value) => jsonOf(one, options, depth + 1)),
      { ...options, depth },
    );
  if (value instanceof Moment) return jsonText(isoText(value), options.isAscii);
  if (!(value instanceof Dict))
    throw new TemplateError(`Object of type ${typeName(value)} is not JSON serializable`);
  const entries = [...value.entries()].map(([key, one]) => [keyText(key), one] as const);
  if (options.isSorted === true) entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const members = entries.map(
    ([key, one]) => `${jsonText(key, options.isAscii)}${colon}${jsonOf(one, options, depth + 1)}`,
  );
  return enclosed(['{', '}'], members, { ...options, depth });
}

function enclosed(
  [open, close]: readonly [string, string],
  items: readonly string[],
  { indent, separators, depth }: JsonOptions & { readonly depth: number },
): string {
  if (indent === undefined || items.length === 0) return open + items.join(separators[0]) + close;
  const space = ' '.repeat(Math.max(0, Math.min(INDENT_LIMIT, Number(indent))));
  const line = `\n${space.repeat(depth + 1)}`;
  spendCharacters(line.length * items.length);
  return `${open}${line}${items.join(`,${line}`)}\n${space.repeat(depth)}${close}`;
}

function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  return key === null || typeof key === 'boolean' ? String(key) : reprOf(key);
}

function jsonText(text: string, isAscii: boolean): string {
  const json = JSON.stringify(text);
  if (!isAscii) return json;
  return json.replaceAll(
    /[\u007f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
