import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Nobody else needs to read what clients published. */
const DIRECTORY_MODE = 0o700;

/** Creates the directories, and removes what belongs to none of these instances from them. */
export async function removeOtherDirectories(
  directories: readonly string[],
  names: ReadonlySet<string>,
): Promise<void> {
  for (const directory of directories) {
    await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
    for (const name of await readdir(directory))
      if (!names.has(name)) await rm(join(directory, name), { recursive: true, force: true });
  }
}
