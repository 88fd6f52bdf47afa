import { type Given, builtin } from './builtin.js';
import { formatted } from './formats.js';
import { floatOf, integerOf } from './numbers.js';
import { existing } from './operators.js';
import { allMatches, matchesAnywhere, matchesStart, replaceMatches } from './patterns.js';
import { ITEM, spend, spendCharacters } from './steps.js';
import { jsonOf, roundedText, textOf } from './text.js';
import { fromJson, isTrue, Missing, TemplateError, Tuple, type Callable, type Value } from './value.js';

const SPACED = [', ', ': '] as const;
const COMPACT = [',', ':'] as const;

const lower = (value: Value): string => textOf(value).toLowerCase();
const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
const trimmed = (value: Value, characters?: Value): string => {
  if (characters === undefined || characters === null) return textOf(value).trim();
  const set = new Set(textOf(characters));
  const all = Array.from(textOf(value));
  const first = all.findIndex((one) => !set.has(one));
  return first < 0 ? '' : all.slice(first, all.findLastIndex((one) => !set.has(one)) + 1).join('');
};

/** Of the filter `truncate`: cuts at a word, unless `isExact`; a text that is a little longer is left. */
function truncated(...[value, length = 255n, isExact = false, end = '...', leeway]: Given): string {
  const [text, mark] = [textOf(value), textOf(end)];
  const limit = Number(integerOf(length) ?? 255n);
  if (text.length <= limit + Number(leeway === undefined || leeway === null ? 5n : (integerOf(leeway) ?? 5n)))
    return text;
  const cut = text.slice(0, Math.max(0, limit - mark.length));
  if (isTrue(isExact)) return cut + mark;
  const space = cut.lastIndexOf(' ');
  return (space < 0 ? cut : cut.slice(0, space)) + mark;
}

function slug(value: Value, separator: Value = '_'): string {
  const by = textOf(separator);
  const words = textOf(value)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const plain = joined(words, by);
  return plain.slice(
    plain.startsWith(by) ? by.length : 0,
    plain.endsWith(by) ? -by.length || undefined : undefined,
  );
}

/** Searches each bracket once: a pattern would search `>` from each `<` to the end of the text. */
function withoutTags(text: string): string {
  let [kept, from] = ['', 0];
  for (;;) {
    const start = text.indexOf('<', from);
    const end = start < 0 ? -1 : text.indexOf('>', start);
    if (end < 0) return kept + text.slice(from);
    kept += text.slice(from, start);
    from = end + 1;
  }
}

/** Filters of texts, and of JSON. */
export const TEXT_FILTERS: readonly Callable[] = [
  builtin('string', 'value', (value: Value) => textOf(value)),
  builtin('lower', 'value', lower),
  builtin('upper', 'value', (value: Value) => textOf(value).toUpperCase()),
  builtin('capitalize', 'value', (value: Value) => capitalized(textOf(value))),
  builtin('title', 'value', (value: Value) =>
    textOf(value).replaceAll(/[^\s({[<-]+/g, (word) => capitalized(word)),
  ),
  builtin('trim', 'value chars?', trimmed),
  builtin('replace', 'value old new count?', (...[value, old = '', by = '', count]: Given) =>
    replaced(textOf(value), { old: textOf(old), by: textOf(by), count }),
  ),
  builtin('truncate', 'value length? killwords? end? leeway?', truncated),
  builtin('format', 'value *values', (value: Value, values: readonly Value[]) =>
    formatted(textOf(value), new Tuple(values)),
  ),
  builtin('wordcount', 'value', (value: Value) =>
    BigInt((textOf(value).match(/[\p{L}\p{N}_]+/gu) ?? []).length),
  ),
  builtin('center', 'value width?', (value: Value, width: Value = 80n) => centered(textOf(value), width)),
  builtin('indent', 'value width? first? blank?', indented),
  builtin('filesizeformat', 'value binary?', fileSize),
  builtin('striptags', 'value', (value: Value) =>
    withoutTags(textOf(value))
      .split(/\s+/)
      .filter((one) => one !== '')
      .join(' '),
  ),
  builtin('escape', 'value', escaped),
  builtin('forceescape', 'value', escaped),
  builtin('e', 'value', escaped),
  builtin('safe', 'value', (value: Value) => value),
  builtin('urlencode', 'value', (value: Value) =>
    encodeURIComponent(textOf(value).toWellFormed()).replaceAll('%2F', '/'),
  ),
  builtin('slugify', 'value separator?', slug),
  builtin('ordinal', 'value', (value: Value) => {
    const number = integerOf(value) ?? 0n;
    const [last, teens] = [Number(number % 10n), Number(number % 100n)];
    const ending = teens >= 11 && teens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][last] ?? 'th');
    return `${number}${ending}`;
  }),
  builtin('ord', 'value', (value: Value) => {
    if (typeof value !== 'string' || Array.from(value).length !== 1)
      throw new TemplateError('ord() expects a character');
    return BigInt(value.codePointAt(0) ?? 0);
  }),
  builtin('base64_encode', 'value', (value: Value) => Buffer.from(textOf(value)).toString('base64')),
  builtin('base64_decode', 'value encoding?', (value: Value) =>
    Buffer.from(textOf(value), 'base64').toString('utf8'),
  ),
  builtin('from_json', 'value default?', (value: Value, otherwise?: Value) => {
    // Making values costs more than reading characters.
    spendCharacters(2 * textOf(value).length);
    try {
      return fromJson(textOf(value));
    } catch {
      if (otherwise !== undefined) return otherwise;
      throw new TemplateError('from_json got invalid input, but no default was specified');
    }
  }),
  builtin(
    'to_json',
    'value ensure_ascii? pretty_print? sort_keys?',
    (...[value, isAscii = false, isPretty = false, isSorted = false]: Given) =>
      jsonOf(existing(value), {
        separators: isTrue(isPretty) ? [',', ': '] : COMPACT,
        isAscii: isTrue(isAscii),
        isSorted: isTrue(isSorted),
        indent: isTrue(isPretty) ? 2n : undefined,
      }),
  ),
  builtin('tojson', 'value indent?', (value: Value, indent: Value = null) => {
    if (value instanceof Missing)
      throw new TemplateError('Object of type Undefined is not JSON serializable');
    return jsonOf(value, { separators: SPACED, isAscii: true, isSorted: true, indent: integerOf(indent) })
      .replaceAll('<', '\\u003c')
      .replaceAll('>', '\\u003e')
      .replaceAll('&', '\\u0026')
      .replaceAll("'", '\\u0027');
  }),
  builtin('regex_match', 'value find? ignorecase?', (value: Value, find: Value = '', ignore: Value = false) =>
    matchesStart(value, textOf(find), isTrue(ignore)),
  ),
  builtin(
    'regex_search',
    'value find? ignorecase?',
    (value: Value, find: Value = '', ignore: Value = false) =>
      matchesAnywhere(value, textOf(find), isTrue(ignore)),
  ),
  builtin(
    'regex_replace',
    'value find? replace? ignorecase?',
    (...[value, find = '', replace = '', ignore = false]: Given) =>
      replaceMatches(value, { find: textOf(find), replace: textOf(replace), ignoreCase: isTrue(ignore) }),
  ),
  builtin(
    'regex_findall',
    'value find? ignorecase?',
    (value: Value, find: Value = '', ignore: Value = false) =>
      allMatches(value, textOf(find), isTrue(ignore)),
  ),
  builtin(
    'regex_findall_index',
    'value find? index? ignorecase?',
    (...[value, find = '', index = 0n, ignore = false]: Given) => {
      const found = allMatches(value, textOf(find), isTrue(ignore)).at(Number(integerOf(index) ?? 0n));
      if (found === undefined) throw new TemplateError('list index out of range');
      return found;
    },
  ),
];

/** Centres as Python does: with an odd number of spaces, the extra one comes first if the width is odd. */
export function centered(text: string, width: Value, fill = ' '): string {
  const total = widthOf(width);
  const spaces = Math.max(0, total - text.length);
  const before = Math.floor(spaces / 2) + (spaces % 2 === 1 && total % 2 === 1 ? 1 : 0);
  return fill.repeat(before) + text + fill.repeat(spaces - before);
}

function indented(...[value, width = 4n, isFirst = false, isBlank = false]: Given): string {
  const space = typeof width === 'string' ? width : ' '.repeat(widthOf(width));
  const lines = textOf(value).split('\n');
  spendCharacters(space.length * lines.length);
  return lines
    .map((line, n) => ((n === 0 ? isTrue(isFirst) : line !== '' || isTrue(isBlank)) ? space + line : line))
    .join('\n');
}

const UNITS = ['Bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
const BINARY_UNITS = ['Bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

function fileSize(value: Value, isBinary: Value = false): string {
  const bytes = floatOf(value);
  if (bytes === undefined) throw new TemplateError('filesizeformat expects a number');
  const [units, base] = isTrue(isBinary) ? [BINARY_UNITS, 1024] : [UNITS, 1000];
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  let power = 1;
  while (power < units.length - 1 && bytes >= base ** (power + 1)) power++;
  return `${roundedText(bytes / base ** power, 1)} ${units[power]}`;
}

/** Characters that a text can be padded to. */
const WIDTH_LIMIT = 1000;
export const widthOf = (width: Value): number =>
  Math.max(0, Math.min(WIDTH_LIMIT, Number(integerOf(width) ?? 0n)));

function escaped(value: Value): string {
  return textOf(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')
    .replaceAll("'", '&#39;');
}

/** Replaces the first `count` occurrences, or all. */
export function replaced(
  text: string,
  { old, by, count }: { old: string; by: string; count: Value | undefined },
): string {
  let rest = count === undefined || count === null ? Infinity : Number(integerOf(count) ?? 0n);
  return text.replaceAll(old, (all) => {
    if (rest-- <= 0) return all;
    spend(ITEM);
    spendCharacters(by.length);
    return by;
  });
}

/** Joins texts. The separator is charged before the text is made; the texts are already. */
export function joined(texts: readonly string[], by: string): string {
  spendCharacters(by.length * texts.length);
  return texts.join(by);
}
