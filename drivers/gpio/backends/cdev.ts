import { coded } from '../../../src/base/codes/coded-text.js';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Clock } from '../../../src/base/clock.js';
import { codeOf, type Fault, fault, faultFrom } from '../../../src/base/fault.js';
import { nativeFile } from '../../../src/base/package-root.js';
import type { KeeperClient } from '../keeper/keeper-client.js';
import type { ConnectKeeper, KeeperSocket } from '../keeper/keeper-protocol.js';
import {
  adoptOutput,
  CdevLine,
  GuardedLine,
  LINE_BIT,
  type OpenRequest,
  type Request,
  type RequestOptions,
  translateError,
  valueBits,
  withTranslatedErrors,
} from './cdev-line.js';
import { EdgeCoalescer } from './edge-coalescer.js';
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
  type LineLocation,
  MIN_KERNEL_DEBOUNCE_US,
  type OutputLine,
  type OutputOptions,
  type RequestedLine,
} from './line.js';

/** The addon, `native/gpio.c`. It uses the kernel's terms and adds nothing. */
export interface GpioAddon {
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
  readonly Request: new (path: string, options: RequestOptions) => Request;
  readonly KeeperSocket: new (...parameters: Parameters<ConnectKeeper>) => KeeperSocket;
}

/**
 * struct gpio_v2_line_event in 32-bit words: timestamp 0 and 1, id 2, offset 3, seqno 4, line_seqno 5,
 * padding.
 */
const EVENT_WORDS = 12;
const RISING_EDGE = 1;
/** What opening the node of a chip that is gone fails with. */
const UNPLUGGED: ReadonlySet<string> = new Set(['ENOENT', 'ENODEV', 'ENXIO']);

const ADDON = nativeFile('gpio.node');

interface CharacterDeviceOptions {
  /** The directory of the device nodes; `/dev` by default. */
  readonly directory?: string;
  /** Another build of the addon; the project's by default. */
  readonly addon?: string;
  /** The line keeper's client, which guards outputs that have a `guard`; absent for none. */
  readonly keeper?: KeeperClient | undefined;
}

/**
 * Opens the backend for the character device (uAPI v2, Linux 5.10 or later). Throws if the addon is not
 * built.
 */
export function openCharacterDevice(clock: Clock, options: CharacterDeviceOptions = {}): GpioBackend {
  const addon = createRequire(import.meta.url)(options.addon ?? ADDON) as GpioAddon;
  return new CharacterDevice(addon, clock, options);
}

class CharacterDevice implements GpioBackend {
  readonly name = 'cdev';
  readonly minDebounceUs = MIN_KERNEL_DEBOUNCE_US;
  readonly #addon: GpioAddon;
  readonly #clock: Clock;
  readonly #directory: string;
  readonly #keeper: KeeperClient | undefined;
  readonly #held = new Set<CdevLine>();

  constructor(addon: GpioAddon, clock: Clock, { directory = '/dev', keeper }: CharacterDeviceOptions) {
    this.#addon = addon;
    this.#clock = clock;
    this.#directory = directory;
    this.#keeper = keeper;
  }

  requestedLines(): Iterable<RequestedLine> {
    return this.#held;
  }

  async chips(): Promise<Chip[]> {
    const entries = await readdir(this.#directory, { withFileTypes: true });
    // Symbolic links are skipped: Raspberry Pi OS adds a link /dev/gpiochip4 to another chip.
    const names = entries
      .filter((entry) => /^gpiochip\d+$/.test(entry.name) && !entry.isSymbolicLink())
      .map((entry) => entry.name);
    names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    return names.flatMap((name) => {
      try {
        return this.#addon.chip(this.#path({ name }));
      } catch (thrown) {
        // It may have been unplugged since the directory was read; the other chips are still there.
        if (UNPLUGGED.has(codeOf(thrown) ?? '')) return [];
        throw translateError(name, thrown);
      }
    });
  }

  async lines(chip: Chip): Promise<LineInfo[]> {
    const lines = withTranslatedErrors(chip.label, () => this.#addon.lines(this.#path(chip)));
    return lines.map(({ offset, name, consumer, flags }) => {
      const { used, output } = this.#addon.flags;
      const direction = (flags & output) === 0 ? 'input' : 'output';
      return { offset, name, consumer, isUsed: (flags & used) !== 0, direction };
    });
  }

  async requestOutput(location: LineLocation, options: OutputOptions): Promise<OutputLine> {
    const { guard } = options;
    const connection = guard && (await this.#keeper?.connection(this.#connect));
    if (guard === undefined || connection === undefined) {
      const request = this.#newOutput(location, options);
      return this.#holdOutput((onClosed) => new CdevLine({ location, ...request, onClosed }));
    }
    const entry = connection.formatEntry(location, await this.#nth(location.chip), { ...options, guard });
    const given = (await connection.request(entry, location.name)) as Request | undefined;
    try {
      const request =
        given === undefined ? this.#newOutput(location, options) : adoptOutput(location, given, options);
      const onLost = options.onLost?.bind(options);
      const line = this.#holdOutput(
        (onClosed) =>
          new GuardedLine(
            { location, ...request, onClosed },
            { keeper: connection, entry, guard, onLost },
            given !== undefined,
          ),
      );
      await connection.register(line);
      return line;
    } catch (thrown) {
      connection.cancelRequest(entry);
      throw thrown;
    }
  }

  async requestInput(
    location: LineLocation,
    options: InputOptions,
    listener: InputListener,
  ): Promise<InputLine> {
    // If the line was an output a moment ago, or in an earlier run, the keeper may still hold it.
    const connection = await this.#keeper?.connectionIfHolding(this.#connect);
    await connection?.release(location, await this.#nth(location.chip));
    const { activeLow, input, rising, falling, pullUp, pullDown, biasDisabled } = this.#addon.flags;
    const biasFlags = { 'as-is': 0, disabled: biasDisabled, 'pull-up': pullUp, 'pull-down': pullDown };
    const request = this.#request(location, {
      flags: input | rising | falling | biasFlags[options.bias] | (options.activeLow ? activeLow : 0),
      debounceUs: options.debounceUs,
      eventBuffer: options.eventBuffer ?? EVENT_BUFFER_SIZE,
    });
    const coalescer = new EdgeCoalescer();
    try {
      const initial = request.get(LINE_BIT) === LINE_BIT;
      const events = request.watch(
        (count) => {
          const batch = edgesFrom(words, times, count);
          listener.onEdges(batch);
          line.pauseEvents(this.#clock, coalescer.noteBatch(batch));
        },
        (code) =>
          listener.onLost(
            fault(
              'DEVICE_OFFLINE',
              coded`CHIP_GONE_BECAUSE: the GPIO chip ${location.chip.label} is gone (${code})`,
            ),
          ),
      );
      const words = new Uint32Array(events);
      const times = new BigUint64Array(events);
      const line = new CdevLine({ location, request, initial, onClosed: () => this.#held.delete(line) });
      this.#held.add(line);
      return line;
    } catch (thrown) {
      request.close();
      throw this.#requestError(location, thrown);
    }
  }

  readonly #connect: ConnectKeeper = (...args) => new this.#addon.KeeperSocket(...args);

  /** Requests a line and drives it in one step. */
  #newOutput(location: LineLocation, options: OutputOptions): OpenRequest {
    const { activeLow, output, openDrain, openSource } = this.#addon.flags;
    const drive = { 'push-pull': 0, 'open-drain': openDrain, 'open-source': openSource }[options.drive];
    const flags = output | drive | (options.activeLow ? activeLow : 0);
    if (options.boot !== 'hold') {
      const initial = options.boot === 'active';
      return { request: this.#request(location, { flags, values: valueBits(initial) }), initial };
    }
    // Requested as is first: the line stays unchanged until its level is known and can be driven without a
    // glitch.
    const request = this.#request(location, { flags: 0 });
    try {
      const initial = (request.get(LINE_BIT) === LINE_BIT) !== options.activeLow;
      request.configure({ flags, values: valueBits(initial) });
      return { request, initial };
    } catch (thrown) {
      request.close();
      throw this.#requestError(location, thrown);
    }
  }

  #holdOutput<L extends CdevLine>(create: (onClosed: () => void) => L): L {
    const line = create(() => {
      this.#held.delete(line);
      this.#keeper?.removeOutput(line);
    });
    this.#held.add(line);
    this.#keeper?.addOutput(line);
    return line;
  }

  /** The index of a chip among those with its label: it identifies the chip after a boot, too. */
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

  #request(location: LineLocation, options: Omit<RequestOptions, 'offsets' | 'consumer'>): Request {
    try {
      return new this.#addon.Request(this.#path(location.chip), {
        offsets: [location.offset],
        consumer: CONSUMER,
        ...options,
      });
    } catch (thrown) {
      throw this.#requestError(location, thrown);
    }
  }

  #requestError(location: LineLocation, thrown: unknown): Fault {
    if (codeOf(thrown) !== 'EBUSY') return translateError(location.name, thrown);
    const consumer = this.#addon.lines(this.#path(location.chip))[location.offset]?.consumer;
    return faultFrom(
      thrown,
      'DEVICE_OFFLINE',
      coded`IN_USE_BY: ${location.name} is in use by ${consumer || 'another program'}`,
    );
  }
}

function edgesFrom(words: Uint32Array, times: BigUint64Array, count: number): Edge[] {
  return Array.from({ length: count }, (_, n) => ({
    active: words[n * EVENT_WORDS + 2] === RISING_EDGE,
    atNs: times[(n * EVENT_WORDS) / 2] as bigint,
    lineSeqno: words[n * EVENT_WORDS + 5] as number,
  }));
}
