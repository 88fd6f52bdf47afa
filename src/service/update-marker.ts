import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Put into the runtime directory by the installer, just before it restarts the service over another version.
 */
const FILE = 'updating';

/**
 * Clears the marker of a completed update; the result says whether an update is in progress when the service
 * stops.
 */
export function trackUpdate(runtimeDirectory: string): () => boolean {
  const file = join(runtimeDirectory, FILE);
  rmSync(file, { force: true });
  return () => existsSync(file);
}
