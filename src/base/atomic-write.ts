import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file atomically and durably: a reader, or a power cut, finds either the old or the new content. A
 * symbolic link at the path, or at `<path>.new`, is replaced and not followed. Calls for the same file must
 * not overlap. Rejects with the system error; the old file remains. With `owner` the mode is set despite the
 * umask, and the file gets that owner, as far as this process may change it.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  mode = 0o640,
  owner?: { readonly uid: number; readonly gid: number },
): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(content);
      if (owner !== undefined) {
        await file.chmod(mode & 0o777);
        // Only root may: for others the file is theirs.
        await file.chown(owner.uid, owner.gid).catch(() => undefined);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    // Frees its space; the error that is thrown says what went wrong.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw thrown;
  }
  await syncDirectory(dirname(path));
}

/** Makes renames and new files in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
