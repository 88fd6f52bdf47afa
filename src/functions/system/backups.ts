import { declare, text, type FunctionDeclaration } from '../../device/declare.js';
import { fault } from '../../base/fault.js';
import { requirePassword } from '../argument-checks.js';
import { backupRecord, restoreReport } from '../backup-shapes.js';
import type { Ports } from '../ports.js';
import { listOf } from '../shapes.js';

/** What the caller of a factory reset must give. */
const RESET = 'RESET';
/** The reply is sent before the gateway ends. */
const STOP_AFTER_MS = 100;
/** What fits on a line, characters. */
const NOTE_LIMIT = 200;

/** The backups in the data directory. */
export function backupFunctions({ backups, tasks, system, clock }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetBackups',
      parameters: [],
      result: 'array',
      shape: listOf(backupRecord),
      help: 'The backups in the data directory, newest first.',
      run: async () => (await backups()).list(),
    }),
    declare({
      name: 'GW_MakeBackup',
      parameters: [text('Note')],
      result: 'array',
      shape: backupRecord,
      audited: true,
      help: 'Makes a backup in the data directory and returns it. It counts towards the backups that are kept.',
      run: async ({ user }, note) => {
        if (note.length > NOTE_LIMIT) throw fault('TEXT_TOO_LONG', 'Note', NOTE_LIMIT, 'characters');
        return tasks.run('backup', user, async (progress) => (await backups()).make(note, progress));
      },
    }),
    declare({
      name: 'GW_DeleteBackup',
      parameters: [text('Name')],
      result: 'boolean',
      audited: true,
      confirmed: true,
      help: 'Deletes a backup.',
      run: async (caller, name) => {
        requirePassword(caller, 'Deleting a backup');
        await (await backups()).delete(name);
        return true;
      },
    }),
    declare({
      name: 'GW_RestoreBackup',
      parameters: [text('Name')],
      result: 'array',
      shape: restoreReport,
      audited: true,
      confirmed: true,
      help: 'Checks a backup and restores it at the next start; Effects says what will change. An empty Name cancels this.',
      run: async (caller, name) => {
        requirePassword(caller, 'Restoring a backup');
        return (await backups()).restore(name);
      },
    }),
    declare({
      name: 'GW_FactoryReset',
      parameters: [text('Confirmation')],
      result: 'boolean',
      audited: true,
      confirmed: true,
      help: 'Ends the gateway; the next start deletes all its data, local backups included, and it has no owner then. Confirmation must be RESET. Backups on other machines stay.',
      run: async (caller, confirmation) => {
        requirePassword(caller, 'A factory reset');
        if (confirmation !== RESET) throw fault('PARAMETER_BOUNDS', 'Confirmation');
        await (await backups()).reset();
        if (system.stop !== undefined) clock.after(STOP_AFTER_MS, system.stop);
        return true;
      },
    }),
  ];
}
