import { findBigInt, parseJson } from '../../base/json.js';
import { didYouMean } from '../../base/did-you-mean.js';
import { parseMoment, TIME_EXAMPLES } from '../../records/times.js';
import { UsageError } from '../command.js';
import { asPath } from './object-id.js';

/** A parameter as `SVC_GetFunction` returns it (interface §1, reflection record). */
export interface ParameterFacts {
  /** 0 boolean, 1 integer, 2 float, 3 string, 4 variant, 5 array. */
  readonly Type_: number;
  /** Its name. */
  readonly Description: string;
  /** The names of its values, if it is an enumeration. */
  readonly Enumeration: readonly string[];
}

const INTEGER = 1;
const STRING = 3;

/**
 * Converts the words of a command line to parameters. For a text parameter, the word is a text; otherwise it
 * is JSON or, if it is not valid JSON, a text. For an integer parameter, accepts the names of an enumeration,
 * a time (`yesterday`, `2026-11-01`, `-2h`, converted to unix seconds) and the path of an object. If all
 * words have the form `Name=value`, the parameters are named. Throws UsageError for unknown names and for
 * words that are neither a number nor a time.
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
        `there is no parameter ${wrong}${didYouMean(wrong, names).toString() || `; known: ${names.join(', ')}`}`,
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
    throw new UsageError(
      `${Description} takes ${names.join(', ')}, not ${word}${didYouMean(word, names).toString()}`,
    );
  }
  const ms = parseMoment(word, nowMs);
  if (ms !== undefined) return Math.floor(ms / 1000);
  // The names of all parameters with an object's id end like this.
  if (Description.endsWith('ID')) return asPath(word);
  const what = /^(Start|End)Time$/.test(Description) ? `a time: ${TIME_EXAMPLES}` : 'an integer';
  throw new UsageError(`${Description} takes ${what}, not ${word}`);
}

/** Parses a word as JSON; undefined if it is not valid. */
function jsonOf(word: string): unknown {
  try {
    const value = parseJson(word);
    // Pass it unchanged; the gateway reports an error if it is not accepted.
    return findBigInt(value) === undefined ? value : word;
  } catch {
    return undefined;
  }
}
