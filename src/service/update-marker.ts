import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Put into the runtime directory by the installer, just before it restarts the service over another version.
 */
const FILE = 'updating';

/** The service has started, so no update is under way any more; tells whether one is by the time it stops. */
export function trackUpdate(runtimeDirectory: string): () => boolean {
  const file = join(runtimeDirectory, FILE);
  rmSync(file, { force: true });
  return () => existsSync(file);
}
