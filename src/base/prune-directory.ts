import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Creates a directory if it is missing, and removes everything in it that has another name. */
export async function pruneDirectory(
  directory: string,
  { names, mode }: { readonly names: ReadonlySet<string>; readonly mode: number },
): Promise<void> {
  await mkdir(directory, { recursive: true, mode });
  for (const name of await readdir(directory))
    if (!names.has(name)) await rm(join(directory, name), { recursive: true, force: true });
}
