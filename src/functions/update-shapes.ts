import { Type } from '@sinclair/typebox';
import { named } from './shapes.js';

const slot = named('BoxSlotRecord', 'One of the two systems on a box. Version is empty if it is not known.', {
  Name: Type.String(),
  Version: Type.String(),
  IsRunning: Type.Boolean(),
  IsNext: Type.Boolean(),
  IsUsable: Type.Boolean(),
});

export const boxUpdates = named(
  'BoxUpdateRecord',
  'The updates of a box. IsBox: false on a machine without slots, where the rest is empty. Busy: download, install, back, waiting, or empty. Version: of the system that runs; Installing: of the update in progress. Available: a version that the configured address offers and that does not run, found at CheckedMs (unix milliseconds, 0 never). Problem says why the last request failed; RolledBack is the last version that was rolled back.',
  {
    IsBox: Type.Boolean(),
    Version: Type.String(),
    Slots: Type.Array(slot),
    Busy: Type.String(),
    Installing: Type.String(),
    Percent: Type.Integer(),
    Problem: Type.String(),
    Available: Type.String(),
    CheckedMs: Type.Integer(),
    NextCheckMs: Type.Integer(),
    RolledBack: Type.String(),
  },
);
