import { findBigInt, parseJson } from '../../base/json.js';
import { didYouMean } from '../../base/did-you-mean.js';
import { parseMoment, TIME_EXAMPLES } from './times.js';
import { UsageError } from '../command.js';
import { asPath } from './object-id.js';

/** A parameter as `SVC_GetFunction` returns it (interface §1, reflection record). */
export interface ParameterFacts {
  /** 0 boolean, 1 integer, 2 float, 3 string, 4 variant, 5 array. */
  readonly Type_: number;
  /** Its name. */
  readonly Description: string;
  /** The names of its numbers, where it has such. */
  readonly Enumeration: readonly string[];
}

const INTEGER = 1;
const STRING = 3;

/**
 * Words of a command line as parameters: a text where the function takes a text, what is JSON as JSON
 * elsewhere, and a text again where it is none. Where it takes an integer: the names of an enumeration, a
 * time (`yesterday`, `2026-11-01`, `-2h`) as unix seconds, and objects by their path. With `Name=` of a
 * parameter before every word they are named. Throws UsageError for a name that the enumeration or the
 * function does not have, and for what is neither number nor time.
 */
export function paramsOf(
  words: readonly string[],
  parameters: readonly ParameterFacts[],
  nowMs: number,
): unknown[] | Record<string, unknown> {
  const named = words.flatMap((word) => {
    const end = word.indexOf('=');
    const parameter = parameters.find(({ Description }) => Description === word.slice(0, end));
    return parameter === undefined ? [] : [{ parameter, word: word.slice(end + 1) }];
  });
  if (words.length === 0 || named.length < words.length) {
    const unknown = words.map((word) => /^(\w+)=/.exec(word)?.[1]);
    const names = parameters.map(({ Description }) => Description);
    const [wrong] = unknown.filter((name) => name !== undefined && !names.includes(name));
    if (wrong !== undefined && unknown.every((name) => name !== undefined))
      throw new UsageError(
        `there is no parameter ${wrong}${didYouMean(wrong, names) || `; known: ${names.join(', ')}`}`,
      );
    return words.map((word, i) => valueOf(word, parameters[i], nowMs));
  }
  return Object.fromEntries(
    named.map(({ parameter, word }) => [parameter.Description, valueOf(word, parameter, nowMs)]),
  );
}

function valueOf(word: string, parameter: ParameterFacts | undefined, nowMs: number): unknown {
  const value = jsonOf(word);
  if (parameter?.Type_ === STRING) return typeof value === 'string' ? value : word;
  if (value !== undefined) return value;
  if (parameter?.Type_ !== INTEGER) return word;
  const { Enumeration: names, Description } = parameter;
  if (names.length > 0) {
    const number = names.findIndex((name) => name.toLowerCase() === word.toLowerCase());
    if (number >= 0) return number;
    throw new UsageError(`${Description} takes ${names.join(', ')}, not ${word}${didYouMean(word, names)}`);
  }
  const ms = parseMoment(word, nowMs);
  if (ms !== undefined) return Math.floor(ms / 1000);
  // All parameters that are objects' ids are named so.
  if (Description.endsWith('ID')) return asPath(word);
  const what = /^(Start|End)Time$/.test(Description) ? `a time: ${TIME_EXAMPLES}` : 'a whole number';
  throw new UsageError(`${Description} takes ${what}, not ${word}`);
}

/** What the word is as JSON; undefined where it is none. */
function jsonOf(word: string): unknown {
  try {
    const value = parseJson(word);
    // As it was written: the gateway says whether it fits.
    return findBigInt(value) === undefined ? value : word;
  } catch {
    return undefined;
  }
}
