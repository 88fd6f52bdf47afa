import type { Entry } from '../queue/entry.js';

/** A tag of all lines, from the configuration. */
interface LineTag {
  readonly Name: string;
  readonly Value: string;
}

/** Nanoseconds within a millisecond. */
const NANOSECONDS = 1_000_000;

/**
 * A value as a line of the line protocol, without its end. Numbers and booleans are the float field `value`: a
 * field has one type in a database. The sequence number is the part of the time below a millisecond, so that two
 * values of a variable never have the same time, and a value that is sent twice is stored once.
 */
export function encodeLine(entry: Entry, measurement: string, tags: readonly LineTag[]): string {
  const { value, quality, path, atMs, seq } = entry;
  const labels = [...tags, { Name: 'path', Value: path }]
    .map(({ Name, Value }) => [escapeTag(Name), escapeTag(Value)] as const)
    .filter(([name, content]) => name !== '' && content !== '')
    .map(([name, content]) => `,${name}=${content}`)
    .join('');
  const time = `${Math.max(0, Math.round(atMs))}${String(seq % NANOSECONDS).padStart(6, '0')}`;
  return `${escapeMeasurement(measurement)}${labels} ${fieldOf(value)}quality=${quality}i ${time}`;
}

function fieldOf(value: Entry['value']): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return `text="${escapeText(value)}",`;
  return `value=${Number(value)},`;
}

/** A line ends at a line feed, even in a text: some receivers split before they parse. */
const withoutLines = (text: string): string => text.replace(/[\r\n]+/g, ' ');

/** A line that begins with # is a comment, and one without a measurement is rejected. */
const escapeMeasurement = (text: string): string =>
  trimEnd(withoutLines(text)).replace(/[, ]|^#/g, '\\$&') || 'stellwerk';

/** Names and values of tags. */
const escapeTag = (text: string): string => trimEnd(withoutLines(text)).replace(/[,= ]/g, '\\$&');

/** A backslash at the end would escape what follows. */
const trimEnd = (text: string): string => text.replace(/\\+$/, '');

const escapeText = (text: string): string => withoutLines(text).replace(/["\\]/g, '\\$&');
