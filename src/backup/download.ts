import {
  closeSync,
  existsSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { coded } from '../base/codes/coded-text.js';
import { codeOf, fault } from '../base/fault.js';
import { databasePath } from '../store/data-directory.js';
import { restoreBackup } from '../store/restore.js';
import { archivePath, ArchiveWriter, readArchive } from './archive-rows.js';
import { chunksOf, STATE_FILE, type BackupIndex, type Contents } from './backup-index.js';
import { treeContents } from './contents.js';
import type { JobProgress } from './job-progress.js';
import type { Repository } from './repository.js';

/** A backup that was fetched completely. */
interface FetchedBackup {
  readonly index: BackupIndex;
  /** The backup of the database, and what belongs in the data directory next to it: file → path there. */
  readonly state: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Fetches a backup into a folder, which must not exist. Nothing else is changed. */
export async function fetchBackup(
  repository: Repository,
  name: string,
  { folder, progress }: { readonly folder: string; readonly progress: JobProgress },
): Promise<FetchedBackup> {
  const index = await repository.index(name);
  const total = index.files.reduce((sum, { chunks }) => sum + chunks.length, 0) + tableChunks(index);
  let done = 0;
  const next = async (id: string) => {
    await progress.report(done++, total);
    return repository.chunk(id);
  };
  const files: Record<string, string> = {};
  for (const { path, bytes, chunks } of index.files) {
    const file = join(folder, path);
    if (path !== STATE_FILE) files[file] = path;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(file, 'wx', 0o600);
    try {
      let written = 0;
      for (const id of chunks) written += writeSync(descriptor, await next(id));
      if (written !== bytes) throw fault('BACKUP_DAMAGED', coded`FILE_LENGTH: ${path} has another length`);
      // A restore counts the changes since the backup was made from the time of its file.
      if (path === STATE_FILE) futimesSync(descriptor, index.madeMs / 1000, index.madeMs / 1000);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
  if (index.archive !== null) {
    const path = archivePath(folder);
    files[path] = 'archive.db';
    using writer = new ArchiveWriter(path, index.archive.version);
    for (const { table, rows, chunks } of index.archive.tables) {
      let added = 0;
      for (const id of chunks) added += writer.add(table, (await next(id)).toString('utf8'));
      if (added !== rows)
        throw fault('BACKUP_DAMAGED', coded`TABLE_ROWS: ${table} has ${added} rows, not ${rows}`);
    }
  }
  await progress.report(total, total);
  return { index, state: join(folder, STATE_FILE), files };
}

const tableChunks = ({ archive }: BackupIndex): number =>
  (archive?.tables ?? []).reduce((sum, { chunks }) => sum + chunks.length, 0);

/**
 * Fetches a backup, restores it into a scratch directory, and compares what is there with what the backup
 * says. Removes the scratch directory. Rejects with `BACKUP_DAMAGED` if anything differs, and then deletes the
 * damaged chunks on the target: the next upload stores them again.
 */
export async function verifyBackup(
  repository: Repository,
  name: string,
  {
    scratch,
    nowMs,
    progress,
  }: { readonly scratch: string; readonly nowMs: number; readonly progress: JobProgress },
): Promise<Contents> {
  rmSync(scratch, { recursive: true, force: true });
  try {
    const { index, state, files } = await fetchBackup(repository, name, {
      folder: join(scratch, 'fetched'),
      progress,
    });
    const directory = join(scratch, 'gateway');
    restoreBackup({
      backup: state,
      directory,
      config: join(scratch, 'gateway.yaml'),
      replace: false,
      nowMs,
      files,
    });
    const found = contentsOf(directory);
    for (const what of ['objects', 'values', 'archiveRecords', 'treeDigest'] as const)
      if (found[what] !== index.contents[what])
        throw fault(
          'BACKUP_DAMAGED',
          coded`CONTENTS_DIFFER: ${what} is ${found[what]} after a restore, not ${index.contents[what]}`,
        );
    return found;
  } catch (thrown) {
    if (codeOf(thrown) === 'BACKUP_DAMAGED') await deleteDamaged(repository, name, progress);
    throw thrown;
  } finally {
    if (existsSync(scratch)) rmSync(scratch, { recursive: true, force: true });
  }
}

async function deleteDamaged(repository: Repository, name: string, progress: JobProgress): Promise<void> {
  const ids = new Set(chunksOf(await repository.index(name)));
  let done = 0;
  for (const id of ids) {
    await progress.report(done++, ids.size);
    await repository.deleteIfDamaged(id);
  }
}

/** What a data directory that no gateway uses contains. */
function contentsOf(directory: string): Contents {
  using archive = readArchive(directory);
  return { ...treeContents(databasePath(directory)), archiveRecords: archive?.records ?? 0 };
}
