import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The installer creates this file in the runtime directory just before it restarts the service with another
 * version.
 */
const FILE = 'updating';

/**
 * Removes the marker of a completed update. Returns a function that returns whether an update is in progress,
 * to be called when the service stops.
 */
export function trackUpdate(runtimeDirectory: string): () => boolean {
  const file = join(runtimeDirectory, FILE);
  rmSync(file, { force: true });
  return () => existsSync(file);
}
