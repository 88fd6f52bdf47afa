import { ITEM, spend, spendCharacters } from './steps.js';
import { Callable, Dict, TemplateError, Tuple, type Arguments, type Value } from './value.js';

/** Characters of the output, and of each text that a template makes. */
export const TEXT_LIMIT = 262_144;
/** Items of each list that a template makes. */
const LIST_LIMIT = 10_000;

/** The arguments of a function with many parameters; those that are missing are undefined. */
export type Given = readonly [value: Value, ...others: (Value | undefined)[]];

type Run = (...values: never[]) => Value;

/**
 * A function with parameters that are passed by position or by name: `'value precision? *rest'`, where `?`
 * marks those that may be left out, and `*` takes all that remain as a list.
 */
export function builtin(name: string, parameters: string, run: Run): Callable {
  const declared = parameters.split(' ').filter((one) => one !== '');
  return new Callable(name, (given) => run(...(bind(name, declared, given) as never[])));
}

/** Calls a function; its work is proportional to the size of its arguments and of its result. */
export function callWithinLimits(callable: Callable, given: Arguments): Value {
  spend(1);
  for (const value of given.positional) spendValue(value);
  for (const value of given.named.values()) spendValue(value);
  const result = limited(callable.call(given));
  spendValue(result);
  return result;
}

/** Charges for a value without what is nested in it. */
function spendValue(value: Value): void {
  if (typeof value === 'string') spendCharacters(value.length);
  else if (Array.isArray(value)) spend(value.length * ITEM);
  else if (value instanceof Tuple) spend(value.items.length * ITEM);
  else if (value instanceof Dict) spend(value.size * ITEM);
}

/** Throws if a value that a template has made is too large. */
export function limited(value: Value): Value {
  if (typeof value === 'string' && value.length > TEXT_LIMIT)
    throw new TemplateError(`the template makes more than ${TEXT_LIMIT} characters`);
  const items: readonly Value[] = value instanceof Tuple ? value.items : Array.isArray(value) ? value : [];
  if (items.length > LIST_LIMIT)
    throw new TemplateError(`the template makes a list of more than ${LIST_LIMIT} items`);
  return value;
}

/** Callables by their names. */
export const byName = (...all: readonly Callable[]): ReadonlyMap<string, Callable> =>
  new Map(all.map((one) => [one.name, one]));

function bind(
  name: string,
  declared: readonly string[],
  { positional, named }: Arguments,
): (Value | undefined)[] {
  const known = declared.map((one) => one.replace(/[?*]/g, ''));
  for (const key of named.keys())
    if (!known.includes(key))
      throw new TemplateError(`${name}() got an unexpected keyword argument '${key}'`);
  const hasRest = declared.some((one) => one.startsWith('*'));
  if (!hasRest && positional.length > declared.length)
    throw new TemplateError(`${name}() takes at most ${declared.length} arguments`);
  return declared.map((one, n) => {
    if (one.startsWith('*')) return positional.slice(n);
    const value = n < positional.length ? positional[n] : named.get(known[n] as string);
    if (value === undefined && !one.endsWith('?'))
      throw new TemplateError(`${name}() misses the argument '${known[n]}'`);
    return value;
  });
}
