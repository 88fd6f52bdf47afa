import { readFile, readdir, writeFile } from 'node:fs/promises';
import type { BinaryValue, Gpio } from 'onoff';
import type { Clock } from '../../../src/base/clock.js';
import { codeOf, type Fault, fault, faultFrom, messageOf } from '../../../src/base/fault.js';
import { waitUntilWritable } from '../../../src/device/toolkit/sysfs-class.js';
import { kernelSysfs } from '../../../src/device/toolkit/kernel-sysfs.js';
import type { OutputCounts } from '../keeper/keeper-client.js';
import type {
  Chip,
  LineDirection,
  GpioBackend,
  InputLine,
  InputListener,
  InputOptions,
  LineInfo,
  OutputLine,
  OutputOptions,
  LineLocation,
  RequestedLine,
} from './line.js';

/** The one place where the kernel, and so `onoff`, has it. */
const ROOT = '/sys/class/gpio';

/**
 * The way over sysfs and `onoff`, for kernels that offer nothing else: outputs and the value of inputs. It numbers no
 * edges, so nothing is promised about counts; bias, drive and debouncing can't be set; a line that is exported already (by us before
 * a crash, or by anybody else: sysfs doesn't tell) is taken over.
 */
export async function openSysfs(clock: Clock): Promise<GpioBackend> {
  const { Gpio } = await import('onoff');
  return new Sysfs(Gpio, clock);
}

class Sysfs implements GpioBackend {
  readonly name = 'sysfs';
  readonly minDebounceUs = Infinity;
  readonly #Gpio: typeof Gpio;
  readonly #clock: Clock;
  readonly #held = new Map<number, SysfsLine | undefined>();
  readonly #outputs = new WeakSet<SysfsLine>();

  constructor(OnoffGpio: typeof Gpio, clock: Clock) {
    this.#Gpio = OnoffGpio;
    this.#clock = clock;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /** Nobody can keep a line of sysfs for another. */
  get outputs(): OutputCounts {
    const all = [...this.#held.values()].filter((line) => line !== undefined && this.#outputs.has(line));
    return { held: all.length, kept: 0 };
  }

  *requestedLines(): Iterable<RequestedLine> {
    for (const line of this.#held.values()) if (line !== undefined) yield line;
  }

  async chips(): Promise<Chip[]> {
    const names = (await readdir(ROOT)).filter((name) => /^gpiochip\d+$/.test(name));
    names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    return Promise.all(
      names.map(async (name) => ({ name, label: await attribute(name, 'label'), lines: await count(name) })),
    );
  }

  /** sysfs knows no names. */
  async lines(chip: Chip): Promise<LineInfo[]> {
    const base = await baseOf(chip);
    const exported = new Set(await readdir(ROOT));
    return Promise.all(
      Array.from({ length: chip.lines }, async (_, offset) => {
        const used = exported.has(`gpio${base + offset}`);
        const direction = used ? await directionOf(base + offset) : 'unknown';
        return { offset, name: '', used, consumer: '', direction };
      }),
    );
  }

  async requestOutput(place: LineLocation, wish: OutputOptions): Promise<OutputLine> {
    if (wish.drive !== 'push-pull') throw unsupportedSetting(place, `drive ${wish.drive}`);
    const taken = await this.#take(place, async (number) => {
      const initial =
        wish.boot === 'hold' ? (await levelOf(number)) !== wish.activeLow : wish.boot === 'active';
      // "high" and "low" set direction and level in one step, and mean levels whatever active_low says.
      const direction = initial !== wish.activeLow ? 'high' : 'low';
      const onoff = new this.#Gpio(number, direction, 'none', { activeLow: wish.activeLow });
      return { onoff, initial, stop: () => undefined };
    });
    this.#outputs.add(taken);
    return taken;
  }

  async requestInput(place: LineLocation, wish: InputOptions, listener: InputListener): Promise<InputLine> {
    if (wish.bias !== 'as-is') throw unsupportedSetting(place, `bias ${wish.bias}`);
    if (wish.debounceUs !== 0) throw unsupportedSetting(place, 'debouncing');
    return this.#take(place, async (number) => {
      const onoff = new this.#Gpio(number, 'in', 'both', { activeLow: wish.activeLow });
      const initial = onoff.readSync() === 1;
      return { onoff, initial, stop: watch(onoff, { initial, listener, clock: this.#clock }) };
    });
  }

  async #take(place: LineLocation, open: (number: number) => Promise<OpenLine>): Promise<SysfsLine> {
    // Numbers are the whole machine's: one past this chip's last is another chip's line.
    if (place.offset >= place.chip.lines)
      throw fault('DEVICE_CONFIGURATION', `${place.chip.label} has no line ${place.offset}`);
    const number = (await baseOf(place.chip)) + place.offset;
    if (this.#held.has(number)) throw fault('DEVICE_OFFLINE', `${place.name} is in use by this gateway`);
    this.#held.set(number, undefined);
    try {
      await this.#export(number);
      const line = new SysfsLine(place, await open(number), () => this.#held.delete(number));
      this.#held.set(number, line);
      return line;
    } catch (thrown) {
      await writeFile(`${ROOT}/unexport`, String(number)).catch(() => undefined);
      this.#held.delete(number);
      throw translateError(place, thrown);
    }
  }

  /** Exports a line and waits until its files may be written: `onoff` would hold the event loop until then. */
  async #export(number: number): Promise<void> {
    if (!(await readdir(ROOT)).includes(`gpio${number}`)) await writeFile(`${ROOT}/export`, String(number));
    const lines = kernelSysfs(ROOT);
    for (const name of ['value', 'direction', 'active_low'])
      await waitUntilWritable(lines, this.#clock, `gpio${number}/${name}`);
  }
}

interface OpenLine {
  readonly onoff: Gpio;
  readonly initial: boolean;
  /** Ends what `open` began: no edge is told after it. */
  readonly stop: () => void;
}

class SysfsLine implements RequestedLine, OutputLine {
  readonly location: LineLocation;
  readonly initial: boolean;
  readonly #onoff: Gpio;
  readonly #stop: () => void;
  readonly #onClosed: () => void;
  #closed = false;

  constructor(place: LineLocation, opened: OpenLine, onClosed: () => void) {
    this.location = place;
    this.initial = opened.initial;
    this.#onoff = opened.onoff;
    this.#stop = opened.stop;
    this.#onClosed = onClosed;
  }

  async get(): Promise<boolean> {
    return this.#ask(async () => (await this.#onoff.read()) === 1);
  }

  async set(active: boolean): Promise<void> {
    await this.#ask(() => this.#onoff.write(active ? 1 : 0));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stop();
    this.#onoff.unexport();
    this.#onClosed();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new DOMException(`${this.location.name} is closed`, 'AbortError');
    try {
      return await question();
    } catch (thrown) {
      throw translateError(this.location, thrown);
    }
  }
}

/** Tells changes of the value, until the function that it gives is called. Interrupts that come faster than they are read are one. */
function watch(
  onoff: Gpio,
  { initial, listener, clock }: { initial: boolean; listener: InputListener; clock: Clock },
): () => void {
  let value: BinaryValue = initial ? 1 : 0;
  let stopped = false;
  const read = onoff.readSync.bind(onoff);
  // onoff reads in its poller's callback, where an error of a chip that is gone would end the process.
  onoff.readSync = () => {
    try {
      return stopped ? value : read();
    } catch (thrown) {
      stopped = true;
      onoff.unwatchAll();
      listener.lost(faultFrom(thrown, 'DEVICE_OFFLINE', 'the GPIO chip is gone'));
      return value;
    }
  };
  onoff.watch((_error, now) => {
    if (stopped || now === value) return;
    value = now;
    listener.edges([{ active: now === 1, atNs: clock.monotonicNs(), lineSeqno: 0 }]);
  });
  return () => {
    stopped = true;
  };
}

/** Another program may let go of it meanwhile. */
async function directionOf(number: number): Promise<LineDirection> {
  const direction = await attribute(`gpio${number}`, 'direction').catch(() => '');
  return direction === 'in' ? 'input' : direction === 'out' ? 'output' : 'unknown';
}

const attribute = async (directory: string, name: string): Promise<string> =>
  (await readFile(`${ROOT}/${directory}/${name}`, 'utf8')).trim();

const count = async (chip: string): Promise<number> => Number(await attribute(chip, 'ngpio'));

/** Numbers are the chip's base plus the offset, and the base is another with another kernel. */
async function baseOf(chip: Chip): Promise<number> {
  try {
    return Number(await attribute(chip.name, 'base'));
  } catch (thrown) {
    throw faultFrom(thrown, 'DEVICE_OFFLINE', `the GPIO chip ${chip.label} is gone`);
  }
}

/** The physical level, whatever active_low was left at. */
async function levelOf(number: number): Promise<boolean> {
  return (await attribute(`gpio${number}`, 'value')) !== (await attribute(`gpio${number}`, 'active_low'));
}

const unsupportedSetting = (place: LineLocation, what: string): Fault =>
  fault('DEVICE_CONFIGURATION', `${place.name}: sysfs can't set ${what}; the character device can`);

function translateError(place: LineLocation, thrown: unknown): Fault {
  switch (codeOf(thrown)) {
    case 'EBUSY':
      return faultFrom(thrown, 'DEVICE_OFFLINE', `${place.name} is in use by another program or the kernel`);
    case 'ENOENT':
    case 'ENODEV':
      return faultFrom(thrown, 'DEVICE_OFFLINE', `${place.name}: the GPIO chip ${place.chip.label} is gone`);
    case 'EINVAL':
      return faultFrom(
        thrown,
        'DEVICE_CONFIGURATION',
        `${place.name}: the chip has no such line, or can't do that`,
      );
    case 'EACCES':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        `${place.name}: no permission; the gateway's user must be in the group of ${ROOT}`,
      );
    default:
      return faultFrom(thrown, 'DEVICE_REFUSED', `${place.name}: ${messageOf(thrown)}`);
  }
}
