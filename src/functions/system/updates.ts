import { declare, optional, text, type FunctionDeclaration } from '../../device/declare.js';
import { requirePassword } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import { boxUpdates } from '../update-shapes.js';

/** Updates of a box that was flashed with an image. */
export function updateFunctions({ updates }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetUpdates',
      parameters: [],
      result: 'array',
      shape: boxUpdates,
      help: 'The slots of this box, the update in progress, and the version that is available.',
      run: async () => (await updates()).status(),
    }),
    declare({
      name: 'GW_CheckUpdates',
      parameters: [],
      result: 'array',
      shape: boxUpdates,
      audited: true,
      help: 'Checks the address in updates.url for a new version now.',
      run: async () => (await updates()).check(),
    }),
    declare({
      name: 'GW_InstallUpdate',
      parameters: [optional(text('Source'))],
      result: 'boolean',
      audited: true,
      confirmed: true,
      help: 'Installs an update into the inactive slot: by default the one that GW_CheckUpdates found, otherwise the one at a URL or in a .raucb file below /media. Returns immediately; GW_GetUpdates reports the progress. GW_RestartBox starts the new version.',
      run: async (caller, source = '') => {
        requirePassword(caller, 'Installing an update');
        await (await updates()).install(source);
        return true;
      },
    }),
    declare({
      name: 'GW_ActivateOtherSlot',
      parameters: [],
      result: 'boolean',
      audited: true,
      confirmed: true,
      help: 'Makes the next start of the box use the version in the other slot. Returns immediately. The running version is not installed automatically again.',
      run: async (caller) => {
        requirePassword(caller, 'Changing the version');
        await (await updates()).back();
        return true;
      },
    }),
    declare({
      name: 'GW_RestartBox',
      parameters: [],
      result: 'boolean',
      audited: true,
      confirmed: true,
      help: 'Restarts the box, with the version that is used at the next start.',
      run: async (caller) => {
        requirePassword(caller, 'Restarting the box');
        await (await updates()).restart();
        return true;
      },
    }),
  ];
}
