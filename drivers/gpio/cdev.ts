import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Clock } from '../../src/base/clock.js';
import { codeOf, type Fault, fault, faultFrom } from '../../src/base/fault.js';
import { Bustle } from './bustle.js';
import {
  bits,
  CdevLine,
  explained,
  FIRST,
  GuardedLine,
  keptOutput,
  type Request,
  type RequestWish,
  type Taken,
  translated,
} from './cdev-line.js';
import type { Keeper, Link, LinkMaker } from './keeper.js';
import type { HeldOutputs, Keeping } from './keeping.js';
import {
  type Chip,
  CONSUMER,
  type Edge,
  EVENT_BUFFER,
  type GpioBinding,
  type InputLine,
  type InputListener,
  type InputWish,
  type LineInfo,
  type OutputLine,
  type OutputWish,
  type Place,
  type RequestedLine,
  TICKS_US,
} from './line.js';
import { nativeFile } from '../../src/base/package-root.js';

/** The addon, `native/gpio.c`: the kernel's own terms, nothing added. */
interface Addon {
  readonly flags: Readonly<
    Record<
      | 'used'
      | 'activeLow'
      | 'input'
      | 'output'
      | 'rising'
      | 'falling'
      | 'openDrain'
      | 'openSource'
      | 'pullUp'
      | 'pullDown'
      | 'biasDisabled',
      number
    >
  >;
  chip(path: string): Chip;
  lines(path: string): { offset: number; name: string; consumer: string; flags: number }[];
  readonly Request: new (path: string, wish: RequestWish) => Request;
  readonly Link: new (...parameters: Parameters<LinkMaker>) => Link;
}

/** struct gpio_v2_line_event in 32-bit words: timestamp 0 and 1, id 2, offset 3, seqno 4, line_seqno 5, padding. */
const EVENT_WORDS = 12;
const RISING_EDGE = 1;

const ADDON = nativeFile('gpio.node');

export interface CharacterDeviceOptions {
  /** Where the device nodes are; `/dev` unless said. */
  readonly directory?: string;
  /** Another build of the addon; the project's own unless said. */
  readonly addon?: string;
  /** Who keeps outputs that have a `guard`; absent: nobody does. */
  readonly keeping?: Keeping | undefined;
}

/** Opens the way over the character device (uAPI v2, Linux 5.10 on). Throws when the addon is not built. */
export function characterDevice(clock: Clock, options: CharacterDeviceOptions = {}): GpioBinding {
  const addon = createRequire(import.meta.url)(options.addon ?? ADDON) as Addon;
  return new CharacterDevice(addon, clock, options);
}

class CharacterDevice implements GpioBinding {
  readonly backend = 'cdev';
  readonly debouncesFromUs = TICKS_US;
  readonly #addon: Addon;
  readonly #clock: Clock;
  readonly #directory: string;
  readonly #keeping: Keeping | undefined;
  readonly #held = new Set<CdevLine>();
  readonly #outputs = new Set<CdevLine>();
  /** Once an output was looked for there. */
  #keeper: Keeper | undefined;

  constructor(addon: Addon, clock: Clock, { directory = '/dev', keeping }: CharacterDeviceOptions) {
    this.#addon = addon;
    this.#clock = clock;
    this.#directory = directory;
    this.#keeping = keeping;
  }

  get held(): number {
    return this.#held.size;
  }

  requested(): Iterable<RequestedLine> {
    return this.#held;
  }

  get outputs(): HeldOutputs {
    return { held: this.#outputs.size, kept: [...this.#outputs].filter((line) => line.kept).length };
  }

  async chips(): Promise<Chip[]> {
    const entries = await readdir(this.#directory, { withFileTypes: true });
    // Links are left out: Raspberry Pi OS has one, /dev/gpiochip4, beside the chip that it means.
    const names = entries
      .filter((e) => /^gpiochip\d+$/.test(e.name) && !e.isSymbolicLink())
      .map((e) => e.name);
    names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    return names.map((name) => translated(name, () => this.#addon.chip(this.#path({ name }))));
  }

  async lines(chip: Chip): Promise<LineInfo[]> {
    const lines = translated(chip.label, () => this.#addon.lines(this.#path(chip)));
    return lines.map(({ offset, name, consumer, flags }) => {
      const { used, output } = this.#addon.flags;
      const direction = (flags & output) === 0 ? 'input' : 'output';
      return { offset, name, consumer, used: (flags & used) !== 0, direction };
    });
  }

  async requestOutput(place: Place, wish: OutputWish): Promise<OutputLine> {
    const { guard } = wish;
    const keeper = guard && (await this.#keeping?.keeper((...way) => new this.#addon.Link(...way)));
    if (guard === undefined || keeper === undefined)
      return this.#output((ending) => new CdevLine({ place, ...this.#newOutput(place, wish), ...ending }));
    this.#keeper = keeper;
    const entry = keeper.entry(place, await this.#nth(place.chip), { ...wish, guard });
    const kept = (await keeper.take(entry, place.name)) as Request | undefined;
    try {
      const taken = kept === undefined ? this.#newOutput(place, wish) : keptOutput(place, kept, wish);
      const line = this.#output(
        (ending) => new GuardedLine({ place, ...taken, ...ending }, { keeper, entry, guard, wish }),
      );
      line.kept = kept !== undefined;
      await keeper.holds(line);
      return line;
    } catch (thrown) {
      keeper.forgo(entry);
      throw thrown;
    }
  }

  async requestInput(place: Place, wish: InputWish, listener: InputListener): Promise<InputLine> {
    // It may have been an output a moment ago, which the keeper still keeps.
    await this.#keeper?.letGo(place, await this.#nth(place.chip));
    const { activeLow, input, rising, falling, pullUp, pullDown, biasDisabled } = this.#addon.flags;
    const bias = { 'as-is': 0, disabled: biasDisabled, 'pull-up': pullUp, 'pull-down': pullDown }[wish.bias];
    const request = this.#request(place, {
      flags: input | rising | falling | bias | (wish.activeLow ? activeLow : 0),
      debounceUs: wish.debounceUs,
      eventBuffer: wish.eventBuffer ?? EVENT_BUFFER,
    });
    const bustle = new Bustle();
    try {
      const initial = request.get(FIRST) === FIRST;
      const events = request.watch(
        (count) => {
          const batch = edges(count, words, times);
          listener.edges(batch);
          line.linger(this.#clock, bustle.note(batch));
        },
        (code) =>
          listener.lost(fault('DEVICE_OFFLINE', `the GPIO chip ${place.chip.label} is gone (${code})`)),
      );
      const words = new Uint32Array(events);
      const times = new BigUint64Array(events);
      const line = new CdevLine({ place, request, initial, onClosed: () => this.#held.delete(line) });
      this.#held.add(line);
      return line;
    } catch (thrown) {
      request.close();
      throw this.#explained(place, thrown);
    }
  }

  /** Requests a line and drives it in one step. */
  #newOutput(place: Place, wish: OutputWish): Taken {
    const { activeLow, output, openDrain, openSource } = this.#addon.flags;
    const drive = { 'push-pull': 0, 'open-drain': openDrain, 'open-source': openSource }[wish.drive];
    const flags = output | drive | (wish.activeLow ? activeLow : 0);
    if (wish.boot !== 'hold') {
      const initial = wish.boot === 'active';
      return { request: this.#request(place, { flags, values: bits(initial) }), initial };
    }
    // As is first: the line stays what it is until its level is known and can be driven on without a glitch.
    const request = this.#request(place, { flags: 0 });
    try {
      const initial = (request.get(FIRST) === FIRST) !== wish.activeLow;
      request.configure({ flags, values: bits(initial) });
      return { request, initial };
    } catch (thrown) {
      request.close();
      throw this.#explained(place, thrown);
    }
  }

  #output<L extends CdevLine>(make: (ending: { onClosed: () => void }) => L): L {
    const line = make({
      onClosed: () => {
        this.#held.delete(line);
        this.#outputs.delete(line);
      },
    });
    this.#held.add(line);
    this.#outputs.add(line);
    return line;
  }

  /** The chip's place among those of its label: what tells it from them after a boot, too. */
  async #nth({ name, label }: Chip): Promise<number> {
    const alike = (await this.chips()).filter((chip) => chip.label === label);
    return Math.max(
      0,
      alike.findIndex((chip) => chip.name === name),
    );
  }

  #path(chip: { readonly name: string }): string {
    return `${this.#directory}/${chip.name}`;
  }

  #request(place: Place, wish: Omit<RequestWish, 'offsets' | 'consumer'>): Request {
    try {
      return new this.#addon.Request(this.#path(place.chip), {
        offsets: [place.offset],
        consumer: CONSUMER,
        ...wish,
      });
    } catch (thrown) {
      throw this.#explained(place, thrown);
    }
  }

  #explained(place: Place, thrown: unknown): Fault {
    if (codeOf(thrown) !== 'EBUSY') return explained(place.name, thrown);
    const holder = this.#addon.lines(this.#path(place.chip))[place.offset]?.consumer;
    return faultFrom(thrown, 'DEVICE_OFFLINE', `${place.name} is in use by ${holder || 'another program'}`);
  }
}

function edges(count: number, words: Uint32Array, times: BigUint64Array): Edge[] {
  return Array.from({ length: count }, (_, n) => ({
    active: words[n * EVENT_WORDS + 2] === RISING_EDGE,
    atNs: times[(n * EVENT_WORDS) / 2] as bigint,
    lineSeqno: words[n * EVENT_WORDS + 5] as number,
  }));
}
