import { Callable, TemplateError, type Arguments, type Value } from './value.js';

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
