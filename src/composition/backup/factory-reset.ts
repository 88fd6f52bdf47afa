import { logKind } from '../../base/codes/log-kinds.js';
import { existsSync } from 'node:fs';
import { readFile, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, parseDocument, stringify } from 'yaml';
import { syncDirectory, writeFileAtomically } from '../../base/atomic-write.js';
import { messageOf } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import { boardNameIn } from '../../config/board.js';
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
    const text = await keptOf(source);
    const path = await restoredConfigPath(source, directory);
    using _lock = lockDirectory(directory);
    // First: whatever ends the deletion, there is a configuration, and the owner's password is not in it.
    await writeFileAtomically(path, text, 0o600);
    const [root, config] = await Promise.all([realpath(directory), realpath(path)]);
    for (const one of (await readdir(root)).filter((name) => !KEPT_FILES.test(name)))
      if (join(root, one) !== config) await rm(join(root, one), { recursive: true, force: true });
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

/**
 * The configuration without the owner. Of a file with errors only the board is read, because it is uncertain where
 * its other values belong; if that is an overlay, the others are those of the installed file.
 */
async function keptOf({ file, given }: ConfigSource): Promise<string> {
  const text = await readFile(file, 'utf8');
  try {
    return withoutOwner(text);
  } catch {
    // Nothing is kept of an installed file that has errors, too, or does not exist.
    const installed = await readFile(given, 'utf8')
      .then(withoutOwner)
      .catch(() => '');
    const document = parseDocument(installed);
    document.set('board', boardIn(text) ?? document.get('board') ?? 'auto');
    return document.toString({ lineWidth: 0 });
  }
}

function boardIn(text: string): string | undefined {
  try {
    return boardNameIn(text);
  } catch {
    return undefined;
  }
}

/** Throws if the text is not YAML with keys. */
function withoutOwner(text: string): string {
  const document = parseDocument(text);
  const { contents, errors } = document;
  if (errors[0] !== undefined) throw errors[0];
  if (contents !== null && !isMap(contents)) throw new Error('the configuration has no keys');
  const entries = Object.entries((document.toJS() ?? {}) as object);
  try {
    for (const [key] of entries) if (!KEPT.has(key)) document.delete(key);
    return document.toString({ lineWidth: 0 });
  } catch {
    // A kept value is an alias of a deleted one.
    return stringify(Object.fromEntries(entries.filter(([key]) => KEPT.has(key))), { lineWidth: 0 });
  }
}
