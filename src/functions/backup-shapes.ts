import { Type } from '@sinclair/typebox';
import { named } from './shapes.js';

/** A backup, as `GW_GetBackups` lists it. */
export const backupRecord = named(
  'BackupRecord',
  'A backup in the data directory. Reason: daily, manual, uploaded, or what else it was made for. Size is in bytes.',
  {
    Name: Type.String(),
    Size: Type.Integer(),
    CreatedMs: Type.Integer(),
    Reason: Type.String(),
    Note: Type.String(),
    IsRestoredAtStart: Type.Boolean(),
  },
);

/** What a restore will do. */
export const restoreReport = named('RestoreReport', 'What the next start will restore.', {
  Name: Type.String(),
  Effects: Type.Array(Type.String()),
});
