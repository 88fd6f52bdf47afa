/** Examples of times, for messages. */
export const TIME_EXAMPLES =
  '2026-03-29, 2026-03-29T14:05:00Z, 2026-03-29 16:05:00 as local time, yesterday, -2h, or unix seconds';

/** The year 2100, unix seconds; a greater number is in milliseconds, or wrong. */
const LAST_S = 4_102_444_800;
const SECONDS = /^\d+(\.\d+)?$/;
const DATE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * Parses a time to unix milliseconds: unix seconds with or without decimals, or an ISO 8601 date with or
 * without a time. Without an offset it is local time; if an hour occurs twice, the first one. Undefined if
 * there is no such time, such as in the hour that a daylight saving change skips.
 */
export function parseTime(given: unknown): number | undefined {
  if (typeof given === 'number') return ofSeconds(given);
  if (typeof given !== 'string') return undefined;
  const text = given.trim();
  if (SECONDS.test(text)) return ofSeconds(Number(text));
  const [all, ...fields] = DATE.exec(text) ?? [];
  if (all === undefined) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields.slice(0, 6).map(Number0);
  const ms = Math.round(Number(`0.${fields[6] ?? 0}`) * 1000);
  const wanted = [year, month - 1, day, hour, minute, second] as const;
  const [utc, local] = [new Date(0), new Date(0)];
  utc.setUTCFullYear(year, month - 1, day);
  utc.setUTCHours(hour, minute, second, 0);
  local.setFullYear(year, month - 1, day);
  local.setHours(hour, minute, second, 0);
  if (!isSame(wanted, utcFields(utc))) return undefined;
  const zone = fields[7];
  if (zone !== undefined) return within(utc.getTime() + ms - offsetMs(zone));
  return isSame(wanted, localFields(local)) ? within(local.getTime() + ms) : undefined;
}

/** Milliseconds per unit of a relative time; days are calendar days, see {@link parseMoment}. */
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const RELATIVE = /^([+-]\d{1,9})([smhdw])$/;
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/**
 * Like {@link parseTime}, and also times relative to now: `-2h`, `+30m`, `-90s`, `-3d`, `-1w`, `now`, and
 * `yesterday`, `today`, `tomorrow` for the start of that local day. Days and weeks keep the time of day
 * across a daylight saving change.
 */
export function parseMoment(given: string, nowMs: number): number | undefined {
  const text = given.trim().toLowerCase();
  if (text === 'now') return nowMs;
  const day = Object.hasOwn(DAYS, text) ? DAYS[text] : undefined;
  if (day !== undefined) return daysFrom(nowMs, day, true);
  const [all, amount = '', unit = ''] = RELATIVE.exec(text) ?? [];
  if (all === undefined) return parseTime(given);
  if (unit === 'd' || unit === 'w') return daysFrom(nowMs, Number(amount) * (unit === 'w' ? 7 : 1), false);
  return within(nowMs + Number(amount) * (UNITS[unit] ?? 0));
}

function daysFrom(nowMs: number, days: number, isStart: boolean): number | undefined {
  const date = new Date(nowMs);
  date.setDate(date.getDate() + days);
  if (isStart) date.setHours(0, 0, 0, 0);
  return within(date.getTime());
}

/** Formats a time for {@link parseTime}: UTC with milliseconds. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

function ofSeconds(seconds: number): number | undefined {
  return within(Math.round(seconds * 1000));
}

const within = (ms: number): number | undefined => (ms > 0 && ms <= LAST_S * 1000 ? ms : undefined);

const Number0 = (text: string | undefined): number => Number(text ?? 0);

function offsetMs(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || 0)];
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

type Fields = readonly [number, number, number, number, number, number];

const utcFields = (date: Date): Fields => [
  date.getUTCFullYear(),
  date.getUTCMonth(),
  date.getUTCDate(),
  date.getUTCHours(),
  date.getUTCMinutes(),
  date.getUTCSeconds(),
];

const localFields = (date: Date): Fields => [
  date.getFullYear(),
  date.getMonth(),
  date.getDate(),
  date.getHours(),
  date.getMinutes(),
  date.getSeconds(),
];

const isSame = (one: Fields, other: Fields): boolean => one.every((field, n) => field === other[n]);
