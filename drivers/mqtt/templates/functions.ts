import { builtin, byName } from './builtin.js';
import { timeFilters, type Callables } from './filters.js';
import { DURATION_FUNCTIONS, durationMember } from './durations.js';
import { formatBraces } from './formats.js';
import { formatMoment, momentAttribute, momentOf, type TemplateClock } from './moments.js';
import { integerOf } from './numbers.js';
import { NUMBER_FILTERS } from './number-filters.js';
import { existing, isEqual, itemOf } from './operators.js';
import { spendCharacters } from './steps.js';
import { centered, joined, replaced, widthOf } from './text-filters.js';
import { isoText, textOf } from './text.js';
import {
  Callable,
  Dict,
  Duration,
  itemsOf,
  Missing,
  Moment,
  Namespace,
  TemplateError,
  Tuple,
  type Arguments,
  type Value,
} from './value.js';

/** Items of a range, above which it is rejected. */
const RANGE_LIMIT = 10_000;

function range(first: Value, second?: Value, third: Value = 1n): Value {
  const [a, b, step] = [first, second ?? null, third].map((one) =>
    one === null ? undefined : integerOf(one),
  );
  if (a === undefined || step === undefined || step === 0n)
    throw new TemplateError('range() expects integers');
  const [from, to] = b === undefined ? [0n, a] : [a, b];
  const count = Math.max(0, Math.ceil(Number(to - from) / Number(step)));
  if (count > RANGE_LIMIT) throw new TemplateError('the range is too long');
  return Array.from({ length: count }, (_, n) => from + BigInt(n) * step);
}

function dictOf({ positional: [from], named }: Arguments): Dict {
  const entries: (readonly [Value, Value])[] = [];
  if (from instanceof Dict) entries.push(...from.entries());
  else if (from !== undefined)
    for (const pair of itemsOf(from)) entries.push([itemOf(pair, 0n), itemOf(pair, 1n)]);
  return Dict.of([...entries, ...named]);
}

/** `dict`, which can be called, and has `fromkeys`. */
export const DICT = new Callable('dict', dictOf);

/** The functions and constants that templates see. */
export function makeGlobals(clock: TemplateClock): ReadonlyMap<string, Value> {
  const { nowMs } = clock;
  const functions: Callables = byName(
    ...NUMBER_FILTERS,
    ...timeFilters(clock),
    ...DURATION_FUNCTIONS,
    DICT,
    new Callable('namespace', (given) => {
      const made = new Namespace();
      for (const [key, value] of dictOf(given).entries()) made.attributes.set(textOf(key), value);
      return made;
    }),
    builtin('range', 'start stop? step?', range),
    builtin('now', '', () => momentOf(nowMs() / 1000, clock)),
    builtin('utcnow', '', () => momentOf(nowMs() / 1000)),
    builtin('zip', '*lists', (lists: readonly Value[]) => {
      const all = lists.map((one) => itemsOf(one));
      const length = all.length === 0 ? 0 : Math.min(...all.map((one) => one.length));
      return Array.from({ length }, (_, n) => new Tuple(all.map((one) => one[n] as Value)));
    }),
    builtin('list', 'values?', (values: Value = []) => [...itemsOf(values)]),
    builtin('tuple', 'values?', (values: Value = []) => new Tuple(itemsOf(values))),
  );
  return new Map<string, Value>([
    ...functions,
    ['pi', Math.PI],
    ['e', Math.E],
    ['tau', 2 * Math.PI],
    ['inf', Infinity],
  ]);
}

const caseOf =
  (convert: (text: string) => string) =>
  (text: string): Callable =>
    builtin('text', '', () => convert(text));

/** Methods of texts that do not change anything. */
export const TEXT_METHODS: Readonly<Record<string, (text: string) => Callable>> = {
  lower: caseOf((text) => text.toLowerCase()),
  upper: caseOf((text) => text.toUpperCase()),
  capitalize: caseOf((text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()),
  title: caseOf((text) =>
    text.replaceAll(/\p{L}+/gu, (word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()),
  ),
  strip: (text) => builtin('strip', 'chars?', (set?: Value) => stripped(text, set, 'both')),
  lstrip: (text) => builtin('lstrip', 'chars?', (set?: Value) => stripped(text, set, 'start')),
  rstrip: (text) => builtin('rstrip', 'chars?', (set?: Value) => stripped(text, set, 'end')),
  replace: (text) =>
    builtin('replace', 'old new count?', (old: Value, by: Value, count?: Value) =>
      replaced(text, { old: textOf(old), by: textOf(by), count }),
    ),
  split: (text) => builtin('split', 'sep? maxsplit?', (by?: Value, max?: Value) => splitText(text, by, max)),
  rsplit: (text) =>
    builtin('rsplit', 'sep? maxsplit?', (by?: Value, max?: Value) => {
      const parts = splitText(text, by);
      const kept = max === undefined ? -1 : Number(integerOf(max) ?? -1n);
      if (kept < 0 || parts.length <= kept + 1) return parts;
      const cut = parts.length - kept;
      return [parts.slice(0, cut).join(textOf(by ?? ' ')), ...parts.slice(cut)];
    }),
  splitlines: (text) =>
    builtin('splitlines', '', () => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))),
  startswith: (text) =>
    builtin('startswith', 'prefix', (part: Value) => anyText(part, (one) => text.startsWith(one))),
  endswith: (text) =>
    builtin('endswith', 'suffix', (part: Value) => anyText(part, (one) => text.endsWith(one))),
  find: (text) => builtin('find', 'sub', (part: Value) => BigInt(text.indexOf(textOf(part)))),
  rfind: (text) => builtin('rfind', 'sub', (part: Value) => BigInt(text.lastIndexOf(textOf(part)))),
  index: (text) =>
    builtin('index', 'sub', (part: Value) => {
      const at = text.indexOf(textOf(part));
      if (at < 0) throw new TemplateError('substring not found');
      return BigInt(at);
    }),
  partition: (text) =>
    builtin('partition', 'sep', (by: Value) => partitioned(text, text.indexOf(textOf(by)), by)),
  rpartition: (text) =>
    builtin('rpartition', 'sep', (by: Value) => {
      const at = text.lastIndexOf(textOf(by));
      return at < 0 ? new Tuple(['', '', text]) : partitioned(text, at, by);
    }),
  count: (text) => builtin('count', 'sub', (part: Value) => BigInt(text.split(textOf(part)).length - 1)),
  join: (text) =>
    builtin('join', 'values', (values: Value) =>
      joined(
        itemsOf(values).map((one) => textOf(one)),
        text,
      ),
    ),
  isdigit: (text) => builtin('isdigit', '', () => /^\d+$/.test(text)),
  isnumeric: (text) => builtin('isnumeric', '', () => /^\d+$/.test(text)),
  isalpha: (text) => builtin('isalpha', '', () => /^\p{L}+$/u.test(text)),
  isalnum: (text) => builtin('isalnum', '', () => /^[\p{L}\d]+$/u.test(text)),
  isupper: (text) => builtin('isupper', '', () => /\p{L}/u.test(text) && text === text.toUpperCase()),
  islower: (text) => builtin('islower', '', () => /\p{L}/u.test(text) && text === text.toLowerCase()),
  isdecimal: (text) => builtin('isdecimal', '', () => /^\d+$/.test(text)),
  isspace: (text) => builtin('isspace', '', () => /^\s+$/.test(text)),
  casefold: (text) => builtin('casefold', '', () => text.toLowerCase().replaceAll('ß', 'ss')),
  swapcase: (text) =>
    builtin('swapcase', '', () =>
      Array.from(text, (one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join(''),
    ),
  zfill: (text) => builtin('zfill', 'width', (width: Value) => text.padStart(widthOf(width), '0')),
  ljust: padding('ljust', (text, width, fill) => text.padEnd(widthOf(width), fill)),
  rjust: padding('rjust', (text, width, fill) => text.padStart(widthOf(width), fill)),
  center: padding('center', centered),
  removeprefix: (text) =>
    builtin('removeprefix', 'prefix', (part: Value) =>
      text.startsWith(textOf(part)) ? text.slice(textOf(part).length) : text,
    ),
  removesuffix: (text) =>
    builtin('removesuffix', 'suffix', (part: Value) =>
      textOf(part) !== '' && text.endsWith(textOf(part)) ? text.slice(0, -textOf(part).length) : text,
    ),
  format: (text) => new Callable('format', (given) => formatBraces(text, given)),
};

/** Text before a separator at an index, the separator, and the text after it. */
const partitioned = (text: string, at: number, by: Value): Tuple =>
  new Tuple(at < 0 ? [text, '', ''] : [text.slice(0, at), textOf(by), text.slice(at + textOf(by).length)]);

function padding(
  name: string,
  pad: (text: string, width: Value, fill: string) => string,
): (text: string) => Callable {
  return (text) =>
    builtin(name, 'width fillchar?', (width: Value, fill: Value = ' ') => {
      if (Array.from(textOf(fill)).length !== 1)
        throw new TemplateError('The fill character must be exactly one character long');
      return pad(text, width, textOf(fill));
    });
}

const anyText = (parts: Value, matches: (part: string) => boolean): boolean =>
  parts instanceof Tuple ? parts.items.some((one) => matches(textOf(one))) : matches(textOf(parts));

function stripped(text: string, set: Value | undefined, side: 'both' | 'start' | 'end'): string {
  const characters = set === undefined || set === null ? undefined : new Set(textOf(set).split(''));
  const isCut = (one: string): boolean => characters?.has(one) ?? /\s/.test(one);
  let [from, to] = [0, text.length];
  if (side !== 'end') while (from < to && isCut(text.charAt(from))) from++;
  if (side !== 'start') while (to > from && isCut(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

function splitText(text: string, by?: Value, max?: Value): string[] {
  const limit = max === undefined ? -1 : Number(integerOf(max) ?? -1n);
  const isSpace = by === undefined || by === null;
  if (!isSpace && textOf(by) === '') throw new TemplateError('empty separator');
  const parts = isSpace ? text.trim().split(/\s+/) : text.split(textOf(by));
  if (isSpace && parts.length === 1 && parts[0] === '') return [];
  if (limit < 0 || parts.length <= limit + 1) return parts;
  return [...parts.slice(0, limit), parts.slice(limit).join(isSpace ? ' ' : textOf(by))];
}

/** The attribute or method of that name; a {@link Missing} if there is none. */
export function memberOf(value: Value, name: string): Value {
  if (value instanceof Missing) throw new TemplateError(value.what);
  if (value instanceof Namespace) {
    const found = value.attributes.get(name);
    return found === undefined ? itemOf(value, name) : found;
  }
  if (value instanceof Moment) return momentAttribute(value, name) ?? momentMethod(value, name);
  if (value instanceof Duration) return durationMember(value, name);
  if (value instanceof Dict) return dictMethod(value, name) ?? itemOf(value, name);
  if (value === DICT && name === 'from_keys') return DICT;
  if (value === DICT && name === 'fromkeys')
    return builtin('fromkeys', 'keys value?', (keys: Value, one: Value = null) =>
      Dict.of(itemsOf(keys).map((key) => [key, one])),
    );
  const method =
    typeof value === 'string' && Object.hasOwn(TEXT_METHODS, name) ? TEXT_METHODS[name] : undefined;
  if (method !== undefined) return ofText(method(value as string), value as string);
  if (Array.isArray(value) || value instanceof Tuple)
    return listMethod(itemsOf(value), name) ?? itemOf(value, name);
  return itemOf(value, name);
}

/** A method of a text, which is an argument like those that are given. */
const ofText = ({ name, call }: Callable, text: string): Callable =>
  new Callable(name, (given) => {
    spendCharacters(text.length);
    return call(given);
  });

/** Methods that would change a dictionary. */
const CHANGING = new Set(['update', 'pop', 'popitem', 'clear', 'setdefault']);

function dictMethod(dict: Dict, name: string): Value | undefined {
  if (CHANGING.has(name)) return new Missing(`access to attribute '${name}' of 'dict' object is unsafe.`);
  switch (name) {
    case 'get':
      return builtin('get', 'key default?', (key: Value, otherwise: Value = null) => {
        const found = dict.get(key);
        return found === undefined ? otherwise : found;
      });
    case 'keys':
      return builtin('keys', '', () => dict.keys());
    case 'values':
      return builtin('values', '', () => dict.values());
    case 'items':
      return builtin('items', '', () => [...dict.entries()].map((pair) => new Tuple(pair)));
    case 'copy':
      return builtin('copy', '', () => dict);
    default:
      return undefined;
  }
}

function listMethod(items: readonly Value[], name: string): Value | undefined {
  if (name === 'index')
    return builtin('index', 'value', (value: Value) => {
      const at = items.findIndex((one) => isEqual(one, value));
      if (at < 0) throw new TemplateError('the value is not in the list');
      return BigInt(at);
    });
  if (name === 'count')
    return builtin('count', 'value', (value: Value) =>
      BigInt(items.filter((one) => isEqual(one, value)).length),
    );
  return undefined;
}

function momentMethod(moment: Moment, name: string): Value {
  switch (name) {
    case 'strftime':
      return builtin('strftime', 'format', (format: Value) => formatMoment(moment, textOf(existing(format))));
    case 'isoformat':
      return builtin('isoformat', '', () => isoText(moment));
    case 'timestamp':
      return builtin('timestamp', '', () => moment.ms / 1000);
    case 'weekday':
    case 'isoweekday':
      return builtin(name, '', () => {
        const day = BigInt(formatMoment(moment, '%u'));
        return name === 'weekday' ? day - 1n : day;
      });
    default:
      return new Missing(`'datetime' object has no attribute '${name}'`);
  }
}
