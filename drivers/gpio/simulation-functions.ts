import { coded } from '../../src/base/codes/coded-text.js';
import type { Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import { bool, declare, float, type FunctionDeclaration, int, text } from '../../src/device/declare.js';
import type { SimulatedBoard, SimulatedLine } from './backends/simulated-board.js';

/** Limits beyond which no contact bounces and no machine keeps up. */
const MAX_BOUNCES = 1_000;
const MAX_BOUNCE_MS = 10_000;
const MAX_FLOOD_PER_S = 100_000;
const MAX_FLOOD_MS = 3_600_000;

/** The functions `GW_Simulate*` of the simulated board's lines and chips. */
export function simulationFunctions(board: SimulatedBoard, clock: Clock): FunctionDeclaration[] {
  return [
    simulateLine(board),
    simulateBounce(board, clock),
    simulateFlood(board, clock),
    simulateStuck(board),
    simulateRefusal(board),
    simulateChipGone(board),
  ];
}

const simulateLine = (board: SimulatedBoard): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateLine',
    parameters: [text('Line'), bool('Active')],
    result: 'boolean',
    audited: true,
    help: 'Drives a line of the simulated board from outside, as a button does. Active is the value that an instance on that line gets.',
    run: (_caller, name, active) => {
      const line = undrivenLine(board, name);
      board.setStimulus(line, undefined);
      board.driveLine(line, levelOf(line, active));
      return true;
    },
  });

const simulateBounce = (board: SimulatedBoard, clock: Clock): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateBounce',
    parameters: [text('Line'), bool('Active'), int('Bounces'), float('WithinMs'), int('Seed')],
    result: 'boolean',
    audited: true,
    help: 'Like GW_SimulateLine, with a contact that first bounces the given number of times within WithinMs; the same Seed repeats the same bounces.',
    run: async (_caller, ...[name, active, bounces, withinMs, seed]) => {
      requireBounds('Bounces', bounces, [0, MAX_BOUNCES]);
      requireBounds('WithinMs', withinMs, [0, MAX_BOUNCE_MS]);
      const { injectBounce } = await import('./backends/fault-injection.js');
      const line = undrivenLine(board, name);
      injectBounce({ board, clock, line }, levelOf(line, active), { bounces, withinMs, seed });
      return true;
    },
  });

const simulateFlood = (board: SimulatedBoard, clock: Clock): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateFlood',
    parameters: [text('Line'), float('PerSecond'), int('ForMs')],
    result: 'boolean',
    audited: true,
    help: 'Toggles a line of the simulated board PerSecond times a second for ForMs; then the line has its previous level. GW_SimulateLine ends it early.',
    run: async (_caller, ...[name, perS, forMs]) => {
      requireBounds('PerSecond', perS, [1, MAX_FLOOD_PER_S]);
      requireBounds('ForMs', forMs, [1, MAX_FLOOD_MS]);
      const { injectFlood } = await import('./backends/fault-injection.js');
      const line = undrivenLine(board, name);
      injectFlood({ board, clock, line }, { perS, forMs });
      return true;
    },
  });

const simulateStuck = (board: SimulatedBoard): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateStuck',
    parameters: [text('Line'), bool('Stuck')],
    result: 'boolean',
    audited: true,
    help: 'Makes a line of the simulated board stick at its present level, whatever drives it, or releases it.',
    run: (_caller, name, isStuck) => {
      board.setStuck(requireLine(board, name), isStuck);
      return true;
    },
  });

const simulateRefusal = (board: SimulatedBoard): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateRefusal',
    parameters: [text('Line'), bool('Refuse')],
    result: 'boolean',
    audited: true,
    help: 'Makes every write to an output line of the simulated board fail, as if the kernel rejected it, or lets writes succeed again. The line keeps its level.',
    run: (_caller, name, rejectsWrites) => {
      board.setRejectsWrites(requireLine(board, name), rejectsWrites);
      return true;
    },
  });

const simulateChipGone = (board: SimulatedBoard): FunctionDeclaration =>
  declare({
    name: 'GW_SimulateChipGone',
    parameters: [text('Chip'), bool('Gone')],
    result: 'boolean',
    audited: true,
    help: 'Unplugs a chip of the simulated board, or plugs it in again. While it is unplugged, the instances on its lines are offline.',
    run: (_caller, chip, isGone) => {
      if (!board.hasChip(chip)) throw fault('NAME_NOT_FOUND', chip);
      if (isGone) board.unplug(chip);
      else board.plug(chip);
      return true;
    },
  });

function requireBounds(name: string, value: number, [min, max]: readonly [number, number]): void {
  if (!(value >= min && value <= max)) throw fault('PARAMETER_BOUNDS', name);
}

function requireLine(board: SimulatedBoard, name: string): SimulatedLine {
  const line = board.lineNamed(name);
  if (line === undefined) throw fault('NAME_NOT_FOUND', name);
  return line;
}

/** A line that no output of the board drives: only such a line can be driven from outside. */
function undrivenLine(board: SimulatedBoard, name: string): SimulatedLine {
  const line = requireLine(board, name);
  if (line.net.lines.some((wired) => wired.holder?.output !== undefined || wired !== line))
    throw fault('NOT_ALLOWED', coded`WHAT_DRIVING_OUTPUT: Driving ${name}, which an output drives,`);
  return line;
}

/** The level at which the line's holder sees this value. */
const levelOf = (line: SimulatedLine, active: boolean): boolean =>
  active !== (line.holder?.activeLow ?? false);
