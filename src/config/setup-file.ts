import { coded } from '../base/codes/coded-text.js';
import { didYouMean } from '../base/did-you-mean.js';
import { fault } from '../base/fault.js';
import { LANGUAGES, type Language } from './schema/gateway-schema.js';

/** The keys that set up a gateway: in a set-up file, and on the page of a gateway without an owner. */
const SETUP_KEYS = [
  'username',
  'password',
  'board',
  'hostname',
  'language',
  'timezone',
  'latitude',
  'longitude',
] as const;
/** The keys that the image of a box uses. */
const OF_THE_BOX = [
  'ssh_key',
  'address',
  'gateway',
  'dns',
  'wifi_name',
  'wifi_password',
  'wifi_country',
  'wifi_address',
  'wifi_gateway',
  'wifi_dns',
];
const LIMITS = { latitude: 90, longitude: 180 } as const;
/** A label of a host name (RFC 1123 §2.1). */
const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** The settings of a new gateway. */
export interface Setup {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly board?: string | undefined;
  readonly hostname?: string | undefined;
  readonly language?: Language | undefined;
  readonly timezone?: string | undefined;
  /** Degrees. */
  readonly location?: { readonly latitude: number; readonly longitude: number } | undefined;
}

/**
 * Reads a set-up file: lines `name=value`, empty lines, and comments that begin with `#`. Keys of the box are
 * left to its image. Throws `CONFIGURATION_INVALID` with the line of the first error.
 */
export function parseSetupFile(text: string): Setup {
  const found: Partial<Record<string, string>> = {};
  // Editors on other systems end lines with CR LF, and begin the file with a byte order mark.
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, key = '', value = ''] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const known: readonly string[] = [...SETUP_KEYS, ...OF_THE_BOX];
    if (!known.includes(key))
      throw fault(
        'CONFIGURATION_INVALID',
        coded`SETUP_KEY: line ${i + 1}: there is no such key${didYouMean(key, known)}`,
      );
    found[key] = value;
  }
  return checkSetup(found);
}

/** Checks settings that people have typed; empty ones are not set. Throws a fault with the given code. */
export function checkSetup(
  given: Partial<Readonly<Record<string, string>>>,
  code: 'CONFIGURATION_INVALID' | 'INVALID_REQUEST' = 'CONFIGURATION_INVALID',
): Setup {
  const of = (key: (typeof SETUP_KEYS)[number]) => given[key] || undefined;
  const [hostname, language, timezone] = [of('hostname'), of('language'), of('timezone')];
  if (hostname !== undefined && !HOST_NAME.test(hostname))
    throw fault(
      code,
      coded`SETUP_NAME: hostname must be 1 to 63 letters, digits and hyphens, with no hyphen at its ends`,
    );
  if (language !== undefined && !isLanguage(language))
    throw fault(code, coded`SETUP_LANGUAGE: language must be one of: ${LANGUAGES.join(', ')}`);
  if (timezone !== undefined && !isTimeZone(timezone))
    throw fault(
      code,
      coded`SETUP_TIME_ZONE: timezone must be the name of a time zone, such as Europe/Berlin`,
    );
  const location = locationOf(of('latitude'), of('longitude'), code);
  return {
    username: of('username'),
    password: of('password'),
    board: of('board'),
    hostname,
    language,
    timezone,
    location,
  };
}

/** The text without its passwords. As {@link parseSetupFile}, accepts any white space, and a byte order mark. */
export const withoutPasswords = (text: string): string =>
  text.replace(/^([^\S\r\n]*(?:wifi_)?password[^\S\r\n]*=)[^\r\n]*/gm, '# $1 (removed after use)');

function locationOf(
  latitude: string | undefined,
  longitude: string | undefined,
  code: Parameters<typeof checkSetup>[1],
): Setup['location'] {
  if (latitude === undefined && longitude === undefined) return undefined;
  return { latitude: degrees('latitude', latitude, code), longitude: degrees('longitude', longitude, code) };
}

/** Also with the decimal comma of a German keyboard. */
function degrees(
  key: keyof typeof LIMITS,
  text: string | undefined,
  code: Parameters<typeof checkSetup>[1] = 'CONFIGURATION_INVALID',
): number {
  const value = text === undefined ? NaN : Number(text.replace(',', '.'));
  if (Math.abs(value) <= LIMITS[key]) return value;
  throw fault(code, coded`SETUP_NUMBER: ${key} must be a number of degrees, at most ${LIMITS[key]}`);
}

const isLanguage = (text: string): text is Language => (LANGUAGES as readonly string[]).includes(text);

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
