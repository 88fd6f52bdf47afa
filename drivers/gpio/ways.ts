import { access, readdir } from 'node:fs/promises';
import { release } from 'node:os';
import type { Clock } from '../../src/base/clock.js';
import { codeOf, fault } from '../../src/base/fault.js';
import { inUse, type Holder } from '../../src/device/attributes.js';
import type { HeldOutputs, Keeping } from './keeping.js';
import type { Backend, GpioBinding, Place, RequestedLine } from './line.js';
import type { BoardChip } from './places.js';
import { simulated } from './simulated.js';
import { World } from './world.js';

/** What a board file says of GPIO (`docs/boards.md`). */
export interface GpioBoard {
  readonly title?: string;
  /** The pins as they stand, row by row: names of lines, or what else is there. */
  readonly header?: readonly (readonly string[])[];
  readonly gpio: readonly BoardChip[];
  /** Present where the board's chips are simulated ones: names of lines that are joined. */
  readonly simulated?: { readonly wires: readonly (readonly string[])[] };
}

/** What the property `Backend` may be: a way to the lines, or the best that this machine has. */
export type BackendWish = Backend | 'auto';

/**
 * The ways to this machine's lines, each opened when it is first asked for and then shared. Nothing of it is open while
 * no line is requested, so there is nothing to close.
 */
export class Ways {
  readonly clock: Clock;
  readonly #open = new Map<Backend, Promise<GpioBinding>>();
  readonly #owners = new WeakMap<RequestedLine, Holder>();
  readonly #keeping: Keeping | undefined;
  readonly #opened: GpioBinding[] = [];
  /** The world of a simulated board; undefined on a real one. */
  readonly world: World | undefined;
  /** Outputs whose chip was found gone and that have not been taken since: what `findOutput` makes of them. */
  readonly lost = new Set<string>();

  constructor(board: GpioBoard, clock: Clock, keeping?: Keeping) {
    this.clock = clock;
    this.#keeping = keeping;
    if (keeping !== undefined) keeping.outputs = () => this.#outputs();
    if (board.simulated !== undefined)
      this.world = new World({ chips: board.gpio.map(byOffset), wires: board.simulated.wires }, clock);
  }

  /** The binding for a wish. Throws `DEVICE_OFFLINE` where the machine offers no GPIO, `DEVICE_CONFIGURATION` where not this one. */
  async binding(wish: BackendWish): Promise<GpioBinding> {
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
    owner: Holder,
    { binding, place }: { readonly binding: GpioBinding; readonly place: Place },
    request: () => Promise<L>,
  ): Promise<L> {
    try {
      const line = await request();
      this.#owners.set(line, owner);
      return line;
    } catch (thrown) {
      const holder = this.#holderOf(binding, place);
      if (holder === undefined || codeOf(thrown) !== 'DEVICE_OFFLINE') throw thrown;
      throw inUse(place.name, holder, thrown);
    }
  }

  #holderOf(binding: GpioBinding, { chip, offset }: Place): Holder | undefined {
    for (const line of binding.requested())
      if (line.place.offset === offset && line.place.chip.name === chip.name) return this.#owners.get(line);
    return undefined;
  }

  #outputs(): HeldOutputs {
    const all = this.#opened.map(({ outputs }) => outputs ?? { held: 0, kept: 0 });
    return {
      held: all.reduce((sum, { held }) => sum + held, 0),
      kept: all.reduce((sum, { kept }) => sum + kept, 0),
    };
  }

  async #make(backend: Backend): Promise<GpioBinding> {
    const binding = await this.#binding(backend);
    this.#opened.push(binding);
    return binding;
  }

  async #binding(backend: Backend): Promise<GpioBinding> {
    switch (backend) {
      case 'cdev':
        return (await import('./cdev.js')).characterDevice(this.clock, { keeping: this.#keeping });
      case 'sysfs':
        return (await import('./sysfs.js')).sysfs(this.clock);
      case 'simulated':
        if (this.world === undefined) throw fault('DEVICE_CONFIGURATION', 'this board has no simulated GPIO');
        return simulated(this.world, this.clock);
    }
  }

  /** The character device wherever the kernel has one: only it numbers edges and sets bias and drive. */
  async #best(): Promise<Backend> {
    if (this.world !== undefined) return 'simulated';
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
