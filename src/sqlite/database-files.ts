import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its parents. Does not use Node's `recursive`, which reports ENOENT or loops
 * indefinitely where nothing can be created (EROFS, /proc).
 */
export function makeDirectory(path: string, mode = 0o750): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path), mode);
  mkdirSync(path, { mode });
}

/** Flushes a file, or the names in a directory, to the disk. */
export function syncPath(path: string): void {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Flushes a complete file and renames it, so that no incomplete file ever has the final name. */
export function putInPlace(from: string, to: string): void {
  syncPath(from);
  renameSync(from, to);
  syncPath(dirname(to));
}

/** Copies a file to a temporary name and renames it. */
export function copyInPlace(from: string, to: string): void {
  try {
    copyFileSync(from, `${to}.new`);
  } catch (thrown) {
    // A part of a copy would keep a full disk full.
    rmSync(`${to}.new`, { force: true });
    throw thrown;
  }
  putInPlace(`${to}.new`, to);
}

/** Suffixes of the files that SQLite keeps next to a database. */
export const companions = ['-wal', '-shm', '-journal'] as const;

/** Renames a database and its companion files; missing ones are skipped. */
export function renameDatabase(from: string, to: string): void {
  for (const suffix of ['', ...companions]) ifThere(() => renameSync(from + suffix, to + suffix));
  syncPath(dirname(to));
}

/** Renames a database to `base`, or to `base-2` and so on if that is taken. Returns its new path. */
export function renameToFree(from: string, base: string): string {
  let target = base;
  for (let n = 2; existsSync(target); n++) target = `${base}-${n}`;
  renameDatabase(from, target);
  return target;
}

/** Removes a database and its companion files. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', ...companions]) rmSync(path + suffix, { force: true });
}

/** A time as part of a file name: `2026-08-02T10-11-12Z`. */
export function timeName(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/**
 * Bytes that this thread has written to disks; undefined if the kernel does not count them (proc(5), `io`).
 */
export function writtenByThread(): number | undefined {
  const path = '/proc/thread-self/io';
  if (!existsSync(path)) return undefined;
  const found = /^write_bytes: (\d+)/m.exec(readFileSync(path, 'utf8'))?.[1];
  return found === undefined ? undefined : Number(found);
}

function ifThere(act: () => void): void {
  try {
    act();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
}
