import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Clock } from '../../../src/base/clock.js';
import { codeOf, type Fault, fault, faultFrom } from '../../../src/base/fault.js';
import { EdgeCoalescer } from './edge-coalescer.js';
import {
  valueBits,
  CdevLine,
  translateError,
  LINE_BIT,
  GuardedLine,
  adoptOutput,
  type Request,
  type RequestOptions,
  type OpenRequest,
  withTranslatedErrors,
} from './cdev-line.js';
import type { KeeperConnection, KeeperSocket, ConnectKeeper } from '../keeper/keeper-connection.js';
import type { OutputCounts, KeeperClient } from '../keeper/keeper-client.js';
import {
  type Chip,
  CONSUMER,
  type Edge,
  EVENT_BUFFER_SIZE,
  type GpioBackend,
  type InputLine,
  type InputListener,
  type InputOptions,
  type LineInfo,
  type OutputLine,
  type OutputOptions,
  type LineLocation,
  type RequestedLine,
  MIN_KERNEL_DEBOUNCE_US,
} from './line.js';
import { nativeFile } from '../../../src/base/package-root.js';

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
  readonly Request: new (path: string, wish: RequestOptions) => Request;
  readonly Link: new (...parameters: Parameters<ConnectKeeper>) => KeeperSocket;
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
  readonly keeping?: KeeperClient | undefined;
}

/** Opens the way over the character device (uAPI v2, Linux 5.10 on). Throws when the addon is not built. */
export function openCharacterDevice(clock: Clock, options: CharacterDeviceOptions = {}): GpioBackend {
  const addon = createRequire(import.meta.url)(options.addon ?? ADDON) as Addon;
  return new CharacterDevice(addon, clock, options);
}

class CharacterDevice implements GpioBackend {
  readonly name = 'cdev';
  readonly minDebounceUs = MIN_KERNEL_DEBOUNCE_US;
  readonly #addon: Addon;
  readonly #clock: Clock;
  readonly #directory: string;
  readonly #keeping: KeeperClient | undefined;
  readonly #held = new Set<CdevLine>();
  readonly #outputs = new Set<CdevLine>();
  /** Once an output was looked for there. */
  #keeper: KeeperConnection | undefined;

  constructor(addon: Addon, clock: Clock, { directory = '/dev', keeping }: CharacterDeviceOptions) {
    this.#addon = addon;
    this.#clock = clock;
    this.#directory = directory;
    this.#keeping = keeping;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  requestedLines(): Iterable<RequestedLine> {
    return this.#held;
  }

  get outputs(): OutputCounts {
    return { held: this.#outputs.size, kept: [...this.#outputs].filter((line) => line.kept).length };
  }

  async chips(): Promise<Chip[]> {
    const entries = await readdir(this.#directory, { withFileTypes: true });
    // Links are left out: Raspberry Pi OS has one, /dev/gpiochip4, beside the chip that it means.
    const names = entries
      .filter((e) => /^gpiochip\d+$/.test(e.name) && !e.isSymbolicLink())
      .map((e) => e.name);
    names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    return names.map((name) => withTranslatedErrors(name, () => this.#addon.chip(this.#path({ name }))));
  }

  async lines(chip: Chip): Promise<LineInfo[]> {
    const lines = withTranslatedErrors(chip.label, () => this.#addon.lines(this.#path(chip)));
    return lines.map(({ offset, name, consumer, flags }) => {
      const { used, output } = this.#addon.flags;
      const direction = (flags & output) === 0 ? 'input' : 'output';
      return { offset, name, consumer, used: (flags & used) !== 0, direction };
    });
  }

  async requestOutput(place: LineLocation, wish: OutputOptions): Promise<OutputLine> {
    const { guard } = wish;
    const keeper = guard && (await this.#keeping?.connection((...way) => new this.#addon.Link(...way)));
    if (guard === undefined || keeper === undefined)
      return this.#output((ending) => new CdevLine({ place, ...this.#newOutput(place, wish), ...ending }));
    this.#keeper = keeper;
    const entry = keeper.formatEntry(place, await this.#nth(place.chip), { ...wish, guard });
    const kept = (await keeper.request(entry, place.name)) as Request | undefined;
    try {
      const taken = kept === undefined ? this.#newOutput(place, wish) : adoptOutput(place, kept, wish);
      const line = this.#output(
        (ending) => new GuardedLine({ place, ...taken, ...ending }, { keeper, entry, guard, wish }),
      );
      line.kept = kept !== undefined;
      await keeper.register(line);
      return line;
    } catch (thrown) {
      keeper.cancelRequest(entry);
      throw thrown;
    }
  }

  async requestInput(place: LineLocation, wish: InputOptions, listener: InputListener): Promise<InputLine> {
    // It may have been an output a moment ago, which the keeper still keeps.
    await this.#keeper?.release(place, await this.#nth(place.chip));
    const { activeLow, input, rising, falling, pullUp, pullDown, biasDisabled } = this.#addon.flags;
    const bias = { 'as-is': 0, disabled: biasDisabled, 'pull-up': pullUp, 'pull-down': pullDown }[wish.bias];
    const request = this.#request(place, {
      flags: input | rising | falling | bias | (wish.activeLow ? activeLow : 0),
      debounceUs: wish.debounceUs,
      eventBuffer: wish.eventBuffer ?? EVENT_BUFFER_SIZE,
    });
    const bustle = new EdgeCoalescer();
    try {
      const initial = request.get(LINE_BIT) === LINE_BIT;
      const events = request.watch(
        (count) => {
          const batch = edges(count, words, times);
          listener.edges(batch);
          line.pauseEvents(this.#clock, bustle.noteBatch(batch));
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
  #newOutput(place: LineLocation, wish: OutputOptions): OpenRequest {
    const { activeLow, output, openDrain, openSource } = this.#addon.flags;
    const drive = { 'push-pull': 0, 'open-drain': openDrain, 'open-source': openSource }[wish.drive];
    const flags = output | drive | (wish.activeLow ? activeLow : 0);
    if (wish.boot !== 'hold') {
      const initial = wish.boot === 'active';
      return { request: this.#request(place, { flags, values: valueBits(initial) }), initial };
    }
    // As is first: the line stays what it is until its level is known and can be driven on without a glitch.
    const request = this.#request(place, { flags: 0 });
    try {
      const initial = (request.get(LINE_BIT) === LINE_BIT) !== wish.activeLow;
      request.configure({ flags, values: valueBits(initial) });
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

  #request(place: LineLocation, wish: Omit<RequestOptions, 'offsets' | 'consumer'>): Request {
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

  #explained(place: LineLocation, thrown: unknown): Fault {
    if (codeOf(thrown) !== 'EBUSY') return translateError(place.name, thrown);
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
