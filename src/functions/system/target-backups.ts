import { array, declare, optional, text, type FunctionDeclaration } from '../../device/declare.js';
import { checkedMap, requirePassword } from '../argument-checks.js';
import * as shapes from '../target-shapes.js';
import type { Ports } from '../ports.js';
import { listOf, record } from '../shapes.js';

/** Encrypted backups on other machines. */
export function targetBackupFunctions({ targetBackups, tasks }: Ports): FunctionDeclaration[] {
  const named = [text('Target'), optional(text('Name'))] as const;
  return [
    declare({
      name: 'GW_GetBackupTargets',
      parameters: [],
      result: 'array',
      shape: shapes.targetList,
      help: 'The targets of encrypted backups with their state, and the id of the recovery key; empty if there is none.',
      run: async () => (await targetBackups()).list(),
    }),
    declare({
      name: 'GW_CreateRecoveryKey',
      parameters: [],
      result: 'array',
      shape: shapes.recoveryKey,
      audited: true,
      confirmed: true,
      help: 'Creates the key of encrypted backups and returns it only this once. Backups of an earlier key stay, and need that key.',
      run: async (caller) => {
        requirePassword(caller, 'Creating a recovery key');
        return (await targetBackups()).createKey();
      },
    }),
    declare({
      name: 'GW_TestBackupTarget',
      parameters: [array('Target', record)],
      result: 'boolean',
      audited: true,
      auditParameters: (target: unknown) => [nameIn(target)],
      confirmed: true,
      help: 'Writes a small file on a target, reads it back and deletes it. Target is an entry of backup.targets that need not be stored; *** stands for the stored secret of the target with the same name. The error says what is wrong.',
      run: async (caller, given) => {
        requirePassword(caller, 'Testing a target of backups');
        const target = checkedMap(given, 'Target');
        return tasks.run('backup', caller.user, async (progress) =>
          (await targetBackups()).test(target, progress),
        );
      },
    }),
    declare({
      name: 'GW_GetTargetBackups',
      parameters: [text('Target')],
      result: 'array',
      shape: listOf(shapes.targetBackup),
      help: 'The encrypted backups on a target, newest first.',
      run: async ({ user }, target) =>
        tasks.run('backup', user, async (progress) => (await targetBackups()).backups(target, progress)),
    }),
    declare({
      name: 'GW_RunTargetBackup',
      parameters: [text('Target')],
      result: 'array',
      shape: shapes.storedBackup,
      audited: true,
      help: 'Stores a backup on a target now, reads back what is new, and deletes backups that are not kept.',
      run: async ({ user }, target) =>
        tasks.run('backup', user, async (progress) => (await targetBackups()).run(target, progress)),
    }),
    declare({
      name: 'GW_VerifyTargetBackup',
      parameters: named,
      result: 'array',
      shape: shapes.verifiedBackup,
      audited: true,
      help: 'Restores a backup of a target, by default the newest, into a scratch directory and compares what is there with what was stored.',
      run: async ({ user }, target, name) =>
        tasks.run('backup', user, async (progress) =>
          (await targetBackups()).verify(target, name ?? '', progress),
        ),
    }),
    declare({
      name: 'GW_RestoreTargetBackup',
      parameters: named,
      result: 'string',
      audited: true,
      confirmed: true,
      help: 'Fetches a backup of a target, by default the newest, and restores it at the next start, with records and certificates. Returns its name in GW_GetBackups; GW_RestoreBackup with an empty name cancels it.',
      run: async (caller, target, name) => {
        requirePassword(caller, 'Restoring a backup');
        return tasks.run('backup', caller.user, async (progress) =>
          (await targetBackups()).restore(target, name ?? '', progress),
        );
      },
    }),
  ];
}

/** The name of a target, for the audit: its other members may be secrets. */
function nameIn(target: unknown): string {
  const name = typeof target === 'object' && target !== null && 'name' in target ? target.name : '';
  return typeof name === 'string' ? name : '';
}
