import { compileLinearPattern } from '../../../src/base/v8/linear-pattern.js';
import { textOf } from './text.js';
import { TemplateError, Tuple, type Value } from './value.js';

/** A pattern of Python as one of JavaScript, which matches in linear time. */
function compile(pattern: string, flags: string): RegExp {
  const source = pattern
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replaceAll('\\Z', '$');
  try {
    return new RegExp(compileLinearPattern(source), flags);
  } catch (thrown) {
    throw new TemplateError((thrown as Error).message);
  }
}

const flagsOf = (ignoreCase: boolean): string => (ignoreCase ? 'gi' : 'g');

/** Whether a text matches at its start. */
export const matchesStart = (text: Value, pattern: string, ignoreCase: boolean): boolean =>
  compile(`^(?:${pattern})`, ignoreCase ? 'i' : '').test(textOf(text));

/** Whether a text matches anywhere. */
export const matchesAnywhere = (text: Value, pattern: string, ignoreCase: boolean): boolean =>
  compile(pattern, ignoreCase ? 'i' : '').test(textOf(text));

/** All matches: texts, or the groups if the pattern has some. */
export function allMatches(text: Value, pattern: string, ignoreCase: boolean): Value[] {
  return [...textOf(text).matchAll(compile(pattern, flagsOf(ignoreCase)))].map(([all, ...groups]) => {
    if (groups.length === 0) return all;
    return groups.length === 1 ? (groups[0] ?? '') : new Tuple(groups.map((one) => one ?? ''));
  });
}

/** Replaces all matches; `\1` and `\g<name>` are groups. */
export function replaceMatches(
  text: Value,
  { find, replace, ignoreCase }: { find: string; replace: string; ignoreCase: boolean },
): string {
  const by = replace
    .replaceAll('$', '$$$$')
    .replaceAll(/\\g<(\w+)>/g, (_all, name: string) => (/^\d+$/.test(name) ? `$${name}` : `$<${name}>`))
    .replaceAll(/\\(\d)/g, (_all, group: string) => `$${group}`);
  return textOf(text).replaceAll(compile(find, flagsOf(ignoreCase)), by);
}
