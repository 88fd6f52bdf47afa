import type { Text } from '../base/codes/coded-text.js';
import { codedMessageOf, Fault } from '../base/fault.js';

/** The faults whose only parameter is the reason. */
const WITH_REASON = new Set([
  'BACKUP_TARGET_FAILED',
  'BACKUP_DAMAGED',
  'RECOVERY_KEY_WRONG',
  'STORE_UNUSABLE',
]);

/** Why a backup failed, without the fault around the reason. */
export function reasonOf(thrown: unknown): Text {
  const [reason] = thrown instanceof Fault && WITH_REASON.has(thrown.code) ? (thrown.parameters ?? []) : [];
  return typeof reason === 'string' || (typeof reason === 'object' && 'code' in reason)
    ? reason
    : codedMessageOf(thrown);
}
