import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Damage, connectAs, createDatabase, migrate } from '../store/connection.js';
import { makeDirectory, putInPlace, removeDatabase, renameDatabase, timeName } from '../store/files.js';
import { archiveShape } from './schema.js';

/** Damaged archives that are kept aside: a dying card must not fill itself with them. */
const ASIDE_KEPT = 2;
const ASIDE = /^archive\.db\.damaged-.*Z$/;
/** One run of the machine: its monotonic clock goes on through it (random(4)). */
const BOOT = '/proc/sys/kernel/random/boot_id';

const pathOf = (directory: string): string => join(directory, 'archive.db');

/**
 * Opens the archive of a data directory for reading and writing; it is made where it is missing. A damaged one is set
 * aside and a new one begun: what is recorded from now on must not wait for a person. Its pages are not all read: that
 * would take minutes of a large archive at each start.
 */
export function openPlace(directory: string, nowMs: number): { db: DatabaseSync; text: string } {
  makeDirectory(directory);
  const path = pathOf(directory);
  try {
    if (!existsSync(path)) create(path);
    if (statSync(path).size === 0) throw new Damage('the file is empty');
    return { db: connected(path), text: '' };
  } catch (thrown) {
    if (!(thrown instanceof Damage)) throw thrown;
    const aside = setAside(directory, nowMs);
    create(path);
    const text = `the archive was damaged (${thrown.message}) and is kept as ${aside}; a new one was begun`;
    return { db: connected(path), text };
  }
}

/** Names of the damaged archives that are kept, newest first. */
export function asideOf(directory: string): string[] {
  const names = readdirSync(directory).filter((name) => ASIDE.test(name));
  return names.sort().reverse();
}

/** Renames an archive that turned out to be damaged. Returns its new name. */
export function setAside(directory: string, nowMs: number): string {
  const aside = `${pathOf(directory)}.damaged-${timeName(nowMs)}`;
  renameDatabase(pathOf(directory), aside);
  for (const name of asideOf(directory).slice(ASIDE_KEPT)) removeDatabase(join(directory, name));
  return basename(aside);
}

/** Tells this run of the machine from all others. */
export function bootId(): string {
  return existsSync(BOOT) ? readFileSync(BOOT, 'utf8').trim() : '';
}

function connected(path: string): DatabaseSync {
  const db = connectAs(archiveShape, path, (opened) => {
    opened.prepare('SELECT count(*) FROM sqlite_schema').get();
  });
  migrate(db, archiveShape.steps);
  return db;
}

function create(path: string): void {
  removeDatabase(`${path}.new`);
  createDatabase(`${path}.new`, archiveShape);
  putInPlace(`${path}.new`, path);
}
