import { coded } from '../base/codes/coded-text.js';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  DatabaseDamage,
  NewerDatabase,
  createDatabase,
  foldLog,
  migrate,
  openForWriting,
} from '../sqlite/connection.js';
import {
  makeDirectory,
  putInPlace,
  removeDatabase,
  renameToFree,
  timeName,
} from '../sqlite/database-files.js';
import { archiveShape } from './schema.js';

const QUARANTINED_NAMES = {
  damaged: /^archive\.db\.damaged-.*Z(-\d+)?$/,
  /** A newer version of stellwerk wrote it. */
  newer: /^archive\.db\.newer-.*Z(-\d+)?$/,
} as const;
type Quarantine = keyof typeof QUARANTINED_NAMES;
/** Identifies a boot of the machine, during which the monotonic clock continues (random(4)). */
const BOOT = '/proc/sys/kernel/random/boot_id';

const pathOf = (directory: string): string => join(directory, 'archive.db');

/**
 * Opens the archive of a data directory for reading and writing, and creates it if it is missing. A damaged
 * one, and one that a newer version has migrated, is quarantined and replaced, so that recording continues
 * unattended. Does not check all pages, because that would take minutes for a large archive.
 */
export function openArchiveDatabase(directory: string, nowMs: number): { db: DatabaseSync; text: string } {
  makeDirectory(directory);
  const path = pathOf(directory);
  try {
    if (!existsSync(path)) create(path);
    if (statSync(path).size === 0) throw new DatabaseDamage(coded`FILE_EMPTY: the file is empty`);
    return { db: connect(path), text: '' };
  } catch (thrown) {
    if (thrown instanceof NewerDatabase) {
      // Health lists it.
      foldLog(path);
      quarantineArchive(directory, nowMs, 'newer');
      create(path);
      return { db: connect(path), text: '' };
    }
    if (!(thrown instanceof DatabaseDamage)) throw thrown;
    const name = quarantineArchive(directory, nowMs);
    create(path);
    return { db: connect(path), text: damageText(thrown, name) };
  }
}

/** Text for log and health: the damage, and the new name of the file. */
export const damageText = ({ message }: Error, name: string): string =>
  `the archive was damaged (${message}) and is kept as ${name}; a new one was created. "stellwerk archive salvage" copies its readable records into the new one`;

/** Names of quarantined archives, newest first. */
export function listQuarantinedArchives(directory: string, why: Quarantine = 'damaged'): string[] {
  const names = readdirSync(directory).filter((name) => QUARANTINED_NAMES[why].test(name));
  return names.sort().reverse();
}

/**
 * Quarantines the archive and returns its new name. Of earlier ones, only the oldest is kept, because it has
 * the history; more would fill the card.
 */
export function quarantineArchive(directory: string, nowMs: number, why: Quarantine = 'damaged'): string {
  const named = `archive.db.${why}-${timeName(nowMs)}`;
  const newest = listQuarantinedArchives(directory, why)[0]?.replace(/-\d+$/, '') ?? '';
  // With the clock behind, the name would sort first, and the archive with the history would be removed.
  const base = join(directory, newest > named ? newest : named);
  const name = basename(renameToFree(pathOf(directory), base));
  for (const other of listQuarantinedArchives(directory, why).slice(0, -1))
    if (other !== name) removeDatabase(join(directory, other));
  return name;
}

/** The id of this boot of the machine. */
export function bootId(): string {
  return existsSync(BOOT) ? readFileSync(BOOT, 'utf8').trim() : '';
}

function connect(path: string): DatabaseSync {
  const db = openForWriting(archiveShape, path, (opened) => {
    opened.prepare('SELECT count(*) FROM sqlite_schema').get();
  });
  migrate(db, archiveShape);
  return db;
}

function create(path: string): void {
  createDatabase(`${path}.new`, archiveShape);
  putInPlace(`${path}.new`, path);
}
