import { isoText } from './text.js';
import { Moment, type Value } from './value.js';

/** What a template knows of the time. */
export interface TemplateClock {
  nowMs(): number;
  /** Minutes that local time is ahead of UTC at a moment. */
  offsetMinutes(ms: number): number;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
const DAY_MS = 86_400_000;

/** A moment of a time stamp in seconds, in UTC or local time. */
export function momentOf(seconds: number, clock?: TemplateClock): Moment {
  const ms = Math.round(seconds * 1000);
  return new Moment(ms, Number.isFinite(ms) ? (clock?.offsetMinutes(ms) ?? 0) : 0);
}

/** Reads a time as ISO 8601; without a zone it is local. Undefined if it is something else. */
export function readMoment(text: string, clock: TemplateClock): Moment | undefined {
  const found =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i.exec(
      text.trim(),
    );
  if (found === null) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', zone] = found;
  const utc = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const ms = utc + Number(fraction.padEnd(3, '0').slice(0, 3));
  if (zone !== undefined) {
    const offset = zoneMinutes(zone);
    return new Moment(ms - offset * 60_000, offset);
  }
  const offset = clock.offsetMinutes(ms - clock.offsetMinutes(ms) * 60_000);
  return new Moment(ms - offset * 60_000, offset);
}

function zoneMinutes(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return (zone.startsWith('-') ? -1 : 1) * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2)));
}

/** Text of a moment in Python’s `strftime` format. */
export function formatMoment(moment: Moment, format: string): string {
  const local = new Date(moment.ms + moment.offsetMinutes * 60_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
  const hour = local.getUTCHours();
  const yearStart = Date.UTC(year, 0, 1);
  const parts: Readonly<Record<string, string>> = {
    Y: String(year),
    y: two(year % 100),
    m: two(month + 1),
    d: two(day),
    H: two(hour),
    I: two(((hour + 11) % 12) + 1),
    M: two(local.getUTCMinutes()),
    S: two(local.getUTCSeconds()),
    f: `${String(local.getUTCMilliseconds()).padStart(3, '0')}000`,
    p: hour < 12 ? 'AM' : 'PM',
    A: DAYS[local.getUTCDay()] ?? '',
    a: (DAYS[local.getUTCDay()] ?? '').slice(0, 3),
    B: MONTHS[month] ?? '',
    b: (MONTHS[month] ?? '').slice(0, 3),
    j: String(Math.floor((local.getTime() - yearStart) / DAY_MS) + 1).padStart(3, '0'),
    w: String(local.getUTCDay()),
    u: String(((local.getUTCDay() + 6) % 7) + 1),
    z: isoText(moment).slice(-6).replace(':', ''),
    s: String(Math.floor(moment.ms / 1000)),
    '%': '%',
  };
  const compound: Readonly<Record<string, string>> = {
    F: '%Y-%m-%d',
    T: '%H:%M:%S',
    R: '%H:%M',
    D: '%m/%d/%y',
  };
  return format
    .replaceAll(/%([FTRD])/g, (_all, one: string) => compound[one] ?? '')
    .replaceAll(/%(-?)([a-zA-Z%])/g, (all, minus: string, one: string) => {
      const part = parts[one];
      if (part === undefined) return all;
      return minus === '' ? part : part.replace(/^0+(?=.)/, '');
    });
}

/** The attributes of a moment. */
export function momentAttribute(moment: Moment, name: string): Value | undefined {
  const local = new Date(moment.ms + moment.offsetMinutes * 60_000);
  const attributes: Readonly<Record<string, number>> = {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    microsecond: local.getUTCMilliseconds() * 1000,
  };
  const found = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  return found === undefined ? undefined : BigInt(found);
}
