import { logKind } from '../../base/codes/log-kinds.js';
import { coded } from '../../base/codes/coded-text.js';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, readdir, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { syncDirectory, writeFileAtomically } from '../../base/atomic-write.js';
import { messageOf, codedMessageOf } from '../../base/fault.js';
import type { HealthFinding } from '../../base/health-check.js';
import type { Log } from '../../base/log.js';
import { overlayPath, type ConfigSource } from '../../config/config-source.js';
import { makeDirectory } from '../../sqlite/database-files.js';
import { BACKUP_NAME } from '../../store/backup-list.js';
import { RESTORE_STAGING, stagingIn } from '../../store/restore-journal.js';
import { isWritable } from '../configuration-file.js';

/** The file with the name of the backup that the next start restores. */
const markerIn = (directory: string): string => join(directory, 'restore-at-start');

/** The folder with what a backup of a target has in addition: certificates, keys, the archive. */
const filesIn = (directory: string): string => join(directory, 'restore-files');

/** The backup that the next start restores; undefined if there is none. */
export async function pendingRestore(directory: string): Promise<string | undefined> {
  const name = await readFile(markerIn(directory), 'utf8').catch(() => '');
  return BACKUP_NAME.test(name.trim()) ? name.trim() : undefined;
}

/** Makes the next start restore a backup; undefined cancels that. */
export async function setPendingRestore(directory: string, name: string | undefined): Promise<void> {
  await rm(filesIn(directory), { recursive: true, force: true });
  if (name === undefined) await rm(markerIn(directory), { force: true });
  else await markPending(directory, name);
}

const markPending = (directory: string, name: string): Promise<void> =>
  writeFileAtomically(markerIn(directory), `${name}\n`, 0o600);

/** The beginning of the names of backups that were fetched from a target. */
const FETCHED = 'upload-target-';

/**
 * Makes the next start restore a backup that was fetched into a folder of the data directory; returns its
 * name. Replaces one that was fetched before.
 */
export async function placeFetched(
  directory: string,
  { name, state, folder }: { readonly name: string; readonly state: string; readonly folder: string },
): Promise<string> {
  const backups = join(directory, 'backups');
  makeDirectory(backups, 0o700);
  for (const old of await readdir(backups))
    if (old.startsWith(FETCHED)) await rm(join(backups, old), { force: true });
  const file = `${FETCHED}${name}.db`;
  await rename(state, join(backups, file));
  await syncDirectory(backups);
  await setPendingRestore(directory, undefined);
  await syncDirectory(directory);
  await rename(folder, filesIn(directory));
  await syncDirectory(directory);
  // Last: a power cut before it restores nothing, instead of a backup without its files.
  await markPending(directory, file);
  return file;
}

/** The files that belong to the pending backup: file → path in the data directory. */
function pendingFiles(directory: string): Record<string, string> {
  const folder = filesIn(directory);
  if (!existsSync(folder)) return {};
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    found.map((entry) => join(entry.parentPath, entry.name)).map((file) => [file, relative(folder, file)]),
  );
}

/**
 * Where a restored configuration goes: to the file that the gateway reads, or over it if that is read-only.
 */
export async function restoredConfigPath(source: ConfigSource, directory: string): Promise<string> {
  return source.isOverlay || (await isWritable(source.file)) ? source.file : overlayPath(directory);
}

/**
 * Completes an interrupted restore, or restores the backup that was chosen for this start, before anything is
 * opened. There is one attempt for a chosen backup: if it fails, everything stays as it was, and the returned
 * finding has the reason. Does not reject.
 */
export async function restoreAtStart(
  directory: string,
  { source, nowMs, log }: { readonly source: ConfigSource; readonly nowMs: number; readonly log: Log },
): Promise<HealthFinding | undefined> {
  const chosen = await pendingRestore(directory);
  // A power cut leaves what was fetched to restore or to verify it.
  for (const left of ['restore.new', 'verify.new', ...(chosen === undefined ? ['restore-files'] : [])])
    await rm(join(directory, left), { recursive: true, force: true }).catch((thrown: unknown) =>
      log.warn({}, `${left} cannot be removed: ${messageOf(thrown)}`),
    );
  if (chosen === undefined && !existsSync(stagingIn(directory))) return undefined;
  const name = chosen ?? RESTORE_STAGING;
  try {
    const { completeRestore, restoreBackup, RESTORE_STEPS } = await import('../../store/restore.js');
    const config = await restoredConfigPath(source, directory);
    const restored =
      completeRestore(directory, config) ??
      (chosen &&
        restoreBackup({
          backup: join(directory, 'backups', chosen),
          directory,
          config,
          replace: true,
          files: pendingFiles(directory),
          nowMs,
          onProgress: (step, steps) =>
            log.info({}, `restoring ${chosen}: ${RESTORE_STEPS[step] ?? ''} (${step + 1} of ${steps})`),
        }));
    if (restored === undefined) return undefined;
    log.info({ kind: logKind.backupRestored, restored }, `the backup ${name} was restored`);
    return { state: 'ok', text: coded`RESTORED_START: ${name} was restored at the start`, whatToDo: '' };
  } catch (thrown) {
    log.error({}, `the backup ${name} was not restored: ${messageOf(thrown)}`);
    const text = coded`NOT_RESTORED: ${name} was not restored: ${codedMessageOf(thrown)}`;
    return {
      state: 'failed',
      text,
      whatToDo: coded`CHOOSE_ANOTHER_BACKUP_USE: choose another backup, or use stellwerk restore`,
    };
  } finally {
    await setPendingRestore(directory, undefined).catch((thrown: unknown) =>
      log.error({}, `restore-at-start cannot be removed: ${messageOf(thrown)}`),
    );
  }
}
