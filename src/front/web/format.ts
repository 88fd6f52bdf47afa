import type { Model, TreeNode } from './model.js';
import type { Association, Profile, Value } from './objects.js';
import { variableType } from './objects.js';
import { locale, texts } from './i18n/i18n.js';
import { knownZone } from './known-zone.js';

/** Formatters are expensive to create and are kept: a page formats hundreds of values a second. */
const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();

function numberFormat(digits: number): Intl.NumberFormat {
  const key = `${locale()} ${digits}`;
  let format = numbers.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(locale(), {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    numbers.set(key, format);
  }
  return format;
}

/** A formatter of times in a zone, in the user's language. */
export function dateFormat(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${timeZone} ${JSON.stringify(options)}`;
  let format = dates.get(key);
  if (format === undefined) {
    // `en` alone has the order of the United States.
    const region = locale() === 'en' ? 'en-GB' : locale();
    format = new Intl.DateTimeFormat(region, { ...options, timeZone: knownZone(timeZone), hourCycle: 'h23' });
    dates.set(key, format);
  }
  return format;
}

/** A number in the user's language; a rounded zero has no sign. */
export function formatNumber(value: number, digits: number): string {
  const text = numberFormat(digits).format(value);
  return Number(value.toFixed(digits)) === 0 ? text.replace(/^[-−]/, '') : text;
}

/** Hours and minutes in the gateway's time zone; with seconds only on request. */
export function formatTime(unixMs: number, timeZone: string, withSeconds = false): string {
  return dateFormat(timeZone, {
    hour: '2-digit',
    minute: '2-digit',
    second: withSeconds ? '2-digit' : undefined,
  }).format(unixMs);
}

/** A time of today as hours and minutes, another one with its day, and its year if it is not this year. */
export function formatMoment(unixMs: number, nowMs: number, timeZone: string): string {
  const day = dateFormat(timeZone, { dateStyle: 'short' });
  const today = day.format(nowMs);
  const shown = day.format(unixMs);
  if (shown === today) return formatTime(unixMs, timeZone);
  // In both languages a date ends with its year.
  return shown.endsWith(today.slice(-2))
    ? dateFormat(timeZone, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }).format(
        unixMs,
      )
    : formatDate(unixMs, timeZone, 'short');
}

/** A day without its year. */
export function formatDay(unixMs: number, timeZone: string): string {
  return dateFormat(timeZone, { day: 'numeric', month: 'short' }).format(unixMs);
}

/** Day, month, year and time in the gateway's time zone; `short` without seconds. */
export function formatDate(unixMs: number, timeZone: string, timeStyle: 'short' | 'medium'): string {
  return dateFormat(timeZone, { dateStyle: 'medium', timeStyle }).format(unixMs);
}

/** How long ago, in the largest fitting unit. */
export function formatAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const { age } = texts();
  if (minutes < 1) return age.moments;
  if (minutes < 60) return age.minutes(minutes);
  if (minutes < 48 * 60) return age.hours(Math.floor(minutes / 60));
  return age.days(Math.floor(minutes / 1440));
}

/** Maximum number of decimals that are compared; a double has no more digits. */
const DECIMALS_LIMIT = 15;

/**
 * The association of a value: an exact match, for numbers the last one that is not above it. They are
 * compared as they are displayed, or with the decimals of the associations if these have more, as the gateway
 * does.
 */
export function associationOf(value: Value, { associations, digits }: Profile): Association | undefined {
  if (typeof value !== 'number') return associations.find((one) => one.value === value);
  const scale = 10 ** associations.reduce((most, one) => decimalsOf(Number(one.value), most), digits);
  const scaled = Math.round(value * scale);
  let found: Association | undefined;
  for (const one of associations) if (Math.round(Number(one.value) * scale) <= scaled) found = one;
  return found;
}

/** The number of decimals of a number, at least `minimum`. */
function decimalsOf(value: number, minimum: number): number {
  let digits = minimum;
  while (digits < DECIMALS_LIMIT && Number(value.toFixed(digits)) !== value) digits += 1;
  return digits;
}

/** How a value is shown: the variable's type, its profile and the profile's name, and the gateway's time zone. */
interface ValueFormat {
  readonly type: number;
  readonly profile: Profile | undefined;
  readonly name: string;
  readonly timeZone: string;
}

/** A value as its profile shows it, in the user's language. */
export function formatValue(value: Value, { type, profile, name, timeZone }: ValueFormat): string {
  if (name.startsWith('~UnixTimestamp')) return formatStamp(Number(value), name, timeZone);
  if (profile === undefined) return plainValue(value, type);
  if (profile.associations.length > 0) {
    const found = associationOf(value, profile);
    if (found === undefined) return '–';
    return `${profile.prefix}${associationText(found, value)}${profile.suffix}`;
  }
  if (typeof value !== 'number') return `${profile.prefix}${plainValue(value, type)}${profile.suffix}`;
  const shown = percentOf(value, profile);
  const digits = type === variableType.float ? profile.digits : 0;
  return `${profile.prefix}${formatNumber(shown, digits)}${profile.suffix}`;
}

/** A value of a variable as its profile shows it. Subscribes to the profile. */
export function formatVariable(model: Model, variable: TreeNode, value: Value): string {
  const { type = variableType.string } = variable.entry.value.data;
  const profile = model.profileOf(variable);
  return formatValue(value, { type, profile, name: variable.profileName, timeZone: model.timezone });
}

/** The name of an association; names of built-in profiles are translated. */
export function associationText({ key, name }: Association, value: Value): string {
  const translated = key === undefined ? undefined : texts().names[key];
  const template = translated ?? name;
  if (typeof value !== 'number' || !template.includes('%')) return template;
  return template.replace(
    /%(?:%|(?:\.(\d{1,2}))?([dfs]))/g,
    (all: string, digits: string | undefined, kind: string) => {
      if (all === '%%') return '%';
      if (kind === 'd') return formatNumber(Math.trunc(value), 0);
      if (kind === 'f') return formatNumber(value, Math.min(Number(digits ?? 6), 20));
      return String(value);
    },
  );
}

/** With a suffix of %, the position between minimum and maximum in per cent. */
function percentOf(value: number, { suffix, minValue, maxValue }: Profile): number {
  if (suffix.trim() !== '%' || maxValue <= minValue) return value;
  return ((value - minValue) * 100) / (maxValue - minValue);
}

function plainValue(value: Value, type: number): string {
  if (typeof value === 'boolean') return value ? texts().yes : texts().no;
  if (typeof value === 'string') return value;
  const [, decimals = ''] = String(value).split('.');
  const isPlain = type === variableType.float && !decimals.includes('e');
  return formatNumber(value, isPlain ? Math.min(3, decimals.length) : 0);
}

function formatStamp(seconds: number, name: string, timeZone: string): string {
  const ms = seconds * 1000;
  if (seconds === 0 || Number.isNaN(new Date(ms).getTime())) return '–';
  if (name === '~UnixTimestampTime') return formatTime(ms, timeZone, true);
  if (name === '~UnixTimestampDate') return dateFormat(timeZone, { dateStyle: 'medium' }).format(ms);
  return formatDate(ms, timeZone, 'medium');
}
