import type { Cancel, Clock } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import type { Bias, Chip, Drive } from './line.js';

/** The chips of a simulated machine, and what is wired to what. */
export interface SimulatedBoardLayout {
  readonly chips: readonly { readonly label: string; readonly lines: readonly string[] }[];
  /** Names of lines that are joined: what drives one drives all. */
  readonly wires?: readonly (readonly string[])[];
}

/** What a requested line does to its wire, and what it hears of it. Levels are physical here. */
export interface LineHolder {
  readonly consumer: string;
  readonly output?: { readonly drive: Drive; level: boolean };
  readonly bias?: Bias;
  readonly activeLow?: boolean;
  /** The level of the wire has changed. */
  onLevelChange?(level: boolean, atNs: bigint): void;
  /** The chip was pulled out. */
  onChipGone?(): void;
}

/** A line of the world. */
export interface SimulatedLine {
  readonly chip: string;
  readonly offset: number;
  readonly name: string;
  readonly net: Net;
  /** The kernel takes no value for it. */
  rejectsWrites: boolean;
  holder: LineHolder | undefined;
}

/** Everything that is joined by wires, and the level that comes of it. */
interface Net {
  readonly lines: SimulatedLine[];
  /** What the world outside drives it with: a pressed button, a foreign output. Undefined: nothing. */
  outside: boolean | undefined;
  /** Ends what goes on moving it from outside by itself: a bounce, a flood. */
  stopStimulus: Cancel | undefined;
  /** Nothing moves it any more: a welded contact, a short circuit. */
  isStuck: boolean;
  level: boolean;
}

/**
 * A machine's GPIO as physics, not as a stub: levels follow from who drives a wire, from pulls, and from what was there
 * before. A released output goes on driving its last level until the line is taken again, as most controllers do.
 * Everything here is synchronous; how a program gets at it is `simulated.ts`.
 */
export class SimulatedBoard {
  readonly #clock: Clock;
  readonly #spots = new Map<string, SimulatedLine[]>();
  readonly #names = new Map<string, SimulatedLine>();
  readonly #out = new Set<string>();

  constructor(plan: SimulatedBoardLayout, clock: Clock) {
    this.#clock = clock;
    for (const chip of plan.chips) this.#addChip(chip.label, chip.lines, plan.wires ?? []);
  }

  /** Whether there is such a chip, plugged in or not. */
  hasChip(label: string): boolean {
    return this.#spots.has(label);
  }

  /** The chips that are plugged in. */
  chips(): Chip[] {
    return [...this.#spots.entries()].flatMap(([label, spots], n) =>
      this.#out.has(label) ? [] : [{ name: `gpiochip${n}`, label, lines: spots.length }],
    );
  }

  /** The lines of a chip, by offset; throws `DEVICE_OFFLINE` while it is pulled out. */
  lines(label: string): readonly SimulatedLine[] {
    const spots = this.#spots.get(label);
    if (spots === undefined || this.#out.has(label))
      throw fault('DEVICE_OFFLINE', `the GPIO chip ${label} is gone`);
    return spots;
  }

  /** A line by its name; undefined when there is none. */
  lineNamed(name: string): SimulatedLine | undefined {
    return this.#names.get(name);
  }

  level(name: string): boolean {
    return this.#known(name).net.level;
  }

  /** Drives a line from outside, as a button or a foreign device does; undefined lets go of it. */
  drive(name: string, level: boolean | undefined): void {
    this.driveLine(this.#known(name), level);
  }

  /** As `drive`, for a line that may have no name, and for what happened a moment ago. */
  driveLine({ net }: SimulatedLine, level: boolean | undefined, atNs?: bigint): void {
    net.outside = level;
    this.#settle(net, atNs);
  }

  /** What moves the line by itself from now on, with how to end it; what did so before is ended. */
  setStimulus({ net }: SimulatedLine, stop: Cancel | undefined): void {
    net.stopStimulus?.();
    net.stopStimulus = stop;
  }

  /** While it is stuck, a line stays at the level that it has now, whatever drives it. */
  setStuck({ net }: SimulatedLine, isStuck: boolean): void {
    net.isStuck = isStuck;
    this.#settle(net);
  }

  /** Gives a line to a holder, whose output drives from now on; throws `DEVICE_OFFLINE` when it is held already. */
  request(spot: SimulatedLine, holder: LineHolder): void {
    if (this.#held(spot))
      throw fault('DEVICE_OFFLINE', `${spot.name || spot.offset} is in use by ${spot.holder?.consumer}`);
    spot.holder = holder;
    this.#settle(spot.net);
  }

  /** Lets a line go. What it drove, it goes on driving. */
  release(spot: SimulatedLine, holder: LineHolder): void {
    if (spot.holder !== holder) return;
    spot.holder = { consumer: '', ...(holder.output === undefined ? {} : { output: holder.output }) };
    this.#settle(spot.net);
  }

  /** To be called when a holder changed what it drives. */
  outputChanged(spot: SimulatedLine): void {
    this.#settle(spot.net);
  }

  /** Pulls a chip out: all its lines are lost to their holders, and drive nothing any more. Twice is fine. */
  unplug(label: string): void {
    if (this.#out.has(label)) return;
    const spots = this.lines(label);
    this.#out.add(label);
    const holders = spots.map((spot) => spot.holder);
    for (const spot of spots) spot.holder = undefined;
    for (const spot of spots) this.#settle(spot.net);
    for (const holder of holders) holder?.onChipGone?.();
  }

  plug(label: string): void {
    this.#out.delete(label);
  }

  #held(spot: SimulatedLine): boolean {
    return spot.holder !== undefined && spot.holder.consumer !== '';
  }

  #known(name: string): SimulatedLine {
    const spot = this.lineNamed(name);
    if (spot === undefined)
      throw fault('DEVICE_CONFIGURATION', `the simulated board has no line named ${name}`);
    return spot;
  }

  #addChip(label: string, names: readonly string[], wires: readonly (readonly string[])[]): void {
    const spots = names.map((name, offset) => {
      const joined = name === '' ? undefined : wires.find((wire) => wire.includes(name));
      const net = joined?.map((other) => this.lineNamed(other)?.net).find((other) => other !== undefined);
      const spot: SimulatedLine = {
        chip: label,
        offset,
        name,
        net: net ?? freshNet(),
        rejectsWrites: false,
        holder: undefined,
      };
      spot.net.lines.push(spot);
      if (name !== '') this.#names.set(name, spot);
      return spot;
    });
    this.#spots.set(label, spots);
  }

  #settle(net: Net, atNs = this.#clock.monotonicNs()): void {
    const level = levelOf(net);
    if (level === net.level) return;
    net.level = level;
    for (const spot of net.lines) spot.holder?.onLevelChange?.(level, atNs);
  }
}

const freshNet = (): Net => ({
  lines: [],
  outside: undefined,
  stopStimulus: undefined,
  isStuck: false,
  level: false,
});

/** Outputs beat the outside, the outside beats pulls; with nothing at all a line is pulled down by its chip. */
function levelOf(net: Net): boolean {
  if (net.isStuck) return net.level;
  const holders = net.lines.flatMap((spot) => spot.holder ?? []);
  const driven = holders.flatMap(({ output }) =>
    output !== undefined && drives(output) ? output.level : [],
  );
  if (driven.length > 0) return driven.every(Boolean); // a short circuit: the one that pulls down wins
  if (net.outside !== undefined) return net.outside;
  if (holders.some(({ bias }) => bias === 'pull-up')) return true;
  if (holders.some(({ bias }) => bias === 'disabled')) return net.level; // floating: it stays what it was
  return false;
}

/** Whether an output drives its level at all: an open drain leaves the high level to others, an open source the low one. */
function drives(output: { readonly drive: Drive; readonly level: boolean }): boolean {
  return output.drive === 'push-pull' || (output.drive === 'open-source') === output.level;
}
