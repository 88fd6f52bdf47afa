import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../../src/sqlite/connection.js';
import { checksummedColumns, iterateRows } from '../../../src/store/checksums.js';
import { steps, storeShape } from '../../../src/store/schema.js';

/** Replaces the database by one of schema version 1 with the same content; returns its rows. */
export function rebuildAsVersion1(directory: string): Record<string, unknown[]> {
  using db = new DatabaseSync(join(directory, 'stellwerk.db'));
  const rows: Record<string, unknown[]> = {};
  for (const [table, columns] of Object.entries(checksummedColumns)) {
    const all = [...iterateRows(db, `SELECT ${columns.join(', ')} FROM ${table}`)];
    // Version 1 numbers audit records without the ring, and has no copy of the schema version.
    const old = table === 'audit' ? all.map(([number, record]) => [(number as bigint) / 4n, record]) : all;
    rows[table] =
      table === 'meta' ? old.filter(([name]) => !['schema', 'oldest_reader'].includes(String(name))) : old;
    db.exec(`DROP TABLE ${table}`);
  }
  db.exec(`PRAGMA user_version = 0`);
  migrate(db, { id: storeShape.id, steps: steps.slice(0, 1) });
  for (const [table, all] of Object.entries(rows)) {
    const marks = checksummedColumns[table as keyof typeof checksummedColumns].map(() => '?').join(', ');
    for (const row of all)
      db.prepare(`INSERT INTO ${table} VALUES (${marks})`).run(...(row as (string | bigint)[]));
  }
  return rows;
}
