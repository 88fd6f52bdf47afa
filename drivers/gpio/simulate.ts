import { fault } from '../../src/base/fault.js';
import { bool, declare, type FunctionDeclaration, text } from '../../src/device/declare.js';
import type { World } from './world.js';

/** `GW_SimulateLine(Line, Active)`: presses a button of the simulated board. Registered on that board only. */
export function simulateLine(world: World): FunctionDeclaration {
  return declare({
    name: 'GW_SimulateLine',
    parameters: [text('Line'), bool('Active')],
    result: 'boolean',
    audited: true,
    help: 'Drives a line of the simulated board from outside, as a button does. Active is what an instance on that line sees.',
    run: (_caller, line, active) => {
      world.drive(line, level(world, line, active));
      return true;
    },
  });
}

/** Only a line that nothing on the board drives can be moved from outside. */
function level(world: World, name: string, active: boolean): boolean {
  const spot = world.named(name);
  if (spot === undefined) throw fault('NAME_NOT_FOUND', name);
  if (spot.net.spots.some((joined) => joined.holder?.output !== undefined || joined !== spot))
    throw fault('NOT_ALLOWED', `Driving ${name}, which an output drives,`);
  return active !== (spot.holder?.activeLow ?? false);
}
