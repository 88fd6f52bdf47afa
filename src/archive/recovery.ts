import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DatabaseDamage, openForWriting, createDatabase, migrate } from '../sqlite/connection.js';
import {
  makeDirectory,
  putInPlace,
  removeDatabase,
  renameDatabase,
  timeName,
} from '../sqlite/database-files.js';
import { archiveShape } from './schema.js';

const ASIDE = /^archive\.db\.damaged-.*Z(-\d+)?$/;
/** One run of the machine: its monotonic clock goes on through it (random(4)). */
const BOOT = '/proc/sys/kernel/random/boot_id';

const pathOf = (directory: string): string => join(directory, 'archive.db');

/**
 * Opens the archive of a data directory for reading and writing; it is made where it is missing. A damaged one is set
 * aside and a new one begun: what is recorded from now on must not wait for a person. Its pages are not all read: that
 * would take minutes of a large archive at each start.
 */
export function openArchiveDatabase(directory: string, nowMs: number): { db: DatabaseSync; text: string } {
  makeDirectory(directory);
  const path = pathOf(directory);
  try {
    if (!existsSync(path)) create(path);
    if (statSync(path).size === 0) throw new DatabaseDamage('the file is empty');
    return { db: connected(path), text: '' };
  } catch (thrown) {
    if (!(thrown instanceof DatabaseDamage)) throw thrown;
    const aside = quarantineArchive(directory, nowMs);
    create(path);
    return { db: connected(path), text: damageText(thrown, aside) };
  }
}

/** For people: what was wrong, and where the archive is now. */
export const damageText = ({ message }: Error, aside: string): string =>
  `the archive was damaged (${message}) and is kept as ${aside}; a new one was begun. "stellwerk archive salvage" takes what is sound of it into the new one`;

/** Names of the damaged archives that are kept, newest first. */
export function listQuarantinedArchives(directory: string): string[] {
  const names = readdirSync(directory).filter((name) => ASIDE.test(name));
  return names.sort().reverse();
}

/**
 * Renames an archive that turned out to be damaged. Returns its new name. Of those before it the oldest stays, which has
 * the history: a dying card must not fill itself with them.
 */
export function quarantineArchive(directory: string, nowMs: number): string {
  const name = `${pathOf(directory)}.damaged-${timeName(nowMs)}`;
  let aside = name;
  for (let n = 2; existsSync(aside); n++) aside = `${name}-${n}`;
  renameDatabase(pathOf(directory), aside);
  const kept = basename(aside);
  for (const other of listQuarantinedArchives(directory).slice(0, -1))
    if (other !== kept) removeDatabase(join(directory, other));
  return kept;
}

/** Tells this run of the machine from all others. */
export function bootId(): string {
  return existsSync(BOOT) ? readFileSync(BOOT, 'utf8').trim() : '';
}

function connected(path: string): DatabaseSync {
  const db = openForWriting(archiveShape, path, (opened) => {
    opened.prepare('SELECT count(*) FROM sqlite_schema').get();
  });
  migrate(db, archiveShape);
  return db;
}

function create(path: string): void {
  removeDatabase(`${path}.new`);
  createDatabase(`${path}.new`, archiveShape);
  putInPlace(`${path}.new`, path);
}
