import { logKind } from '../../base/codes/log-kinds.js';
import { existsSync } from 'node:fs';
import { readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { syncDirectory, writeFileAtomically } from '../../base/atomic-write.js';
import { messageOf } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import type { ConfigSource } from '../../config/config-source.js';
import { lockDirectory } from '../../store/directory-lock.js';
import { restoredConfigPath } from './pending-restore.js';

/** The file that makes the next start reset the gateway; it contains who requested that. */
const markerIn = (directory: string): string => join(directory, 'factory-reset');

/** The file that says that the board's line has reset the gateway, and was not released since. */
export const RESET_LINE_FILE = 'reset-by-line';

/** Removed last, in use meanwhile, or needed by the next start. */
const KEPT_FILES = /^(?:factory-reset|reset-by-line|stellwerk\.lock.*)$/;

/** What a reset keeps of the configuration: how the gateway is reached, and on which board it runs. */
const KEPT = new Set(['board', 'name', 'api', 'webServers', 'changes', 'store', 'log']);

/** Makes the next start reset the gateway. If the line requests it, {@link RESET_LINE_FILE} is there afterwards. */
export async function requestReset(directory: string, by: 'owner' | 'line'): Promise<void> {
  await writeFileAtomically(markerIn(directory), by, 0o600);
}

/**
 * Deletes everything in the data directory if that was requested, and what the configuration has of the owner.
 * A reset that is interrupted is continued at the next start. Does not reject.
 */
export async function resetAtStart(
  directory: string,
  { source, log }: { readonly source: ConfigSource; readonly log: Log },
): Promise<void> {
  const marker = markerIn(directory);
  if (!existsSync(marker)) return;
  try {
    const isByLine = (await readFile(marker, 'utf8')) === 'line';
    const text = await readFile(source.file, 'utf8');
    const path = await restoredConfigPath(source, directory);
    using _lock = lockDirectory(directory);
    for (const name of await readdir(directory))
      if (!KEPT_FILES.test(name)) await rm(join(directory, name), { recursive: true, force: true });
    await writeFileAtomically(path, withoutOwner(text), 0o600);
    // One step: after a power cut the line has reset the gateway, or the next start continues that.
    if (isByLine) await rename(marker, join(directory, RESET_LINE_FILE));
    else await rm(marker);
    await syncDirectory(directory);
    log.info(
      { kind: logKind.factoryReset },
      'the gateway was reset: all data was deleted, and it has no owner',
    );
  } catch (thrown) {
    log.error({}, `the gateway was not reset completely: ${messageOf(thrown)}`);
  }
}

function withoutOwner(text: string): string {
  const document = parseDocument(text);
  const keys = Object.keys((document.toJS() ?? {}) as object);
  for (const key of keys) if (!KEPT.has(key)) document.delete(key);
  return document.toString({ lineWidth: 0 });
}
