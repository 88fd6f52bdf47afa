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
 * Makes a directory where it is missing, with those above it. Not by `recursive`: where nothing can be made (EROFS, /proc)
 * Node then says ENOENT, or tries for ever.
 */
export function makeDirectory(path: string, mode = 0o750): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path), mode);
  mkdirSync(path, { mode });
}

/** Makes what was written to a file, or the names in a directory, outlive a power cut. */
export function syncPath(path: string): void {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Gives a finished file its name: there is never half of it under that name. */
export function putInPlace(from: string, to: string): void {
  syncPath(from);
  renameSync(from, to);
  syncPath(dirname(to));
}

/** Copies a file under a passing name and puts it in place. */
export function copyInPlace(from: string, to: string): void {
  copyFileSync(from, `${to}.new`);
  putInPlace(`${to}.new`, to);
}

/** SQLite's companions of a database file. */
export const companions = ['-wal', '-shm', '-journal'] as const;

/** Renames a database with its companions; those that are missing are skipped. */
export function renameDatabase(from: string, to: string): void {
  for (const suffix of ['', ...companions]) ifThere(() => renameSync(from + suffix, to + suffix));
  syncPath(dirname(to));
}

/** Removes a database with its companions. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', ...companions]) rmSync(path + suffix, { force: true });
}

/** `2026-08-02T10-11-12Z`: a time that can stand in a file's name. */
export function timeName(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/** Bytes that this thread has caused to be written to disks; undefined where the kernel does not count them. */
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
