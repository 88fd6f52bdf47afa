import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Cancel, Clock } from '../../src/base/clock.js';
import { type Fault, fault, faultFrom, messageOf } from '../../src/base/fault.js';
import { Bustle } from './bustle.js';
import type { LineInterrupts } from './interrupts.js';
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
}

interface Configuration {
  flags: number;
  values?: bigint;
  debounceUs?: number;
}

interface RequestWish extends Configuration {
  offsets: number[];
  consumer: string;
  eventBuffer?: number;
}

interface Request {
  get(mask: bigint): bigint;
  set(mask: bigint, bits: bigint): void;
  configure(wish: Configuration): void;
  watch(onEvents: (count: number) => void, onEnd: (code: string) => void): ArrayBuffer;
  pause(isPaused: boolean): void;
  close(): void;
}

/** Each of our requests holds one line: bit 0. */
const FIRST = 1n;
/** struct gpio_v2_line_event in 32-bit words: timestamp 0 and 1, id 2, offset 3, seqno 4, line_seqno 5, padding. */
const EVENT_WORDS = 12;
const RISING_EDGE = 1;

const ADDON = fileURLToPath(new URL('../../../build/gpio.node', import.meta.url));

export interface CharacterDeviceOptions {
  /** Where the device nodes are; `/dev` unless said. */
  readonly directory?: string;
  /** Another build of the addon; the project's own unless said. */
  readonly addon?: string;
}

/** Opens the way over the character device (uAPI v2, Linux 5.10 on). Throws when the addon is not built. */
export function characterDevice(clock: Clock, options: CharacterDeviceOptions = {}): GpioBinding {
  const addon = createRequire(import.meta.url)(options.addon ?? ADDON) as Addon;
  return new CharacterDevice(addon, clock, options.directory ?? '/dev');
}

class CharacterDevice implements GpioBinding {
  readonly backend = 'cdev';
  readonly debouncesFromUs = TICKS_US;
  readonly #addon: Addon;
  readonly #clock: Clock;
  readonly #directory: string;
  readonly #held = new Set<CdevLine>();

  constructor(addon: Addon, clock: Clock, directory: string) {
    this.#addon = addon;
    this.#clock = clock;
    this.#directory = directory;
  }

  get held(): number {
    return this.#held.size;
  }

  requested(): Iterable<RequestedLine> {
    return this.#held;
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
    const { activeLow, output, openDrain, openSource } = this.#addon.flags;
    const drive = { 'push-pull': 0, 'open-drain': openDrain, 'open-source': openSource }[wish.drive];
    const flags = output | drive | (wish.activeLow ? activeLow : 0);
    if (wish.boot !== 'hold') {
      const initial = wish.boot === 'active';
      return this.#hold(place, this.#request(place, { flags, values: bits(initial) }), initial);
    }
    // As is first: the line stays what it is until its level is known and can be driven on without a glitch.
    const request = this.#request(place, { flags: 0 });
    try {
      const initial = (request.get(FIRST) === FIRST) !== wish.activeLow;
      request.configure({ flags, values: bits(initial) });
      return this.#hold(place, request, initial);
    } catch (thrown) {
      request.close();
      throw this.#explained(place, thrown);
    }
  }

  async requestInput(place: Place, wish: InputWish, listener: InputListener): Promise<InputLine> {
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
      const line = this.#hold(place, request, initial);
      return line;
    } catch (thrown) {
      request.close();
      throw this.#explained(place, thrown);
    }
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

  #hold(place: Place, request: Request, initial: boolean): CdevLine {
    const line = new CdevLine({ place, request, initial, onClosed: () => this.#held.delete(line) });
    this.#held.add(line);
    return line;
  }
}

class CdevLine implements InputLine, OutputLine {
  readonly place: Place;
  readonly initial: boolean;
  readonly #request: Request;
  readonly #onClosed: () => void;
  #interrupts: LineInterrupts | undefined;
  #closed = false;
  #lingering: Cancel | undefined;

  constructor(held: { place: Place; request: Request; initial: boolean; onClosed: () => void }) {
    this.place = held.place;
    this.initial = held.initial;
    this.#request = held.request;
    this.#onClosed = held.onClosed;
  }

  async get(): Promise<boolean> {
    return this.#ask(() => this.#request.get(FIRST) === FIRST);
  }

  async set(active: boolean): Promise<void> {
    this.#ask(() => this.#request.set(FIRST, bits(active)));
  }

  /** Lets edges of a busy line gather for a moment. */
  linger(clock: Clock, ms: number): void {
    if (ms === 0 || this.#closed || this.#lingering !== undefined) return; // its listener may have closed it just now
    this.#request.pause(true);
    this.#lingering = clock.after(ms, () => {
      this.#lingering = undefined;
      this.#request.pause(false);
    });
  }

  async interrupts(): Promise<number | undefined> {
    this.#interrupts ??= new (await import('./interrupts.js')).LineInterrupts(this.place.offset);
    return this.#interrupts.count();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#lingering?.();
    this.#request.close();
    this.#onClosed();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #ask<T>(question: () => T): T {
    if (this.#closed) throw new DOMException(`${this.place.name} is closed`, 'AbortError');
    return translated(this.place.name, question);
  }
}

const bits = (active: boolean): bigint => (active ? FIRST : 0n);

function edges(count: number, words: Uint32Array, times: BigUint64Array): Edge[] {
  return Array.from({ length: count }, (_, n) => ({
    active: words[n * EVENT_WORDS + 2] === RISING_EDGE,
    atNs: times[(n * EVENT_WORDS) / 2] as bigint,
    lineSeqno: words[n * EVENT_WORDS + 5] as number,
  }));
}

function translated<T>(what: string, call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw explained(what, thrown);
  }
}

const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;

/** The kernel's errors in this driver's terms: what can be waited for, and what needs another setting. */
function explained(what: string, thrown: unknown): Fault {
  switch (codeOf(thrown)) {
    case 'ENOENT':
    case 'ENODEV':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        `${what}: the GPIO chip is gone, or this line has no interrupt`,
      );
    case 'EACCES':
    case 'EPERM':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        `${what}: no permission; the gateway's user must be in the group of /dev/gpiochip*`,
      );
    case 'EIO':
    case 'ETIMEDOUT':
    case 'EREMOTEIO':
      return faultFrom(thrown, 'DEVICE_REFUSED', `${what}: ${messageOf(thrown)}`);
    default:
      return faultFrom(
        thrown,
        'DEVICE_CONFIGURATION',
        `${what}: this chip can't do that (${messageOf(thrown)})`,
      );
  }
}
