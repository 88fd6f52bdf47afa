import { join } from 'node:path';
import { makeDirectory } from '../sqlite/database-files.js';

/** The database of a data directory. */
export const databasePath = (directory: string): string => join(directory, 'stellwerk.db');

/** The folders of a data directory that are part of a backup: the name in the backup → the path. */
export function foldersOf(directory: string): Record<string, string> {
  return Object.fromEntries(['scripts', 'icons', 'media'].map((name) => [name, join(directory, name)]));
}

/** Creates directories where possible. Opening the store reports those that cannot be created. */
export function makeDirectories(...paths: readonly string[]): void {
  for (const path of paths) {
    try {
      makeDirectory(path);
    } catch {
      // Opening the store reports the failure.
    }
  }
}
