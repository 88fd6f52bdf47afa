import { chmodSync, chownSync, lchownSync, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Root's commands work on what the service's own user has to read and write: files that root has made go to
 * whom the folder belongs. Nothing is done for other users: their files are their own.
 */
function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Gives a data directory's contents to whoever has the directory. */
export function chownBelow(directory: string): void {
  if (!isRoot()) return;
  const { uid, gid } = statSync(directory);
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(directory, name), uid, gid);
}

/**
 * Lets those who may enter a configuration's folder by its group read the configuration too, where nobody
 * else may enter (`/etc/stellwerk` is `root:stellwerk` 0750); else it stays for its owner alone.
 */
export function chownConfig(file: string): void {
  const { uid, gid, mode } = statSync(dirname(file));
  if (!isRoot() || !existsSync(file)) return;
  const isForGroup = uid === 0 && gid !== 0 && (mode & 0o057) === 0o050;
  chownSync(file, uid, gid);
  chmodSync(file, isForGroup ? 0o640 : 0o600);
}
