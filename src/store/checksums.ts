import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { prepareArrays } from '../sqlite/array-rows.js';

/** The tables with a checksum per row, and the columns it covers; the first column is the key. */
export const checksummedColumns = {
  meta: ['name', 'value'],
  profiles: ['name', 'profile'],
  objects: ['born', 'id', 'type', 'parent', 'attributes', 'data'],
  last_values: ['id', 'value', 'updated', 'changed'],
  audit: ['number', 'record'],
} as const;
export type ChecksummedTable = keyof typeof checksummedColumns;

/**
 * The checksum of a row: CRC-32 of its columns as UTF-8 text, joined by commas. Detects every single flipped
 * bit.
 */
export const checksumOf = (columns: readonly unknown[]): number => crc32(columns.join(','));

/** Whether a row with its checksum as the last column is intact. Integers may be bigint. */
export function isSound(row: readonly SQLOutputValue[]): boolean {
  const columns = row.slice(0, -1);
  if (columns.some((value) => value === null || value instanceof Uint8Array)) return false;
  return String(row.at(-1)) === String(checksumOf(columns));
}

/** Whether only the checksum is damaged: a flipped bit in another column changes more than one bit of it. */
export function hasBadChecksum(row: readonly SQLOutputValue[]): boolean {
  const columns = row.slice(0, -1);
  if (columns.some((value) => value === null || value instanceof Uint8Array)) return false;
  const difference = (checksumOf(columns) ^ Number(row.at(-1))) >>> 0;
  return difference !== 0 && (difference & (difference - 1)) === 0;
}

/** Whether the rows of a store's database have checksums, which they do since version 2. */
export function hasChecksums(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM pragma_table_info('meta') WHERE name = 'sum'").get() !== undefined;
}

/** Sets a text in `meta` of a database of any version. */
export function putMeta(db: DatabaseSync, name: string, value: string): void {
  if (hasChecksums(db))
    db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?, ?)').run(name, value, checksumOf([name, value]));
  else db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(name, value);
}

/** Reads rows as arrays with bigint integers: a flipped bit can make one too large for a number. */
export function iterateRows(db: DatabaseSync, sql: string, ...parameters: (string | number | bigint)[]) {
  return prepareArrays<readonly SQLOutputValue[]>(db, sql, { bigInts: true }).iterate(...parameters);
}
