import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordOf, type TextRecord } from '../base/codes/coded-text.js';
import { readArchive } from './archive-rows.js';
import { indexName, STATE_FILE, type BackupIndex, type FileEntry, type TableEntry } from './backup-index.js';
import { treeContents } from './contents.js';
import type { JobProgress } from './job-progress.js';
import type { Repository } from './repository.js';
import { prune, type Retention } from './retention.js';

/** Maximum size of a chunk of a file, bytes. */
const CHUNK_BYTES = 256 * 1024;

/** What an upload did. */
export interface UploadReport {
  readonly name: string;
  /** Bytes that were stored; the target had the rest already. */
  readonly storedBytes: number;
  readonly storedChunks: number;
  readonly chunks: number;
  readonly deletedBackups: number;
  /** What is wrong with another backup on the target; null if nothing is known. */
  readonly problem: TextRecord | null;
}

interface UploadOptions {
  /** The data directory. */
  readonly directory: string;
  /** The backup with the database and the files next to it. */
  readonly state: string;
  readonly version: string;
  readonly nowMs: number;
  readonly retention: Retention;
  readonly progress: JobProgress;
}

/**
 * Stores the chunks that the target does not have yet, reads them back, and then stores the index. Afterwards
 * deletes the backups that `retention` does not keep. If it ends early, there is no new backup, and the next upload
 * uses the chunks that it has stored.
 */
export async function uploadBackup(repository: Repository, options: UploadOptions): Promise<UploadReport> {
  const { directory, state, version, nowMs, retention, progress } = options;
  const present = await repository.chunks();
  let storedBytes = 0;
  let storedChunks = 0;
  let chunks = 0;
  using archive = readArchive(directory);
  const estimate = totalBytes(directory, state);
  let doneBytes = 0;
  const store = async (content: Uint8Array): Promise<string> => {
    const id = repository.chunkId(content);
    chunks++;
    if (!present.has(id)) {
      storedBytes += await repository.putChunk(id, content);
      storedChunks++;
      present.add(id);
    }
    doneBytes += content.length;
    await progress.report(Math.min(doneBytes, estimate), estimate);
    return id;
  };
  const files: FileEntry[] = [];
  for (const [path, from] of filesOf(directory, state)) files.push(await storeFile(path, from, store));
  const tables: TableEntry[] = [];
  for (const table of archive?.tables ?? []) {
    const ids: string[] = [];
    let rows = 0;
    for (const group of archive?.groups(table) ?? []) {
      ids.push(await store(Buffer.from(group.text)));
      rows += group.rows;
    }
    tables.push({ table, rows, chunks: ids });
  }
  const index: BackupIndex = {
    format: 1,
    name: indexName(nowMs),
    madeMs: nowMs,
    version,
    files,
    archive: archive === undefined ? null : { version: archive.version, tables },
    contents: { ...treeContents(state), archiveRecords: archive?.records ?? 0 },
  };
  await repository.putIndex(index);
  const { backups, problem } = await prune(repository, { retention, present, stored: index.name });
  await progress.report(estimate, estimate);
  return {
    name: index.name,
    storedBytes,
    storedChunks,
    chunks,
    deletedBackups: backups,
    problem: problem === undefined ? null : recordOf(problem),
  };
}

/** The state, and the keys and certificates that identify the gateway to others: path in the backup → file. */
function filesOf(directory: string, state: string): Map<string, string> {
  const tls = join(directory, 'tls');
  const names = existsSync(tls) ? readdirSync(tls).filter((name) => /^[a-z][a-z0-9-]*\.pem$/.test(name)) : [];
  return new Map([
    [STATE_FILE, state],
    ...['push-key.pem', ...names.sort().map((name) => `tls/${name}`)]
      .map((path) => [path, join(directory, path)] as const)
      .filter(([, file]) => existsSync(file)),
  ]);
}

async function storeFile(
  path: string,
  file: string,
  store: (content: Uint8Array) => Promise<string>,
): Promise<FileEntry> {
  const { size } = statSync(file);
  if (size <= CHUNK_BYTES) return { path, bytes: size, chunks: [await store(readFileSync(file))] };
  const descriptor = openSync(file, 'r');
  try {
    const chunks: string[] = [];
    for (let at = 0; at < size; at += CHUNK_BYTES) {
      const content = Buffer.alloc(Math.min(CHUNK_BYTES, size - at));
      readSync(descriptor, content, { position: at });
      chunks.push(await store(content));
    }
    return { path, bytes: size, chunks };
  } finally {
    closeSync(descriptor);
  }
}

/** An estimate for the progress: the archive grows while it is read, and its rows are longer as texts. */
function totalBytes(directory: string, state: string): number {
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size(state) + size(join(directory, 'archive.db'));
}
