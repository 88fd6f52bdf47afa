import { type Given, builtin, byName, callWithinLimits } from './builtin.js';
import { formatMoment, momentOf, readMoment, type TemplateClock } from './moments.js';
import { floatOf, integerOf, orDefault } from './numbers.js';
import { NUMBER_FILTERS } from './number-filters.js';
import { compare, existing, isEqual, itemOf, operate } from './operators.js';
import { ITEM, spend, spendCharacters } from './steps.js';
import { joined, TEXT_FILTERS } from './text-filters.js';
import { isoText, textOf } from './text.js';
import {
  Callable,
  Dict,
  isTrue,
  itemsOf,
  Missing,
  Moment,
  TemplateError,
  Tuple,
  typeName,
  type Arguments,
  type Value,
} from './value.js';

/** Callables by their names. */
export type Callables = ReadonlyMap<string, Callable>;

const isLeftOut = (value: Value | undefined): boolean => value === undefined || value === null;

/** A time stamp in seconds of a number, a moment or the text of one; undefined for anything else. */
function secondsOf(value: Value, clock: TemplateClock): number | undefined {
  if (value instanceof Moment) return value.ms / 1000;
  const moment = typeof value === 'string' ? readMoment(value, clock) : undefined;
  return moment === undefined ? floatOf(value) : moment.ms / 1000;
}

/** As {@link itemsOf}; what is false has none, as in Jinja. */
const itemsIfTrue = (value: Value): readonly Value[] => (isTrue(value) ? itemsOf(value) : []);

/** The attribute of an item at a path such as `a.b` or `0`. */
function attributeOf(item: Value, path: Value): Value {
  const steps = textOf(path).split('.');
  spend(steps.length * ITEM);
  return steps.reduce<Value>(
    (value, step) => itemOf(value, /^\d{1,10}$/.test(step) ? BigInt(step) : step),
    item,
  );
}

function lowered(value: Value): Value {
  if (typeof value !== 'string') return value;
  spendCharacters(value.length);
  return value.toLowerCase();
}

/** Sorted by the keys of the items, each of which is made once. */
const sortedBy = (items: readonly Value[], keyOf: (item: Value) => Value, sign: 1 | -1 = 1): Value[] =>
  items
    .map((item) => [keyOf(item), item] as const)
    .sort(([a], [b]) => sign * compare(a, b, '<'))
    .map(([, item]) => item);

function sorted(...[values, reverse = false, sensitive = false, attribute]: Given): Value[] {
  const keyOf = (item: Value): Value => {
    const key = isLeftOut(attribute) ? item : attributeOf(item, attribute as Value);
    return isTrue(sensitive) ? key : lowered(key);
  };
  return sortedBy(itemsOf(values), keyOf, isTrue(reverse) ? -1 : 1);
}

function unique(values: Value, sensitive: Value = false, attribute?: Value): Value[] {
  const keyOf = (item: Value): Value => {
    const key = isLeftOut(attribute) ? item : attributeOf(item, attribute as Value);
    return isTrue(sensitive) ? key : lowered(key);
  };
  const pairs = itemsOf(values).map((item) => [keyOf(item), item] as const);
  // A later one with the same key would replace an earlier one.
  const firsts = Dict.of(pairs.toReversed());
  return Dict.of(pairs)
    .keys()
    .map((key) => firsts.get(key) as Value);
}

/** The smallest or largest item; the case of texts is ignored by default. */
const extremeItem = (name: string, sign: 1 | -1): Callable =>
  builtin(name, 'values case_sensitive? attribute?', (...[values, sensitive = false, attribute]: Given) => {
    const [first] = sorted(values, sign < 0, sensitive, attribute);
    return first ?? new Missing('No aggregated item, sequence was empty.');
  });

/** Columns of the filter `slice`. */
const SLICE_LIMIT = 1000;
/** Items of a row of the filter `batch`. */
const BATCH_LIMIT = 10_000;

/**
 * A set operation: the distinct items of both lists that `isKept` accepts, given which of the lists an item
 * is in.
 */
const combined = (name: string, isKept: (isInFirst: boolean, isInSecond: boolean) => boolean): Callable =>
  builtin(name, 'values other', (values: Value, other: Value) => {
    const [first, second] = [values, other].map((one) => Dict.of(itemsOf(one).map((item) => [item, true])));
    const has = (dict: Dict | undefined, item: Value) => dict?.get(item) !== undefined;
    const all = Dict.of([...itemsOf(values), ...itemsOf(other)].map((item) => [item, true]));
    return all.keys().filter((item) => isKept(has(first, item), has(second, item)));
  });

function flattened(values: Value, levels: number): Value[] {
  const isList = (one: Value) => Array.isArray(one) || one instanceof Tuple;
  const flat = itemsOf(values).flatMap((one) =>
    isList(one) && levels > 0 ? flattened(one, levels - 1) : [one],
  );
  spend((1 + flat.length) * ITEM);
  return flat;
}

/** Filters of lists and dictionaries that need no other filter. */
const LIST_FILTERS: readonly Callable[] = [
  builtin('default', 'value default_value? boolean?', defaulted),
  builtin('d', 'value default_value? boolean?', defaulted),
  builtin('is_defined', 'value', existing),
  builtin('length', 'value', lengthOf),
  builtin('count', 'value', lengthOf),
  builtin(
    'first',
    'values',
    (values: Value) => itemsOf(values)[0] ?? new Missing('No first item, sequence was empty.'),
  ),
  builtin(
    'last',
    'values',
    (values: Value) => itemsOf(values).at(-1) ?? new Missing('No last item, sequence was empty.'),
  ),
  builtin('tuple', 'values', (values: Value) => new Tuple(itemsOf(values))),
  builtin('list', 'values', (values: Value) => [...itemsOf(values)]),
  builtin('reverse', 'values', (values: Value) =>
    typeof values === 'string' ? Array.from(values).reverse().join('') : itemsOf(values).toReversed(),
  ),
  builtin('sort', 'values reverse? case_sensitive? attribute?', sorted),
  builtin('unique', 'values case_sensitive? attribute?', unique),
  builtin('join', 'values d? attribute?', (values: Value, by: Value = '', attribute?: Value) =>
    joined(
      itemsOf(values).map((one) => textOf(isLeftOut(attribute) ? one : attributeOf(one, attribute as Value))),
      textOf(by),
    ),
  ),
  extremeItem('min', 1),
  extremeItem('max', -1),
  builtin('sum', 'values attribute? start?', (values: Value, attribute?: Value, start: Value = 0n) =>
    itemsOf(values)
      .map((one) => (isLeftOut(attribute) ? one : attributeOf(one, attribute as Value)))
      .reduce((total, one) => operate('+', total, one), start),
  ),
  combined('union', () => true),
  combined('intersect', (isInFirst, isInSecond) => isInFirst && isInSecond),
  combined('difference', (isInFirst, isInSecond) => isInFirst && !isInSecond),
  combined('symmetric_difference', (isInFirst, isInSecond) => isInFirst !== isInSecond),
  builtin('flatten', 'values levels?', (values: Value, levels?: Value) =>
    flattened(values, isLeftOut(levels) ? Infinity : Number(integerOf(levels as Value) ?? 0n)),
  ),
  builtin('combine', '*dictionaries', (all: readonly Value[]) =>
    Dict.of(
      all.flatMap((one) => entriesOf(one).map((pair) => [itemOf(pair, 0n), itemOf(pair, 1n)] as const)),
    ),
  ),
  builtin('typeof', 'value', (value: Value) => typeName(value)),
  builtin('items', 'value', (value: Value) => entriesOf(value)),
  builtin(
    'dictsort',
    'value case_sensitive? by?',
    (value: Value, sensitive: Value = false, by: Value = 'key') => {
      const at = by === 'value' ? 1n : 0n;
      const keyOf = (entry: Value): Value =>
        isTrue(sensitive) ? itemOf(entry, at) : lowered(itemOf(entry, at));
      return sortedBy(entriesOf(value), keyOf);
    },
  ),
  builtin('attr', 'value name', (value: Value, name: Value) => itemOf(value, name)),
  builtin('slice', 'values slices fill_with?', (values: Value, slices: Value, fill?: Value) => {
    const [all, count] = [itemsOf(values), Number(integerOf(slices) ?? 0n)];
    if (count < 1 || count > SLICE_LIMIT) throw new TemplateError(`slice expects 1 to ${SLICE_LIMIT}`);
    const [size, longer] = [Math.floor(all.length / count), all.length % count];
    return Array.from({ length: count }, (_, n) => {
      const from = n * size + Math.min(n, longer);
      const row = all.slice(from, from + size + (n < longer ? 1 : 0));
      return fill !== undefined && fill !== null && n >= longer && longer > 0 ? [...row, fill] : row;
    });
  }),
  builtin('batch', 'values linecount fill_with?', (values: Value, count: Value, fill?: Value) => {
    const [all, size] = [itemsOf(values), Number(integerOf(count) ?? 0n)];
    if (size < 1 || size > BATCH_LIMIT) throw new TemplateError(`batch expects 1 to ${BATCH_LIMIT}`);
    const rows: Value[][] = [];
    for (let at = 0; at < all.length; at += size) rows.push(all.slice(at, at + size));
    const last = rows.at(-1);
    if (fill !== undefined && fill !== null) while (last !== undefined && last.length < size) last.push(fill);
    return rows;
  }),
  builtin('contains', 'values value', (values: Value, value: Value) =>
    itemsOf(values).some((one) => isEqual(one, value)),
  ),
];

function defaulted(value: Value, otherwise: Value = '', alsoFalse: Value = false): Value {
  return value instanceof Missing || (isTrue(alsoFalse) && !isTrue(value)) ? otherwise : value;
}

/** The number of characters, items or keys. */
function lengthOf(value: Value): bigint {
  if (value instanceof Dict) return BigInt(value.size);
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' || value === null)
    throw new TemplateError(`object of type '${typeName(value)}' has no len()`);
  return BigInt(itemsOf(value).length);
}

/** The pairs of a dictionary. */
function entriesOf(value: Value): Value[] {
  if (value instanceof Missing) return [];
  if (!(value instanceof Dict)) throw new TemplateError('Can only get item pairs from a mapping.');
  return [...value.entries()].map((pair) => new Tuple(pair));
}

/** Filters of times; they are functions, too. */
export const timeFilters = (clock: TemplateClock): readonly Callable[] => [
  builtin('as_timestamp', 'value default?', (value: Value, otherwise?: Value) =>
    orDefault('as_timestamp', value, secondsOf(value, clock), otherwise),
  ),
  builtin('as_datetime', 'value default?', (value: Value, otherwise?: Value) => {
    if (value instanceof Moment) return value;
    const number = floatOf(value);
    const moment = number === undefined ? readMoment(textOf(value), clock) : momentOf(number);
    return orDefault('as_datetime', value, moment, otherwise);
  }),
  builtin('as_local', 'value', (value: Value) => {
    if (!(value instanceof Moment)) throw new TemplateError('as_local expects a datetime');
    return new Moment(value.ms, clock.offsetMinutes(value.ms));
  }),
  builtin('timestamp_local', 'value default?', (value: Value, otherwise?: Value) => {
    const seconds = floatOf(value);
    return orDefault(
      'timestamp_local',
      value,
      seconds === undefined ? undefined : isoText(momentOf(seconds, clock)),
      otherwise,
    );
  }),
  builtin('timestamp_utc', 'value default?', (value: Value, otherwise?: Value) => {
    const seconds = floatOf(value);
    return orDefault(
      'timestamp_utc',
      value,
      seconds === undefined ? undefined : isoText(momentOf(seconds)),
      otherwise,
    );
  }),
  builtin(
    'timestamp_custom',
    'value date_format? local? default?',
    (...[value, format = '%Y-%m-%d %H:%M:%S', isLocal = true, otherwise]: Given) => {
      const seconds = floatOf(value);
      const moment =
        seconds === undefined ? undefined : momentOf(seconds, isTrue(isLocal) ? clock : undefined);
      const text = moment === undefined ? undefined : formatMoment(moment, textOf(format));
      return orDefault('timestamp_custom', value, text, otherwise);
    },
  ),
];

/** All filters. Those that apply other filters and tests look them up by name. */
export function makeFilters(tests: Callables, clock: TemplateClock): Callables {
  const found = new Map(byName(...TEXT_FILTERS, ...NUMBER_FILTERS, ...LIST_FILTERS, ...timeFilters(clock)));
  const add = (name: string, call: (given: Arguments) => Value): void =>
    void found.set(name, new Callable(name, call));
  add('map', ({ positional: [values = null, name, ...rest], named }) => {
    const attribute = named.get('attribute');
    if (attribute !== undefined) {
      const otherwise = named.get('default');
      return itemsIfTrue(values).map((one) => {
        const value = attributeOf(one, attribute);
        return value instanceof Missing && otherwise !== undefined ? otherwise : value;
      });
    }
    const filter = known(found, 'filter', name);
    return itemsIfTrue(values).map((one) => callWithinLimits(filter, { positional: [one, ...rest], named }));
  });
  for (const [name, isWanted] of [
    ['select', true],
    ['reject', false],
  ] as const) {
    add(name, ({ positional: [values = null, test, ...rest] }) =>
      itemsIfTrue(values).filter((one) => testOf(tests, test, rest)(one) === isWanted),
    );
    add(`${name}attr`, ({ positional: [values = null, attribute = null, test, ...rest] }) =>
      itemsIfTrue(values).filter(
        (one) => testOf(tests, test, rest)(attributeOf(one, attribute)) === isWanted,
      ),
    );
  }
  add('groupby', ({ positional: [values = null, attribute = null] }) => {
    const groups: [Value, Value[]][] = [];
    for (const item of sorted(values, false, true, attribute)) {
      const key = attributeOf(item, attribute);
      const last = groups.at(-1);
      if (last !== undefined && isEqual(last[0], key)) last[1].push(item);
      else groups.push([key, [item]]);
    }
    return groups.map((group) => new Tuple(group));
  });
  add('apply', ({ positional: [value = null, callable, ...rest], named }) => {
    if (!(callable instanceof Callable)) throw new TemplateError('apply expects a macro');
    return callWithinLimits(callable, { positional: [value, ...rest], named });
  });
  return found;
}

function testOf(
  tests: Callables,
  name: Value | undefined,
  rest: readonly Value[],
): (value: Value) => boolean {
  if (name === undefined) return isTrue;
  const test = known(tests, 'test', name);
  return (value) => isTrue(callWithinLimits(test, { positional: [value, ...rest], named: new Map() }));
}

/** The filter or test of that name. Throws if there is none. */
export function known(all: Callables, kind: string, name: Value | undefined): Callable {
  const found = all.get(textOf(name ?? ''));
  if (found === undefined) throw new TemplateError(`No ${kind} named '${textOf(name ?? '')}'.`);
  return found;
}
