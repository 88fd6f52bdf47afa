import { knownZone } from './known-zone.js';

const formats = new Map<string, Intl.DateTimeFormat>();

/** A time in a zone as `YYYY-MM-DDTHH:MM`, the form of date inputs. */
export function localTime(unixMs: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: knownZone(timeZone),
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(unixMs).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/**
 * The unix seconds of a time in a zone, the inverse of `localTime`; undefined: it is no time. Of a time that
 * the change of the clocks repeats, one of the two; one that it skips is moved forward.
 */
export function unixSeconds(local: string, timeZone: string): number | undefined {
  const asUtc = Date.parse(`${local.slice(0, 16)}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  const missing = (guess: number) => asUtc - Date.parse(`${localTime(guess, timeZone)}Z`);
  let guess = asUtc;
  // The offset of the guess may differ from that of the result: twice.
  for (let round = 0; round < 2; round++) guess += missing(guess);
  // West of UTC a skipped time is now before the change, where midnight would be on another day.
  return (guess + Math.max(0, missing(guess))) / 1000;
}
