import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../base/atomic-write.js';
import { messageOf } from '../base/fault.js';
import type { HealthFinding } from '../base/health-check.js';
import type { Log } from '../base/log.js';
import { overlayPath, type ConfigSource } from '../config/config-source.js';
import { BACKUP_NAME } from '../store/backup-list.js';
import { isWritable } from './configuration-file.js';

/** The name of the backup that the next start restores. */
const markerIn = (directory: string): string => join(directory, 'restore-at-start');

/** The backup that the next start restores; undefined if there is none. */
export async function pendingRestore(directory: string): Promise<string | undefined> {
  const name = await readFile(markerIn(directory), 'utf8').catch(() => '');
  return BACKUP_NAME.test(name.trim()) ? name.trim() : undefined;
}

/** Lets the next start restore a backup; undefined cancels that. */
export async function setPendingRestore(directory: string, name: string | undefined): Promise<void> {
  if (name === undefined) await rm(markerIn(directory), { force: true });
  else await writeFileAtomically(markerIn(directory), `${name}\n`, 0o600);
}

/** Where a restored configuration goes: to the file that the gateway reads, or over it if that is read-only. */
export async function restoredConfigPath(source: ConfigSource, directory: string): Promise<string> {
  return source.isOverlay || (await isWritable(source.file)) ? source.file : overlayPath(directory);
}

/**
 * Restores the backup that was chosen for this start, before anything is opened. It is tried once: a failure
 * leaves everything as it was, and is the returned finding. Does not reject.
 */
export async function restoreAtStart(
  directory: string,
  { source, nowMs, log }: { readonly source: ConfigSource; readonly nowMs: number; readonly log: Log },
): Promise<HealthFinding | undefined> {
  const name = await pendingRestore(directory);
  if (name === undefined) return undefined;
  try {
    const { restoreBackup } = await import('../store/restore.js');
    const done = restoreBackup({
      backup: join(directory, 'backups', name),
      directory,
      config: await restoredConfigPath(source, directory),
      replace: true,
      nowMs,
    });
    log.info({ done }, `the backup ${name} was restored`);
    return { state: 'ok', text: `${name} was restored at the start`, whatToDo: '' };
  } catch (thrown) {
    log.error({}, `the backup ${name} was not restored: ${messageOf(thrown)}`);
    const text = `${name} was not restored: ${messageOf(thrown)}`;
    return { state: 'failed', text, whatToDo: 'choose another backup, or use stellwerk restore' };
  } finally {
    await setPendingRestore(directory, undefined).catch((thrown: unknown) =>
      log.error({}, `restore-at-start cannot be removed: ${messageOf(thrown)}`),
    );
  }
}
