import type { Cancel, Clock } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import type { Bias, Chip, Drive } from './line.js';

/** The chips of a simulated board and the wires between their lines. */
interface SimulatedBoardLayout {
  readonly chips: readonly { readonly label: string; readonly lines: readonly string[] }[];
  /** Names of lines that are wired together: driving one drives all. */
  readonly wires?: readonly (readonly string[])[];
}

/** What the holder of a line does to its net, and its callbacks. Levels are those on the wire: true is high. */
export interface LineHolder {
  readonly consumer: string;
  readonly output?: { readonly drive: Drive; level: boolean };
  readonly bias?: Bias;
  readonly activeLow?: boolean;
  /** Called when the level of the net has changed. */
  onLevelChange?(level: boolean, atNs: bigint): void;
  /** Called when the chip was unplugged. */
  onChipGone?(): void;
}

/** A line of the simulated board. */
export interface SimulatedLine {
  readonly chip: string;
  readonly offset: number;
  readonly name: string;
  readonly net: Net;
  /** Writes to the line fail, as if the kernel rejected them. */
  rejectsWrites: boolean;
  holder: LineHolder | undefined;
}

/** Lines that are wired together, and their common level. */
interface Net {
  readonly lines: SimulatedLine[];
  /**
   * The level driven from outside the board, as by a pressed button or another device's output; undefined for
   * none.
   */
  external: boolean | undefined;
  /** Stops an ongoing stimulus: a bounce or a flood. */
  stopStimulus: Cancel | undefined;
  /** The level cannot change: a welded contact, a short circuit. */
  isStuck: boolean;
  level: boolean;
}

/**
 * Simulated GPIO hardware. The level of a net follows from what drives it, from pull resistors, and from its
 * previous level. As with most controllers, a released output keeps driving its last level until the line is
 * requested again. Everything here is synchronous; `simulated.ts` is the backend on top of it.
 */
export class SimulatedBoard {
  readonly #clock: Clock;
  readonly #chips = new Map<string, SimulatedLine[]>();
  readonly #byName = new Map<string, SimulatedLine>();
  readonly #unplugged = new Set<string>();

  constructor(layout: SimulatedBoardLayout, clock: Clock) {
    this.#clock = clock;
    for (const chip of layout.chips) this.#addChip(chip.label, chip.lines, layout.wires ?? []);
  }

  /** Whether the board has this chip, plugged in or not. */
  hasChip(label: string): boolean {
    return this.#chips.has(label);
  }

  /** The chips that are plugged in. */
  chips(): Chip[] {
    return [...this.#chips.entries()].flatMap(([label, lines], n) =>
      this.#unplugged.has(label) ? [] : [{ name: `gpiochip${n}`, label, lines: lines.length }],
    );
  }

  /** The lines of a chip, by offset; throws `DEVICE_OFFLINE` while it is unplugged. */
  lines(label: string): readonly SimulatedLine[] {
    const lines = this.#chips.get(label);
    if (lines === undefined || this.#unplugged.has(label))
      throw fault('DEVICE_OFFLINE', `the GPIO chip ${label} is gone`);
    return lines;
  }

  /** The line with this name; undefined if the board has none. */
  lineNamed(name: string): SimulatedLine | undefined {
    return this.#byName.get(name);
  }

  /** The level of a line; throws `DEVICE_CONFIGURATION` if the board has no line of this name. */
  level(name: string): boolean {
    return this.#lineOrThrow(name).net.level;
  }

  /** Drives a line from outside, as a button or another device does; undefined releases it. */
  drive(name: string, level: boolean | undefined): void {
    this.driveLine(this.#lineOrThrow(name), level);
  }

  /** Like `drive`, but also for lines without a name, and optionally with the time of the change. */
  driveLine({ net }: SimulatedLine, level: boolean | undefined, atNs?: bigint): void {
    net.external = level;
    this.#updateLevel(net, atNs);
  }

  /** Replaces the line's ongoing stimulus; `stop` ends the new one, undefined for none. */
  setStimulus({ net }: SimulatedLine, stop: Cancel | undefined): void {
    net.stopStimulus?.();
    net.stopStimulus = stop;
  }

  /** A stuck line stays at its present level, whatever drives it. */
  setStuck({ net }: SimulatedLine, isStuck: boolean): void {
    net.isStuck = isStuck;
    this.#updateLevel(net);
  }

  /** While set, every write to the line fails as if the kernel rejected it. */
  setRejectsWrites(line: SimulatedLine, rejectsWrites: boolean): void {
    line.rejectsWrites = rejectsWrites;
  }

  /**
   * Gives a line to a holder, whose output drives it from now on; throws `DEVICE_OFFLINE` if it is in use.
   */
  request(line: SimulatedLine, holder: LineHolder): void {
    if (this.#isHeld(line))
      throw fault('DEVICE_OFFLINE', `${line.name || line.offset} is in use by ${line.holder?.consumer}`);
    line.holder = holder;
    this.#updateLevel(line.net);
  }

  /** Releases a line. An output keeps driving its last level. */
  release(line: SimulatedLine, holder: LineHolder): void {
    if (line.holder !== holder) return;
    line.holder = { consumer: '', ...(holder.output === undefined ? {} : { output: holder.output }) };
    this.#updateLevel(line.net);
  }

  /** Call this after a holder has changed its output level. */
  outputChanged(line: SimulatedLine): void {
    this.#updateLevel(line.net);
  }

  /** Unplugs a chip: its holders lose their lines, which no longer drive anything. May be called twice. */
  unplug(label: string): void {
    if (this.#unplugged.has(label)) return;
    const lines = this.lines(label);
    this.#unplugged.add(label);
    const holders = lines.map((line) => line.holder);
    for (const line of lines) line.holder = undefined;
    for (const line of lines) this.#updateLevel(line.net);
    for (const holder of holders) holder?.onChipGone?.();
  }

  /** Plugs a chip in again; its lines are free. */
  plug(label: string): void {
    this.#unplugged.delete(label);
  }

  #isHeld(line: SimulatedLine): boolean {
    return line.holder !== undefined && line.holder.consumer !== '';
  }

  #lineOrThrow(name: string): SimulatedLine {
    const line = this.lineNamed(name);
    if (line === undefined)
      throw fault('DEVICE_CONFIGURATION', `the simulated board has no line named ${name}`);
    return line;
  }

  #addChip(label: string, names: readonly string[], wires: readonly (readonly string[])[]): void {
    const lines = names.map((name, offset) => {
      const wire = name === '' ? undefined : wires.find((one) => one.includes(name));
      const net = wire?.map((other) => this.lineNamed(other)?.net).find((other) => other !== undefined);
      const line: SimulatedLine = {
        chip: label,
        offset,
        name,
        net: net ?? newNet(),
        rejectsWrites: false,
        holder: undefined,
      };
      line.net.lines.push(line);
      if (name !== '') this.#byName.set(name, line);
      return line;
    });
    this.#chips.set(label, lines);
  }

  #updateLevel(net: Net, atNs = this.#clock.monotonicNs()): void {
    const level = levelOf(net);
    if (level === net.level) return;
    net.level = level;
    for (const line of net.lines) line.holder?.onLevelChange?.(level, atNs);
  }
}

const newNet = (): Net => ({
  lines: [],
  external: undefined,
  stopStimulus: undefined,
  isStuck: false,
  level: false,
});

/**
 * Outputs override external levels, those override pull resistors; otherwise the chip pulls the line down.
 */
function levelOf(net: Net): boolean {
  if (net.isStuck) return net.level;
  const holders = net.lines.flatMap((line) => line.holder ?? []);
  const levels = holders.flatMap(({ output }) =>
    output !== undefined && isDriving(output) ? output.level : [],
  );
  if (levels.length > 0) return levels.every(Boolean); // a short circuit: low wins
  if (net.external !== undefined) return net.external;
  if (holders.some(({ bias }) => bias === 'pull-up')) return true;
  if (holders.some(({ bias }) => bias === 'disabled')) return net.level; // floating: the level stays
  return false;
}

/**
 * Whether an output drives its level: an open drain does not drive high, an open source does not drive low.
 */
function isDriving(output: { readonly drive: Drive; readonly level: boolean }): boolean {
  return output.drive === 'push-pull' || (output.drive === 'open-source') === output.level;
}
