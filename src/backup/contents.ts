import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { Contents } from './backup-index.js';

/** Counts the objects and values in a database of the store, or a backup of one, and makes a digest of them. */
export function treeContents(path: string): Omit<Contents, 'archiveRecords'> {
  using db = new DatabaseSync(path, { readOnly: true });
  const digest = createHash('sha256');
  const count = (sql: string): number => {
    let rows = 0;
    for (const row of db.prepare(sql).iterate()) {
      digest.update(JSON.stringify(Object.values(row))).update('\n');
      rows++;
    }
    return rows;
  };
  const objects = count('SELECT id, type, parent, attributes, data FROM objects ORDER BY id');
  const values = count('SELECT id, value, updated, changed FROM last_values ORDER BY id');
  return { objects, values, treeDigest: digest.digest('hex') };
}
