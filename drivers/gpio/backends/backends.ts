import { access, readdir } from 'node:fs/promises';
import { release } from 'node:os';
import type { Clock } from '../../../src/base/clock.js';
import { codeOf, fault } from '../../../src/base/fault.js';
import { inUseFault, type DeviceOwner } from '../../../src/device/toolkit/sysfs-class.js';
import type { OutputCounts, KeeperClient } from '../keeper/keeper-client.js';
import type { BackendName, GpioBackend, LineLocation, RequestedLine } from './line.js';
import type { BoardChip } from './find-line.js';
import { openSimulated } from './simulated.js';
import { SimulatedBoard } from './simulated-board.js';

/** What a board file says of GPIO (`docs/hardware/boards.md`). */
export interface GpioBoard {
  readonly title?: string;
  /** The pins as they stand, row by row: names of lines, or what else is there. */
  readonly header?: readonly (readonly string[])[];
  readonly gpio: readonly BoardChip[];
  /** Present where the board's chips are simulated ones: names of lines that are joined. */
  readonly simulated?: { readonly wires: readonly (readonly string[])[] };
}

/** What the property `Backend` may be: a way to the lines, or the best that this machine has. */
export type BackendChoice = BackendName | 'auto';

/**
 * The ways to this machine's lines, each opened when it is first asked for and then shared. Nothing of it is open while
 * no line is requested, so there is nothing to close.
 */
export class Backends {
  readonly clock: Clock;
  readonly #open = new Map<BackendName, Promise<GpioBackend>>();
  readonly #owners = new WeakMap<RequestedLine, DeviceOwner>();
  readonly #keeping: KeeperClient | undefined;
  readonly #opened: GpioBackend[] = [];
  /** The world of a simulated board; undefined on a real one. */
  readonly simulatedBoard: SimulatedBoard | undefined;
  /** Outputs whose chip was found gone and that have not been taken since: what `findOutput` makes of them. */
  readonly lostOutputs = new Set<string>();

  constructor(board: GpioBoard, clock: Clock, keeping?: KeeperClient) {
    this.clock = clock;
    this.#keeping = keeping;
    if (keeping !== undefined) keeping.outputs = () => this.#outputs();
    if (board.simulated !== undefined)
      this.simulatedBoard = new SimulatedBoard(
        { chips: board.gpio.map(byOffset), wires: board.simulated.wires },
        clock,
      );
  }

  /** The binding for a wish. Throws `DEVICE_OFFLINE` where the machine offers no GPIO, `DEVICE_CONFIGURATION` where not this one. */
  async get(wish: BackendChoice): Promise<GpioBackend> {
    const backend = wish === 'auto' ? await this.#best() : wish;
    const open = this.#open.get(backend) ?? this.#make(backend);
    this.#open.set(backend, open);
    open.catch(() => this.#open.delete(backend));
    return open;
  }

  /** The id of the instance that has a line; undefined where none has. */
  ownerOf(line: RequestedLine): number | undefined {
    return this.#owners.get(line)?.id;
  }

  /** Requests a line for an instance. If another instance of this gateway has it, the failure names that one. */
  async request<L extends RequestedLine>(
    owner: DeviceOwner,
    { binding, place }: { readonly binding: GpioBackend; readonly place: LineLocation },
    request: () => Promise<L>,
  ): Promise<L> {
    try {
      const line = await request();
      this.#owners.set(line, owner);
      return line;
    } catch (thrown) {
      const holder = this.#holderOf(binding, place);
      if (holder === undefined || codeOf(thrown) !== 'DEVICE_OFFLINE') throw thrown;
      throw inUseFault(place.name, holder, thrown);
    }
  }

  #holderOf(binding: GpioBackend, { chip, offset }: LineLocation): DeviceOwner | undefined {
    for (const line of binding.requestedLines())
      if (line.location.offset === offset && line.location.chip.name === chip.name)
        return this.#owners.get(line);
    return undefined;
  }

  #outputs(): OutputCounts {
    const all = this.#opened.map(({ outputs }) => outputs ?? { held: 0, kept: 0 });
    return {
      held: all.reduce((sum, { held }) => sum + held, 0),
      kept: all.reduce((sum, { kept }) => sum + kept, 0),
    };
  }

  async #make(backend: BackendName): Promise<GpioBackend> {
    const binding = await this.#binding(backend);
    this.#opened.push(binding);
    return binding;
  }

  async #binding(backend: BackendName): Promise<GpioBackend> {
    switch (backend) {
      case 'cdev':
        return (await import('./cdev.js')).openCharacterDevice(this.clock, { keeping: this.#keeping });
      case 'sysfs':
        return (await import('./sysfs.js')).openSysfs(this.clock);
      case 'simulated':
        if (this.simulatedBoard === undefined)
          throw fault('DEVICE_CONFIGURATION', 'this board has no simulated GPIO');
        return openSimulated(this.simulatedBoard, this.clock);
    }
  }

  /** The character device wherever the kernel has one: only it numbers edges and sets bias and drive. */
  async #best(): Promise<BackendName> {
    if (this.simulatedBoard !== undefined) return 'simulated';
    const isV2 = hasUapiV2(release());
    if (isV2 && (await readdir('/dev')).some((name) => name.startsWith('gpiochip'))) return 'cdev';
    if (await exists('/sys/class/gpio/export')) return 'sysfs';
    throw fault(
      'DEVICE_OFFLINE',
      'this machine has no GPIO: neither /dev/gpiochip* (from Linux 5.10 on) nor /sys/class/gpio is there',
    );
  }
}

/** GPIO uAPI v2 came with Linux 5.10. */
export function hasUapiV2(kernelRelease: string): boolean {
  const [major = 0, minor = 0] = kernelRelease.split(/[.-]/).map(Number);
  return major > 5 || (major === 5 && minor >= 10);
}

/** A board's chip as a list of names by offset. */
function byOffset({ chip, lines }: BoardChip): { label: string; lines: string[] } {
  const names = Array<string>(Math.max(-1, ...Object.values(lines)) + 1).fill('');
  for (const [name, offset] of Object.entries(lines)) names[offset] = name;
  return { label: chip, lines: names };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
