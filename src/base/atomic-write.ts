import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file atomically and durably: a reader, or a power cut, finds either the old or the new content. A
 * symbolic link at the path, or at `<path>.new`, is replaced and not followed. Calls for the same file must
 * not overlap. Rejects with the system error; the old file remains. `like` are the attributes of another file:
 * they are kept, whatever the umask is, as far as this process may set them.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  like: number | { readonly mode: number; readonly uid: number; readonly gid: number } = 0o640,
): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  try {
    const file = await open(temporary, 'wx', typeof like === 'number' ? like : 0o600);
    try {
      await file.writeFile(content);
      if (typeof like === 'object') {
        // Only root may: for others the file is theirs.
        await file.chown(like.uid, like.gid).catch(() => undefined);
        await file.chmod(like.mode & 0o777);
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
