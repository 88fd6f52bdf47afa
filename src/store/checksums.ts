import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/** The tables whose rows carry a checksum, with the columns that it covers; the first is the key. */
export const checksummedColumns = {
  meta: ['name', 'value'],
  profiles: ['name', 'profile'],
  objects: ['born', 'id', 'type', 'parent', 'attributes', 'data'],
  last_values: ['id', 'value', 'updated', 'changed'],
  audit: ['number', 'record'],
} as const;
export type ChecksummedTable = keyof typeof checksummedColumns;

/** The checksum of a row: CRC-32 of its columns as UTF-8 text, with commas between. It detects every single flipped bit. */
export const checksumOf = (columns: readonly unknown[]): number => crc32(columns.join(','));

/** Whether a row, its checksum last, is as it was written. Integers may come as bigint. */
export function isSound(row: readonly SQLOutputValue[]): boolean {
  const columns = row.slice(0, -1);
  if (columns.some((value) => value === null || value instanceof Uint8Array)) return false;
  return String(row.at(-1)) === String(checksumOf(columns));
}

/** Whether only the checksum of a row is damaged: a flipped bit in its columns changes more than one bit of it. */
export function hasBadChecksum(row: readonly SQLOutputValue[]): boolean {
  const columns = row.slice(0, -1);
  if (columns.some((value) => value === null || value instanceof Uint8Array)) return false;
  const difference = (checksumOf(columns) ^ Number(row.at(-1))) >>> 0;
  return difference !== 0 && (difference & (difference - 1)) === 0;
}

/** Whether the rows of a store's database carry checksums: they do since version 2. */
export function hasChecksums(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM pragma_table_info('meta') WHERE name = 'sum'").get() !== undefined;
}

/** Sets a small thing by name, in a database of any version. */
export function putMeta(db: DatabaseSync, name: string, value: string): void {
  if (hasChecksums(db))
    db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?, ?)').run(name, value, checksumOf([name, value]));
  else db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(name, value);
}

/** Reads rows as arrays, the integers as bigint: a flipped bit can make one larger than a JavaScript number holds. */
export function iterateRows(db: DatabaseSync, sql: string, ...parameters: (string | number | bigint)[]) {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  return statement.iterate(...parameters) as unknown as Iterable<readonly SQLOutputValue[]>;
}
