import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A file of a map. */
export interface MapFile {
  /** Without extension. */
  readonly id: string;
  readonly path: string;
}

/** A map is written by hand, and has a few kilobytes. */
const MAP_FILE_LIMIT = 256 * 1024;
const EXTENSION = '.yaml';
/** Directories below the one of the maps: meters, inverters. */
const DEPTH = 2;

/** The maps in a directory and those below it, by their names; none if it does not exist. */
export function listMaps(directory: string, depth = DEPTH): MapFile[] {
  const entries = entriesOf(directory).toSorted((a, b) => a.name.localeCompare(b.name));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return depth > 1 ? listMaps(path, depth - 1) : [];
    return entry.name.endsWith(EXTENSION) ? [{ id: entry.name.slice(0, -EXTENSION.length), path }] : [];
  });
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // users have no directory of maps by default
  }
}

/** A word that changes when the file changes; undefined if there is none. */
export function versionOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/** The text of a map. Throws if it cannot be read or is too long. */
export function readMapFile(path: string): string {
  const { size } = statSync(path);
  if (size > MAP_FILE_LIMIT) throw new Error(`${path} has ${size} bytes; at most ${MAP_FILE_LIMIT} are read`);
  return readFileSync(path, 'utf8');
}
