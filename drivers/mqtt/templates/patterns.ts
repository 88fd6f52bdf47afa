import { compileLinearPattern } from '../../../src/base/v8/linear-pattern.js';
import { ITEM, spend, spendCharacters } from './steps.js';
import { textOf } from './text.js';
import { TemplateError, Tuple, type Value } from './value.js';

/** A pattern of Python as one of JavaScript, which matches in linear time. */
function compile(pattern: string, flags: string): RegExp {
  spend(pattern.length * ITEM);
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

/** The text to search. Each character may be compared with each part of the pattern. */
function subjectOf(text: Value, pattern: string): string {
  const subject = textOf(text);
  spendCharacters((subject.length * pattern.length) / 4);
  return subject;
}

/** Repeats without an end. */
const UNBOUNDED = /[*+]|\{\d*,\}/;

/** All matches. Each of them may search to the end of the text if the pattern repeats something without an end. */
function* matchesIn(subject: string, pattern: RegExp): Generator<RegExpExecArray> {
  const isUnbounded = UNBOUNDED.test(pattern.source);
  for (const match of subject.matchAll(pattern)) {
    spend(1);
    if (isUnbounded) spendCharacters((subject.length - match.index) / 16);
    yield match;
  }
}

/** Whether a text matches at its start. */
export const matchesStart = (text: Value, pattern: string, ignoreCase: boolean): boolean =>
  compile(`^(?:${pattern})`, ignoreCase ? 'i' : '').test(subjectOf(text, pattern));

/** Whether a text matches anywhere. */
export const matchesAnywhere = (text: Value, pattern: string, ignoreCase: boolean): boolean =>
  compile(pattern, ignoreCase ? 'i' : '').test(subjectOf(text, pattern));

/** All matches: texts, or the groups if the pattern has some. */
export function allMatches(text: Value, pattern: string, ignoreCase: boolean): Value[] {
  const matches = matchesIn(subjectOf(text, pattern), compile(pattern, flagsOf(ignoreCase)));
  return [...matches].map(([all, ...groups]) => {
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
  const [subject, pattern] = [subjectOf(text, find), compile(find, flagsOf(ignoreCase))];
  const groups = by.split('$').length - 1;
  // No group is longer than its match.
  for (const [all] of matchesIn(subject, pattern)) spendCharacters(by.length + groups * all.length);
  return subject.replaceAll(pattern, by);
}
