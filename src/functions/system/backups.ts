import { declare, text, type FunctionDeclaration } from '../../device/declare.js';
import { fault } from '../../base/fault.js';
import { requirePassword } from '../argument-checks.js';
import { backupRecord, restoreReport } from '../backup-shapes.js';
import type { Ports } from '../ports.js';
import { listOf } from '../shapes.js';

/** What fits on a line, characters. */
const NOTE_LIMIT = 200;

/** The backups in the data directory. */
export function backupFunctions({ backups, tasks }: Ports): FunctionDeclaration[] {
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
      help: 'Makes a backup in the data directory, and returns it. It counts among the backups that are kept.',
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
      help: "Checks a backup and restores it at the next start; Effects says what will change. With '' for Name, nothing is restored.",
      run: async (caller, name) => {
        requirePassword(caller, 'Restoring a backup');
        return (await backups()).restore(name);
      },
    }),
  ];
}
