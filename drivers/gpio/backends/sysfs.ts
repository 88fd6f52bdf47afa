import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import type { BinaryValue, Gpio } from 'onoff';
import type { Clock } from '../../../src/base/clock.js';
import { codeOf, type Fault, fault, faultFrom, messageOf } from '../../../src/base/fault.js';
import { SerialQueue } from '../../../src/base/serial-queue.js';
import { waitUntilWritable } from '../../../src/device/toolkit/sysfs-class.js';
import { kernelSysfs } from '../../../src/device/toolkit/kernel-sysfs.js';
import type { KeeperClient } from '../keeper/keeper-client.js';
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

/** Fixed: `onoff` has no option for another path. */
const ROOT = '/sys/class/gpio';

/**
 * Opens the backend for sysfs (through `onoff`), for kernels without the character device. It supports
 * outputs and the value of inputs. It does not number edges, so counts are not exact; it cannot set bias,
 * drive or debouncing. A line that is exported already is taken over: sysfs does not show who exported it,
 * maybe this gateway before a crash.
 * `keeper` learns which outputs are held; it cannot guard them.
 */
export async function openSysfs(clock: Clock, keeper?: KeeperClient): Promise<GpioBackend> {
  const { Gpio } = await import('onoff');
  return new Sysfs(Gpio, clock, keeper);
}

class Sysfs implements GpioBackend {
  readonly name = 'sysfs';
  readonly minDebounceUs = Infinity;
  readonly #Gpio: typeof Gpio;
  readonly #clock: Clock;
  readonly #keeper: KeeperClient | undefined;
  /** By global line number; undefined while a line is being requested. */
  readonly #held = new Map<number, SysfsLine | undefined>();

  constructor(OnoffGpio: typeof Gpio, clock: Clock, keeper: KeeperClient | undefined) {
    this.#Gpio = OnoffGpio;
    this.#clock = clock;
    this.#keeper = keeper;
  }

  *requestedLines(): Iterable<RequestedLine> {
    for (const line of this.#held.values()) if (line !== undefined) yield line;
  }

  async chips(): Promise<Chip[]> {
    const names = (await readdir(ROOT)).filter((name) => /^gpiochip\d+$/.test(name));
    names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    return Promise.all(
      names.map(async (name) => ({
        name,
        label: await readAttribute(name, 'label'),
        lines: await lineCount(name),
      })),
    );
  }

  /** sysfs has no line names. */
  async lines(chip: Chip): Promise<LineInfo[]> {
    const base = await baseOf(chip);
    const exported = new Set(await readdir(ROOT));
    return Promise.all(
      Array.from({ length: chip.lines }, async (_, offset) => {
        const isUsed = exported.has(`gpio${base + offset}`);
        const direction = isUsed ? await directionOf(base + offset) : 'unknown';
        return { offset, name: '', isUsed, consumer: '', direction };
      }),
    );
  }

  async requestOutput(location: LineLocation, options: OutputOptions): Promise<OutputLine> {
    if (options.drive !== 'push-pull')
      throw unsupportedSetting(location, coded`SETTING_DRIVE: drive ${options.drive}`);
    const line = await this.#request(location, async (number) => {
      const initial =
        options.boot === 'hold' ? (await levelOf(number)) !== options.activeLow : options.boot === 'active';
      // "high" and "low" set direction and level in one step; they are levels whatever active_low is.
      const direction = initial !== options.activeLow ? 'high' : 'low';
      const onoff = new this.#Gpio(number, direction, 'none', { activeLow: options.activeLow });
      const onClosed = () => this.#keeper?.removeOutput(line);
      return { onoff, initial, onClosed };
    });
    this.#keeper?.addOutput(line);
    return line;
  }

  async requestInput(
    location: LineLocation,
    options: InputOptions,
    listener: InputListener,
  ): Promise<InputLine> {
    if (options.bias !== 'as-is')
      throw unsupportedSetting(location, coded`SETTING_BIAS: bias ${options.bias}`);
    if (options.debounceUs !== 0) throw unsupportedSetting(location, 'debouncing');
    return this.#request(location, async (number) => {
      const onoff = new this.#Gpio(number, 'in', 'both', { activeLow: options.activeLow });
      const initial = onoff.readSync() === 1;
      return { onoff, initial, onClosed: watch(onoff, { initial, listener, clock: this.#clock }) };
    });
  }

  async #request(location: LineLocation, open: (number: number) => Promise<OpenLine>): Promise<SysfsLine> {
    // Line numbers are global: the one after this chip's last belongs to another chip.
    if (location.offset >= location.chip.lines)
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`CHIP_HAS_NO_LINE: ${location.chip.label} has no line ${location.offset}`,
      );
    const number = (await baseOf(location.chip)) + location.offset;
    if (this.#held.has(number))
      throw fault(
        'DEVICE_OFFLINE',
        coded`IN_USE_BY_THIS_GATEWAY: ${location.name} is in use by this gateway`,
      );
    this.#held.set(number, undefined);
    try {
      await this.#export(number);
      const opened = await open(number);
      const onClosed = () => {
        opened.onClosed();
        this.#held.delete(number);
      };
      const line = new SysfsLine(location, { ...opened, onClosed });
      this.#held.set(number, line);
      return line;
    } catch (thrown) {
      // It may not have been exported; the first error is the one to report.
      await writeFile(`${ROOT}/unexport`, String(number)).catch(() => undefined);
      this.#held.delete(number);
      throw translateError(location, thrown);
    }
  }

  /** Exports a line and waits until its files are writable: `onoff` would block the event loop until then. */
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
  /** Called before the line is unexported; stops delivering edges. */
  readonly onClosed: () => void;
}

class SysfsLine implements RequestedLine, OutputLine {
  readonly location: LineLocation;
  readonly initial: boolean;
  /** sysfs cannot pass a line to the line keeper. */
  readonly isGuarded = false;
  readonly #onoff: Gpio;
  readonly #onClosed: () => void;
  /** Node's thread pool may execute two writes in either order. */
  readonly #writes = new SerialQueue();
  #isClosed = false;

  constructor(location: LineLocation, { initial, onoff, onClosed }: OpenLine) {
    this.location = location;
    this.initial = initial;
    this.#onoff = onoff;
    this.#onClosed = onClosed;
  }

  async get(): Promise<boolean> {
    return this.#call(async () => (await this.#onoff.read()) === 1);
  }

  async set(active: boolean): Promise<void> {
    await this.#writes.run(() => this.#call(() => this.#onoff.write(active ? 1 : 0)));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClosed();
    this.#onoff.unexport();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #call<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new DOMException(`${this.location.name} is closed`, 'AbortError');
    try {
      return await operation();
    } catch (thrown) {
      throw translateError(this.location, thrown);
    }
  }
}

/**
 * Reports changes of the value until the returned function is called. Interrupts that are too fast to read
 * coalesce.
 */
function watch(
  onoff: Gpio,
  { initial, listener, clock }: { initial: boolean; listener: InputListener; clock: Clock },
): () => void {
  let value: BinaryValue = initial ? 1 : 0;
  let isStopped = false;
  const read = onoff.readSync.bind(onoff);
  // onoff reads in the callback of its poller, where an error (the chip is gone) would end the process.
  onoff.readSync = () => {
    try {
      return isStopped ? value : read();
    } catch (thrown) {
      isStopped = true;
      onoff.unwatchAll();
      listener.onLost(faultFrom(thrown, 'DEVICE_OFFLINE', coded`CHIP_OF_LINE_GONE: the GPIO chip is gone`));
      return value;
    }
  };
  onoff.watch((_error, now) => {
    if (isStopped || now === value) return;
    value = now;
    listener.onEdges([{ active: now === 1, atNs: clock.monotonicNs(), lineSeqno: 0 }]);
  });
  return () => {
    isStopped = true;
  };
}

/** Another program may unexport the line meanwhile; then the direction is unknown. */
async function directionOf(number: number): Promise<LineDirection> {
  const direction = await readAttribute(`gpio${number}`, 'direction').catch(() => '');
  return direction === 'in' ? 'input' : direction === 'out' ? 'output' : 'unknown';
}

const readAttribute = async (directory: string, name: string): Promise<string> =>
  (await readFile(`${ROOT}/${directory}/${name}`, 'utf8')).trim();

const lineCount = async (chip: string): Promise<number> => Number(await readAttribute(chip, 'ngpio'));

/** The number of a chip's first line, which depends on the kernel. */
async function baseOf(chip: Chip): Promise<number> {
  try {
    return Number(await readAttribute(chip.name, 'base'));
  } catch (thrown) {
    throw faultFrom(thrown, 'DEVICE_OFFLINE', coded`CHIP_GONE: the GPIO chip ${chip.label} is gone`);
  }
}

/** The physical level, whatever active_low is. */
async function levelOf(number: number): Promise<boolean> {
  return (
    (await readAttribute(`gpio${number}`, 'value')) !== (await readAttribute(`gpio${number}`, 'active_low'))
  );
}

const unsupportedSetting = (location: LineLocation, what: Text): Fault =>
  fault(
    'DEVICE_CONFIGURATION',
    coded`SYSFS_CAN_NOT_SET: ${location.name}: sysfs cannot set ${what}; the character device can`,
  );

function translateError(location: LineLocation, thrown: unknown): Fault {
  switch (codeOf(thrown)) {
    case 'EBUSY':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        coded`IN_USE_BY_PROGRAM_OR_KERNEL: ${location.name} is in use by another program or the kernel`,
      );
    case 'ENOENT':
    case 'ENODEV':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        coded`LINE_CHIP_GONE: ${location.name}: the GPIO chip ${location.chip.label} is gone`,
      );
    case 'EINVAL':
      return faultFrom(
        thrown,
        'DEVICE_CONFIGURATION',
        coded`CHIP_NO_SUCH_LINE: ${location.name}: the chip has no such line, or does not support that`,
      );
    case 'EACCES':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        coded`PERMISSION_DENIED_GROUP: ${location.name}: permission denied; add the gateway's user to the group of ${ROOT}`,
      );
    default:
      return faultFrom(thrown, 'DEVICE_REFUSED', `${location.name}: ${messageOf(thrown)}`);
  }
}
