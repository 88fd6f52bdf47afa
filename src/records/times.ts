import { localFields, utcFields, type DateFields } from '../base/local-time.js';

/** Examples of times, for messages. */
export const TIME_EXAMPLES =
  '2026-03-29, 2026-03-29T14:05:00Z, 2026-03-29 16:05:00 as local time, yesterday, -2h, or unix seconds';

/** Converts a local time (year, month from 0, day, hour, minute, second) to unix ms; undefined if it does not exist. */
export type LocalTime = (fields: DateFields) => number | undefined;

/** The year 2100, unix seconds; a greater number is in milliseconds, or wrong. */
const LAST_S = 4_102_444_800;
const SECONDS = /^\d+(\.\d+)?$/;
const DATE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

const inProcessZone: LocalTime = (fields) => {
  const local = new Date(0);
  local.setFullYear(fields[0], fields[1], fields[2]);
  local.setHours(fields[3], fields[4], fields[5], 0);
  return isSame(fields, localFields(local)) ? local.getTime() : undefined;
};

/**
 * Parses a time to unix milliseconds: unix seconds with or without decimals, or an ISO 8601 date with or
 * without a time. Without an offset it is local time of `zone`; if an hour occurs twice, the first one. Undefined if
 * there is no such time, such as in the hour that a daylight saving change skips.
 */
export function parseTime(given: unknown, zone = inProcessZone): number | undefined {
  if (typeof given === 'number') return ofSeconds(given);
  if (typeof given !== 'string') return undefined;
  const text = given.trim();
  if (SECONDS.test(text)) return ofSeconds(Number(text));
  const [all, ...groups] = DATE.exec(text) ?? [];
  if (all === undefined) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = groups.slice(0, 6).map(toNumber);
  const ms = Math.round(Number(`0.${groups[6] ?? 0}`) * 1000);
  const fields = [year, month - 1, day, hour, minute, second] as const;
  const utc = new Date(0);
  utc.setUTCFullYear(year, month - 1, day);
  utc.setUTCHours(hour, minute, second, 0);
  if (!isSame(fields, utcFields(utc))) return undefined;
  const offset = groups[7];
  if (offset !== undefined) return within(utc.getTime() + ms - offsetMs(offset));
  const local = zone(fields);
  return local === undefined ? undefined : within(local + ms);
}

/** Milliseconds per unit of a relative time; days are calendar days, see {@link parseMoment}. */
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const RELATIVE = /^([+-]\d{1,9})([smhdw])$/;
const DAYS: ReadonlyMap<string, number> = new Map([
  ['yesterday', -1],
  ['today', 0],
  ['tomorrow', 1],
]);

/**
 * Like {@link parseTime}, and also times relative to now: `-2h`, `+30m`, `-90s`, `-3d`, `-1w`, `now`, and
 * `yesterday`, `today`, `tomorrow` for the start of that local day. Days and weeks keep the time of day
 * across a daylight saving change.
 */
export function parseMoment(given: string, nowMs: number): number | undefined {
  const text = given.trim().toLowerCase();
  if (text === 'now') return nowMs;
  const day = DAYS.get(text);
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

const toNumber = (text: string | undefined): number => Number(text ?? 0);

function offsetMs(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || 0)];
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

const isSame = (one: DateFields, other: DateFields): boolean => one.every((field, n) => field === other[n]);
