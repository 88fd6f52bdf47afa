const formats = new Map<string, Intl.DateTimeFormat>();
const zones = new Map<string, string>();

/**
 * A time zone that the browser knows: the given one, otherwise that of the device. The data of a browser may be
 * older than a name (Europe/Kyiv, of 2022), and a formatter of an unknown zone throws.
 */
export function knownZone(timeZone: string): string {
  let known = zones.get(timeZone);
  if (known === undefined) {
    known = isKnown(timeZone) ? timeZone : Intl.DateTimeFormat().resolvedOptions().timeZone;
    zones.set(timeZone, known);
  }
  return known;
}

function isKnown(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone });
    return true;
  } catch {
    // A RangeError.
    return false;
  }
}

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
 * the change of the clocks repeats, one of the two; one that it skips is moved by the change.
 */
export function unixSeconds(local: string, timeZone: string): number | undefined {
  const asUtc = Date.parse(`${local.slice(0, 16)}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  let guess = asUtc;
  // The offset of the guess may differ from that of the result: twice.
  for (let round = 0; round < 2; round++) guess += asUtc - Date.parse(`${localTime(guess, timeZone)}Z`);
  return guess / 1000;
}
