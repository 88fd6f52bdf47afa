import { crc32 } from 'node:zlib';
import type { Guard, LineLocation, OutputOptions } from '../backends/line.js';

/** The options of an output that the line keeper guards. */
export type GuardedOutputOptions = OutputOptions & { readonly guard: Guard };

const HEADER = 'stellwerk outputs 1\n';
/** The first words of an entry identify the line: label, index among the chips with it, and offset. */
const KEY_WORDS = 3;

/**
 * An output in the keeper's table format (`keeper/table.h`); `nth` is the chip's index among those with its
 * label.
 */
export function formatEntry(
  { chip, offset, name }: LineLocation,
  nth: number,
  { activeLow, drive, guard }: GuardedOutputOptions,
): string {
  const { boot, onDeath, onStop, onUpdate, holdForS } = guard;
  const line = [escaped(chip.label), nth, offset, escaped(name)];
  const polarity = activeLow ? 'low' : 'high';
  return [...line, polarity, drive, boot, onDeath, onStop, onUpdate, holdForS].join(' ');
}

/** The keeper's key of a line. */
export const lineKey = ({ chip, offset }: LineLocation, nth: number): string =>
  [escaped(chip.label), nth, offset].join('/');

/** The keeper's key of the line of an entry. */
export const entryKey = (entry: string): string => entry.split(' ').slice(0, KEY_WORDS).join('/');

/** The content of the file that the keeper reads when the machine boots. */
export function formatTable(entries: readonly string[]): string {
  const text = HEADER + entries.map((entry) => `${entry}\n`).join('');
  return `${text}${trailer(text, entries.length)}`;
}

/** The entries of the keeper's file; none if it is incomplete or damaged. */
export function parseTable(table: string): string[] {
  const end = table.lastIndexOf('\n', table.length - 2) + 1;
  const entries = table.slice(HEADER.length, end).split('\n').slice(0, -1);
  const isComplete =
    table.startsWith(HEADER) && table.slice(end) === trailer(table.slice(0, end), entries.length);
  return isComplete ? entries : [];
}

/** The last line: the number of entries and the checksum of the text before it. */
const trailer = (text: string, count: number): string =>
  `end ${count} ${crc32(text).toString(16).padStart(8, '0')}\n`;

/** Replaces every byte that is not an unreserved character by %XX. */
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
