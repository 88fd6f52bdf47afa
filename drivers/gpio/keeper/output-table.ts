import { crc32 } from 'node:zlib';
import type { Guard, OutputOptions, LineLocation } from '../backends/line.js';

/** A wish for an output that is to be kept. */
export type GuardedOutputOptions = OutputOptions & { readonly guard: Guard };

const HEADER = 'stellwerk outputs 1\n';
/** The words of an entry that say which line it is. */
const PLACE_WORDS = 3;

/** An output in the keeper's words (`keeper/table.h`): `nth` is the chip's place among those of its label. */
export function formatEntry(
  { chip, offset, name }: LineLocation,
  nth: number,
  wish: GuardedOutputOptions,
): string {
  const { boot, onDeath, onStop, onUpdate, holdForS } = wish.guard;
  const electrical = [wish.activeLow ? 'low' : 'high', wish.drive];
  const place = [escaped(chip.label), nth, offset, escaped(name)];
  return [...place, ...electrical, boot, onDeath, onStop, onUpdate, holdForS].join(' ');
}

/** What the keeper calls a line. */
export const lineKey = ({ chip, offset }: LineLocation, nth: number): string =>
  [escaped(chip.label), nth, offset].join('/');

/** What the keeper calls the line of an entry. */
export const entryKey = (entry: string): string => entry.split(' ').slice(0, PLACE_WORDS).join('/');

/** The file that the keeper reads when the machine boots. */
export function formatTable(entries: readonly string[]): string {
  const text = HEADER + entries.map((entry) => `${entry}\n`).join('');
  return `${text}${endOf(text, entries.length)}`;
}

/** The entries of such a file; none where it is not whole. */
export function parseTable(table: string): string[] {
  const end = table.lastIndexOf('\n', table.length - 2) + 1;
  const entries = table.slice(HEADER.length, end).split('\n').slice(0, -1);
  const isWhole = table.startsWith(HEADER) && table.slice(end) === endOf(table.slice(0, end), entries.length);
  return isWhole ? entries : [];
}

const endOf = (text: string, count: number): string =>
  `end ${count} ${crc32(text).toString(16).padStart(8, '0')}\n`;

/** Every byte that is no plain character as %XX. */
function escaped(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return bytes
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
