import { systemClock } from '../../base/clock.js';
import { declaredFunctions } from '../../functions/declared-functions.js';
import { scriptDeclarations } from '../../functions/reflection/script-declarations.js';
import { createModuleList } from '../../composition/module-list.js';
import { packageVersion } from '../../service/system.js';
import { command } from '../command.js';
import { exitCode } from '../exit-codes.js';

/** `stellwerk types`: prints the declarations of all globals of scripts, for editors. */
export const types = command({
  usage: 'types > functions.d.ts',
  about: `Prints TypeScript declarations of all functions and globals of scripts, of all modules. Saved next to the
scripts as functions.d.ts, they let an editor complete and check JavaScript and TypeScript. Needs no gateway.`,
  options: {},
  words: [0, 0],
  exits: '0 done',
  run: async () => {
    const clock = systemClock();
    const declared = declaredFunctions(await createModuleList(clock)({ board: 'simulated' }), clock);
    process.stdout.write(scriptDeclarations(declared, packageVersion()));
    return exitCode.ok;
  },
});
