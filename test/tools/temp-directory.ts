import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new empty directory that is deleted, with its content, when the test ends. */
export async function tempDirectory(t: { teardown(end: () => Promise<void>): void }): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}
