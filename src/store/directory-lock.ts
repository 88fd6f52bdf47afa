import { coded } from '../base/codes/coded-text.js';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { faultFrom } from '../base/fault.js';
import { sqliteCode, sqliteCodeOf } from '../sqlite/connection.js';

/** The file of the lock, in the data directory. */
export const LOCK_FILE = 'stellwerk.lock';

/**
 * Locks a data directory for one gateway; the kernel releases the lock when the process ends, for whatever
 * reason. Uses SQLite's file locks on an empty file next to the database. Throws `STORE_UNUSABLE` while
 * another gateway has the lock.
 */
export function lockDirectory(directory: string): Disposable {
  const lock = new DatabaseSync(join(directory, LOCK_FILE), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (thrown) {
    lock.close();
    if (sqliteCodeOf(thrown) !== sqliteCode.busy) throw thrown;
    throw faultFrom(
      thrown,
      'STORE_UNUSABLE',
      coded`DIRECTORY_IN_USE: ${directory} is in use by another gateway; stop that one first`,
    );
  }
  return { [Symbol.dispose]: () => lock.close() };
}
