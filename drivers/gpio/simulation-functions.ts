import type { Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import { bool, declare, float, type FunctionDeclaration, int, text } from '../../src/device/declare.js';
import type { SimulatedLine, SimulatedBoard } from './backends/simulated-board.js';

/** Beyond these no contact bounces, and no machine keeps up. */
const MOST_BOUNCES = 1_000;
const BOUNCE_MOST_MS = 10_000;
const FLOOD_MOST_PER_S = 100_000;
const FLOOD_MOST_MS = 3_600_000;

/** What can be done to the simulated board from outside: `GW_Simulate*`. Registered on that board only. */
export function simulationFunctions(world: SimulatedBoard, clock: Clock): FunctionDeclaration[] {
  return [
    simulateLine(world),
    bounce(world, clock),
    flood(world, clock),
    stuck(world),
    refusal(world),
    chipGone(world),
  ];
}

const simulateLine = (world: SimulatedBoard): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateLine',
    parameters: [text('Line'), bool('Active')],
    result: 'boolean',
    audited: true,
    help: 'Drives a line of the simulated board from outside, as a button does. Active is what an instance on that line sees.',
    run: (_caller, line, active) => {
      const spot = free(world, line);
      world.setStimulus(spot, undefined);
      world.driveLine(spot, levelOf(spot, active));
      return true;
    },
  });

const bounce = (world: SimulatedBoard, clock: Clock): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateBounce',
    parameters: [text('Line'), bool('Active'), int('Bounces'), float('WithinMs'), int('Seed')],
    result: 'boolean',
    audited: true,
    help: 'As GW_SimulateLine, with a contact that first goes to and fro so many times within WithinMs, at moments that are the same for the same Seed.',
    run: async (_caller, ...[line, active, bounces, withinMs, seed]) => {
      within('Bounces', bounces, [0, MOST_BOUNCES]);
      within('WithinMs', withinMs, [0, BOUNCE_MOST_MS]);
      const disturbances = await import('./backends/fault-injection.js');
      const spot = free(world, line);
      disturbances.injectBounce({ board: world, clock, line: spot }, levelOf(spot, active), {
        bounces,
        withinMs,
        seed,
      });
      return true;
    },
  });

const flood = (world: SimulatedBoard, clock: Clock): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateFlood',
    parameters: [text('Line'), float('PerSecond'), int('ForMs')],
    result: 'boolean',
    audited: true,
    help: 'Moves a line of the simulated board to and fro, so many changes a second, for so long; it ends where it began. GW_SimulateLine ends it sooner.',
    run: async (_caller, ...[line, perS, forMs]) => {
      within('PerSecond', perS, [1, FLOOD_MOST_PER_S]);
      within('ForMs', forMs, [1, FLOOD_MOST_MS]);
      const disturbances = await import('./backends/fault-injection.js');
      const spot = free(world, line);
      disturbances.injectFlood({ board: world, clock, line: spot }, { perS, forMs });
      return true;
    },
  });

const stuck = (world: SimulatedBoard): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateStuck',
    parameters: [text('Line'), bool('Stuck')],
    result: 'boolean',
    audited: true,
    help: 'Lets a line of the simulated board be stuck at the level that it has now, whatever drives it, or lets it go again.',
    run: (_caller, line, isStuck) => {
      world.setStuck(known(world, line), isStuck);
      return true;
    },
  });

const refusal = (world: SimulatedBoard): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateRefusal',
    parameters: [text('Line'), bool('Refuse')],
    result: 'boolean',
    audited: true,
    help: 'Lets every write to an output line of the simulated board fail, as where the kernel does not take it, or lets it work again. The line stays what it is.',
    run: (_caller, line, refuse) => {
      known(world, line).rejectsWrites = refuse;
      return true;
    },
  });

const chipGone = (world: SimulatedBoard): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateChipGone',
    parameters: [text('Chip'), bool('Gone')],
    result: 'boolean',
    audited: true,
    help: 'Pulls a chip of the simulated board out, or plugs it in again. Its lines are lost to their instances meanwhile.',
    run: (_caller, chip, isGone) => {
      if (!world.hasChip(chip)) throw fault('NAME_NOT_FOUND', chip);
      if (isGone) world.unplug(chip);
      else world.plug(chip);
      return true;
    },
  });

function within(name: string, value: number, [least, most]: readonly [number, number]): void {
  if (!(value >= least && value <= most)) throw fault('PARAMETER_BOUNDS', name);
}

function known(world: SimulatedBoard, name: string): SimulatedLine {
  const spot = world.lineNamed(name);
  if (spot === undefined) throw fault('NAME_NOT_FOUND', name);
  return spot;
}

/** Only a line that nothing on the board drives can be moved from outside. */
function free(world: SimulatedBoard, name: string): SimulatedLine {
  const spot = known(world, name);
  if (spot.net.lines.some((joined) => joined.holder?.output !== undefined || joined !== spot))
    throw fault('NOT_ALLOWED', `Driving ${name}, which an output drives,`);
  return spot;
}

/** The level at which who holds the line sees this value. */
const levelOf = (spot: SimulatedLine, active: boolean): boolean =>
  active !== (spot.holder?.activeLow ?? false);
