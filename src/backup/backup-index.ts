import { coded } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';

/** A file in a backup, cut into chunks. */
export interface FileEntry {
  /** Relative to the data directory; `state.db` is the backup of the database. */
  readonly path: string;
  readonly bytes: number;
  readonly chunks: readonly string[];
}

/** A table of the archive, cut into chunks of rows. */
export interface TableEntry {
  readonly table: string;
  readonly rows: number;
  readonly chunks: readonly string[];
}

/** What a backup must have after a restore. */
export interface Contents {
  readonly objects: number;
  readonly values: number;
  readonly archiveRecords: number;
  /** SHA-256 of all objects and values. */
  readonly treeDigest: string;
}

/** The list of everything in a backup. */
export interface BackupIndex {
  readonly format: 1;
  readonly name: string;
  readonly madeMs: number;
  readonly version: string;
  readonly files: readonly FileEntry[];
  readonly archive: { readonly version: number; readonly tables: readonly TableEntry[] } | null;
  readonly contents: Contents;
}

/** The file in a backup with the database, the configuration, scripts, icons and media. */
export const STATE_FILE = 'state.db';

/** The names of backups: `20261123t031500z`. They sort by time. */
export const INDEX_NAME = /^\d{8}t\d{6}z$/;

export const indexName = (madeMs: number): string =>
  `${new Date(madeMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').toLowerCase()}z`;

/** When a backup with this name was made, unix milliseconds. */
export const indexMs = (name: string): number =>
  Date.parse(name.replace(/^(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)z$/, '$1-$2-$3T$4:$5:$6Z'));

const CHUNK = /^[0-9a-f]{64}$/;
/** What is restored next to the state; nothing points outside the data directory. */
const PATH = /^(?:state\.db|(?:tls\/)?[a-z][a-z0-9-]*\.(?:pem|json))$/;

/** Reads an index that was decrypted. Throws `BACKUP_DAMAGED`. */
export function parseIndex(name: string, text: string): BackupIndex {
  let index: BackupIndex;
  try {
    index = JSON.parse(text) as BackupIndex;
  } catch {
    // It is authenticated: only another program can have written it.
    throw fault('BACKUP_DAMAGED', coded`INDEX_INVALID: the index of ${name} is not valid`);
  }
  const isValid =
    index.format === 1 &&
    index.files.every(({ path, chunks }) => PATH.test(path) && chunks.every((id) => CHUNK.test(id))) &&
    (index.archive?.tables ?? []).every(({ chunks }) => chunks.every((id) => CHUNK.test(id)));
  if (!isValid) throw fault('BACKUP_DAMAGED', coded`INDEX_INVALID: the index of ${name} is not valid`);
  if (index.name !== name)
    throw fault('BACKUP_DAMAGED', coded`INDEX_RENAMED: the index of ${name} belongs to ${index.name}`);
  return index;
}

/** All chunks of a backup. */
export function* chunksOf({ files, archive }: BackupIndex): Generator<string> {
  for (const { chunks } of [...files, ...(archive?.tables ?? [])]) yield* chunks;
}
