import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecoveryKey } from '../../backup/recovery-key.js';
import { writeFileAtomically } from '../../base/atomic-write.js';
import { codeOf } from '../../base/fault.js';

/** The file of the data directory with the recovery key. It is in no backup: its owner has the key. */
const pathIn = (directory: string): string => join(directory, 'recovery-key');

/** The key of a gateway; undefined if none was created. Throws `RECOVERY_KEY_WRONG` if its file is damaged. */
export async function readRecoveryKey(directory: string): Promise<RecoveryKey | undefined> {
  try {
    return RecoveryKey.parse(await readFile(pathIn(directory), 'utf8'));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Keeps the key of a gateway. */
export async function writeRecoveryKey(directory: string, key: RecoveryKey): Promise<void> {
  await writeFileAtomically(pathIn(directory), `${key.toText()}\n`, 0o600);
}
