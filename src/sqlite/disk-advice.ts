import { coded, type CodedText } from '../base/codes/coded-text.js';
import { sqliteCode } from './connection.js';
import { WorkerError } from './worker-client.js';

/** Whether a worker failed because its database is damaged. */
export function isDatabaseDamaged(failure: unknown): boolean {
  const { corrupt, notADatabase } = sqliteCode;
  return failure instanceof WorkerError && [corrupt, notADatabase].some((code) => code === failure.sqlite);
}

/** What the owner can do about a disk or a database that rejects writes; for health findings. */
export function diskAdvice(failure: unknown): CodedText {
  const sqlite = failure instanceof WorkerError ? failure.sqlite : undefined;
  switch (sqlite) {
    case sqliteCode.full:
      return coded`DISK_FULL: the disk is full: free some space; the gateway retries by itself`;
    case sqliteCode.readOnly:
    case sqliteCode.cannotOpen:
      return coded`DIRECTORY_NOT_WRITABLE: the data directory cannot be written to: check whether the disk is mounted read-only (dmesg says why) and who owns the directory; the gateway retries by itself`;
    case sqliteCode.ioError:
      return coded`DISK_FULL_OR_FAILING: the disk is full (df shows it) or failing (dmesg shows it): free some space, or restore a backup onto another disk; the gateway retries by itself`;
    case sqliteCode.corrupt:
    case sqliteCode.notADatabase:
      return coded`RESTART_AFTER_DAMAGE: the database is damaged: restart the gateway, which then uses the newest intact backup`;
    default:
      return coded`SEE_LOG: see the log; the gateway retries by itself`;
  }
}
