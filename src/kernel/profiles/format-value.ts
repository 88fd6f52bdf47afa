import { roundHalfAway } from '../convert.js';
import type { Association, Profile, Profiles } from './profiles.js';
import { variableType, type Value, type VariableType } from '../value.js';

/** Formats a value with a profile (interface §5, `GetValueFormatted`). A profile of '' is none. */
export function formatValue(
  value: Value,
  { type, profile: profileName }: { readonly type: VariableType; readonly profile: string },
  profiles: Pick<Profiles, 'find'>,
): string {
  if (profileName === '') return String(value);
  const profile = profiles.find(profileName);
  if (profile === undefined) return 'Invalid profile';
  if (profile.type !== type) return 'Invalid profile type';
  const special = specialFormats.get(profile.name);
  if (special !== undefined) return special(Number(value));
  const text = profile.associations.length > 0 ? associated(value, profile) : plain(value, profile);
  return text ?? '-';
}

function plain(value: Value, profile: Profile): string {
  const { prefix, suffix, digits } = profile;
  if (typeof value !== 'number') return `${prefix}${value}${suffix}`;
  const shownValue = percentOf(value, profile);
  const number =
    profile.type === variableType.float ? fixed(shownValue, digits) : String(roundHalfAway(shownValue));
  return `${prefix}${number}${suffix}`;
}

/** The number to display; with a suffix of %, its position between minimum and maximum in per cent. */
export function percentOf(value: number, { suffix, min, max }: Profile): number {
  return suffix.trim() === '%' && max > min ? ((value - min) * 100) / (max - min) : value;
}

function associated(value: Value, profile: Profile): string | undefined {
  const found = associationOf(value, profile);
  if (found === undefined) return undefined;
  const name = typeof value === 'number' ? sprintf(found.name, value) : found.name;
  return `${profile.prefix}${name}${profile.suffix}`;
}

/** Maximum number of decimals that are compared; a double has no more digits. */
const DECIMALS_LIMIT = 15;

/**
 * The association of a value: an exact match for booleans and strings, otherwise the last one that is not
 * above it. Numbers are compared as they are displayed, or with the decimals of the associations if these
 * have more.
 */
export function associationOf(value: Value, { associations, digits }: Profile): Association | undefined {
  if (typeof value !== 'number') return associations.find((a) => a.value === value);
  const scale = 10 ** associations.reduce((most, a) => decimalsOf(Number(a.value), most), digits);
  const scaled = Math.round(value * scale);
  return associations.findLast((a) => Math.round(Number(a.value) * scale) <= scaled);
}

/** The number of decimals of a number, at least `minimum`. */
function decimalsOf(value: number, minimum: number): number {
  let digits = minimum;
  while (digits < DECIMALS_LIMIT && Number(value.toFixed(digits)) !== value) digits += 1;
  return digits;
}

const PLACEHOLDER = /%(?:%|(?:\.(\d{1,2}))?([dfs]))/g;

/** Replaces `%d`, `%f`, `%.1f` and `%s` in the name of an association by the value. */
function sprintf(template: string, value: number): string {
  return template.replace(
    PLACEHOLDER,
    (all: string, digits: string | undefined, kind: string | undefined) => {
      if (all === '%%') return '%';
      if (kind === 'd') return String(Math.trunc(value));
      if (kind === 'f') return fixed(value, Math.min(Number(digits ?? 6), 20));
      return String(value);
    },
  );
}

/** A number with a fixed number of decimals; a rounded zero has no sign. */
function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace('-', '') : text;
}

const two = (n: number) => String(n).padStart(2, '0');
/** Formats a time; `-` for times outside the calendar. */
const calendar = (text: (time: Date) => string) => (seconds: number) => {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? '-' : text(time);
};
const dateOf = (d: Date) => `${two(d.getDate())}.${two(d.getMonth() + 1)}.${d.getFullYear()}`;
const timeOf = (d: Date) => `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;

/** Profiles with a format of their own; times are local. */
const specialFormats: ReadonlyMap<string, (value: number) => string> = new Map<
  string,
  (value: number) => string
>([
  ['~HexColor', () => ''],
  ['~UnixTimestamp', calendar((time) => `${dateOf(time)} ${timeOf(time)}`)],
  ['~UnixTimestampTime', calendar(timeOf)],
  ['~UnixTimestampDate', calendar(dateOf)],
]);
