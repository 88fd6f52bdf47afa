import { coded } from '../base/codes/coded-text.js';
import { didYouMean } from '../base/did-you-mean.js';
import { fault } from '../base/fault.js';

/** The keys that `stellwerk setup` uses. */
const USED = ['username', 'password', 'board', 'latitude', 'longitude'] as const;
/** The keys that the image of a box uses. */
const OF_THE_BOX = [
  'hostname',
  'ssh_key',
  'address',
  'gateway',
  'dns',
  'wifi_name',
  'wifi_password',
  'language',
  'timezone',
];
const LIMITS = { latitude: 90, longitude: 180 } as const;

/** What a set-up file says about the gateway. */
export type SetupFile = Partial<Readonly<Record<(typeof USED)[number], string>>>;

/**
 * Reads a set-up file: lines `name=value`, empty lines, and comments that begin with `#`. Keys of the box are
 * left to its image. Throws `CONFIGURATION_INVALID` with the line of the first error.
 */
export function parseSetupFile(text: string): SetupFile {
  const found: Partial<Record<string, string>> = {};
  // Editors of other systems end lines with a carriage return, and begin the file with a mark.
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, key = '', value = ''] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const known: readonly string[] = [...USED, ...OF_THE_BOX];
    if (!known.includes(key))
      throw fault(
        'CONFIGURATION_INVALID',
        coded`SETUP_KEY: line ${i + 1}: there is no such key${didYouMean(key, known)}`,
      );
    if (value !== '') found[key] = value;
  }
  for (const key of ['latitude', 'longitude'] as const) {
    const value = found[key];
    if (value !== undefined && !(Math.abs(Number(value)) <= LIMITS[key]))
      throw fault(
        'CONFIGURATION_INVALID',
        coded`SETUP_NUMBER: ${key} must be a number of degrees, at most ${LIMITS[key]}`,
      );
  }
  return Object.fromEntries(USED.flatMap((key) => (found[key] === undefined ? [] : [[key, found[key]]])));
}

/** The text without its passwords. */
export const withoutPasswords = (text: string): string =>
  text.replace(/^([ \t]*(?:wifi_)?password[ \t]*=)[^\r\n]*/gm, '# $1 (removed after use)');
