import { inexactIn, parseJson } from '../base/json.js';

/** A parameter as `SVC_GetFunction` tells it (interface §1, reflection record). */
export interface ParameterFacts {
  /** 0 boolean, 1 integer, 2 float, 3 string, 4 variant, 5 array. */
  readonly Type_: number;
  /** Its name. */
  readonly Description: string;
  /** The names of its numbers, where it has such. */
  readonly Enumeration: readonly string[];
}

/** Finds an object by the idents from the root down to it. */
export type IdAt = (path: readonly string[]) => Promise<number>;

const INTEGER = 1;
const STRING = 3;
/** Idents from the root down: `ground_floor/hall_relay`. */
const PATH = /^[A-Za-z_]\w*(\/\w+)*$/;

/**
 * Words of a command line as parameters: a text where the function takes a text, what is JSON as JSON elsewhere, and a
 * text again where it is none. Where it takes an integer, the names of an enumeration and objects by their path of
 * idents are understood too. With `Name=` of a parameter before every word they are named.
 */
export async function paramsOf(
  words: readonly string[],
  parameters: readonly ParameterFacts[],
  idAt: IdAt,
): Promise<unknown[] | Record<string, unknown>> {
  const named = words.flatMap((word) => {
    const end = word.indexOf('=');
    const parameter = parameters.find(({ Description }) => Description === word.slice(0, end));
    return parameter === undefined ? [] : [{ parameter, word: word.slice(end + 1) }];
  });
  if (words.length === 0 || named.length < words.length)
    return Promise.all(words.map((word, i) => meant(word, parameters[i], idAt)));
  return Object.fromEntries(
    await Promise.all(
      named.map(async ({ parameter, word }) => [parameter.Description, await meant(word, parameter, idAt)]),
    ),
  ) as Record<string, unknown>;
}

async function meant(word: string, parameter: ParameterFacts | undefined, idAt: IdAt): Promise<unknown> {
  const value = jsonOf(word);
  if (parameter?.Type_ === STRING) return typeof value === 'string' ? value : word;
  if (value !== undefined) return value;
  if (parameter?.Type_ !== INTEGER) return word;
  const number = parameter.Enumeration.indexOf(word);
  if (number >= 0) return number;
  return parameter.Enumeration.length === 0 && PATH.test(word) ? idAt(word.split('/')) : word;
}

/** What the word is as JSON; undefined where it is none. */
function jsonOf(word: string): unknown {
  try {
    const value = parseJson(word);
    // As it was written: the gateway says whether it fits.
    return inexactIn(value) === undefined ? value : word;
  } catch {
    return undefined;
  }
}
