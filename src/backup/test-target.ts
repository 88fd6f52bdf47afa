import { randomBytes } from 'node:crypto';
import { coded } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';
import type { BackupTarget } from './targets/backup-target.js';

/** The test lists it, and never creates it: not every target can delete a folder. */
const FOLDER = 'connection-test';
/** Length of the content, bytes. */
const CONTENT_BYTES = 1024;

/** Lists, writes, reads back and deletes a small file. Rejects with `BACKUP_TARGET_FAILED`. */
export async function testTarget(target: BackupTarget): Promise<boolean> {
  const content = randomBytes(CONTENT_BYTES);
  // Another test may be in progress.
  const path = `${FOLDER}-${content.toString('hex', 0, 8)}`;
  await target.list(FOLDER);
  await target.put(path, content);
  const stored = await target.get(path);
  await target.delete(path);
  if (stored?.equals(content) !== true)
    throw fault('BACKUP_TARGET_FAILED', coded`NOT_AS_WRITTEN: ${path} was read back with different content`);
  return true;
}
