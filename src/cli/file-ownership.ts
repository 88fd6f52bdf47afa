import { chmodSync, chownSync, lchownSync, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Commands that root runs create files that the service's user must read and write. These functions give such
 * files to the owner of the directory; for other users they do nothing.
 */
function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Gives a file to the owner of its directory, if there is such a file. */
export function chownFile(file: string): void {
  if (!isRoot() || !existsSync(file)) return;
  const { uid, gid } = statSync(dirname(file));
  lchownSync(file, uid, gid);
}

/** Gives the contents of a data directory to the directory's owner. */
export function chownBelow(directory: string): void {
  if (!isRoot()) return;
  const { uid, gid } = statSync(directory);
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(directory, name), uid, gid);
}

/**
 * Makes a configuration readable by the group of its directory if others cannot enter the directory
 * (`/etc/stellwerk` is `root:stellwerk` 0750); otherwise only its owner can read it.
 */
export function chownConfig(file: string): void {
  const { uid, gid, mode } = statSync(dirname(file));
  if (!isRoot() || !existsSync(file)) return;
  const isForGroup = uid === 0 && gid !== 0 && (mode & 0o057) === 0o050;
  chownSync(file, uid, gid);
  chmodSync(file, isForGroup ? 0o640 : 0o600);
}
