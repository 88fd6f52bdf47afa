import { coded } from '../../../src/base/codes/coded-text.js';
import { access, readdir } from 'node:fs/promises';
import { release } from 'node:os';
import type { Clock } from '../../../src/base/clock.js';
import { codeOf, fault } from '../../../src/base/fault.js';
import { inUseFault, type DeviceOwner } from '../../../src/device/toolkit/device-claims.js';
import type { KeeperClient } from '../keeper/keeper-client.js';
import type { BackendName, GpioBackend, LineLocation, RequestedLine } from './line.js';
import { ChipKeys } from './chip-keys.js';
import { type BoardChip, findLine, type LineSelector } from './find-line.js';
import { openSimulated } from './simulated.js';
import { SimulatedBoard } from './simulated-board.js';

/** The GPIO part of a board file (`docs/hardware/boards.md`). */
export interface GpioBoard {
  readonly title?: string;
  /** The pins of the header, row by row: names of lines, or of supply and ground pins. */
  readonly header?: readonly (readonly string[])[];
  readonly gpio: readonly BoardChip[];
  /** Present if the board's chips are simulated: names of lines that are wired together. */
  readonly simulated?: { readonly wires: readonly (readonly string[])[] };
}

/** The value of the property `Backend`: a backend, or the best one that this machine has. */
export type BackendChoice = BackendName | 'auto';

/** A line, and the backend to request it from. */
export interface LocatedLine {
  readonly backend: GpioBackend;
  readonly location: LineLocation;
}

/**
 * The GPIO backends of one machine, each opened on first use and then shared. A backend holds nothing while
 * no line is requested, so there is nothing to close.
 */
export class Backends {
  readonly board: GpioBoard;
  readonly clock: Clock;
  readonly #open = new Map<BackendName, Promise<GpioBackend>>();
  readonly #owners = new WeakMap<RequestedLine, DeviceOwner>();
  readonly #keeper: KeeperClient | undefined;
  readonly chipKeys = new ChipKeys();
  /** Undefined on a real board. */
  readonly simulatedBoard: SimulatedBoard | undefined;

  constructor(board: GpioBoard, clock: Clock, keeper?: KeeperClient) {
    this.board = board;
    this.clock = clock;
    this.#keeper = keeper;
    if (board.simulated !== undefined)
      this.simulatedBoard = new SimulatedBoard(
        { chips: board.gpio.map(chipLayout), wires: board.simulated.wires },
        clock,
      );
  }

  /** Throws `DEVICE_OFFLINE` if the machine has no GPIO, `DEVICE_CONFIGURATION` if it lacks this backend. */
  async get(choice: BackendChoice): Promise<GpioBackend> {
    const name = choice === 'auto' ? await this.#bestName() : choice;
    const open = this.#open.get(name) ?? this.#openBackend(name);
    this.#open.set(name, open);
    open.catch(() => this.#open.delete(name)); // the caller gets the error; the next call tries again
    return open;
  }

  /** Finds the line that the properties name. Rejects as `get` and `findLine` do. */
  async locate(choice: BackendChoice, selector: LineSelector): Promise<LocatedLine> {
    const backend = await this.get(choice);
    return { backend, location: await findLine(backend, this.board.gpio, selector) };
  }

  /** The id of the instance that holds a line; undefined if none does. */
  ownerOf(line: RequestedLine): number | undefined {
    return this.#owners.get(line)?.id;
  }

  /**
   * Requests a line for an instance. If another instance of this gateway holds it, the error names that
   * instance.
   */
  async request<L extends RequestedLine>(
    owner: DeviceOwner,
    { backend, location }: LocatedLine,
    request: () => Promise<L>,
  ): Promise<L> {
    try {
      const line = await request();
      this.#owners.set(line, owner);
      return line;
    } catch (thrown) {
      const holder = this.#holderOf(backend, location);
      if (holder === undefined || codeOf(thrown) !== 'DEVICE_OFFLINE') throw thrown;
      throw inUseFault(location.name, holder, thrown);
    }
  }

  #holderOf(backend: GpioBackend, { chip, offset }: LineLocation): DeviceOwner | undefined {
    for (const line of backend.requestedLines())
      if (line.location.offset === offset && line.location.chip.name === chip.name)
        return this.#owners.get(line);
    return undefined;
  }

  async #openBackend(name: BackendName): Promise<GpioBackend> {
    switch (name) {
      case 'cdev':
        return (await import('./cdev.js')).openCharacterDevice(this.clock, { keeper: this.#keeper });
      case 'sysfs':
        return (await import('./sysfs.js')).openSysfs(this.clock, this.#keeper);
      case 'simulated':
        if (this.simulatedBoard === undefined)
          throw fault(
            'DEVICE_CONFIGURATION',
            coded`BOARD_NO_SIMULATED_GPIO: this board has no simulated GPIO`,
          );
        return openSimulated(this.simulatedBoard, this.clock);
    }
  }

  /** The character device if the kernel has one: only it numbers edges and sets bias and drive. */
  async #bestName(): Promise<BackendName> {
    if (this.simulatedBoard !== undefined) return 'simulated';
    const isV2 = hasUapiV2(release());
    if (isV2 && (await readdir('/dev')).some((name) => name.startsWith('gpiochip'))) return 'cdev';
    if (await exists('/sys/class/gpio/export')) return 'sysfs';
    throw fault(
      'DEVICE_OFFLINE',
      coded`NO_GPIO: this machine has no GPIO: neither /dev/gpiochip* (since Linux 5.10) nor /sys/class/gpio exists`,
    );
  }
}

/** Whether a kernel has GPIO uAPI v2, which came with Linux 5.10. */
export function hasUapiV2(kernelRelease: string): boolean {
  const [major = 0, minor = 0] = kernelRelease.split(/[.-]/).map(Number);
  return major > 5 || (major === 5 && minor >= 10);
}

/** A chip of the board file as a list of names by offset. */
function chipLayout({ chip, lines }: BoardChip): { label: string; lines: string[] } {
  const names = Array<string>(Math.max(-1, ...Object.values(lines)) + 1).fill('');
  for (const [name, offset] of Object.entries(lines)) names[offset] = name;
  return { label: chip, lines: names };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
