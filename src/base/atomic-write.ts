import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Puts a file in place whole, durably: a reader, and a power cut, finds the old one or the new one. A link that stands
 * there, or where it is written first (`<path>.new`), is replaced and not followed. Two calls for one file must not meet.
 * Rejects with the kernel's error; the old file is there then.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  mode = 0o640,
): Promise<void> {
  const beside = `${path}.new`;
  await rm(beside, { force: true });
  try {
    const file = await open(beside, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (thrown) {
    // A disk that is full needs its space.
    await rm(beside, { force: true }).catch(() => undefined);
    throw thrown;
  }
  await syncDirectory(dirname(path));
}

/** Makes the names in a directory outlive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
