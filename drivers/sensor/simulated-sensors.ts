import type { Clock } from '../../src/base/clock.js';
import { swing } from '../../src/device/simulation/simulated-device.js';
import { type DeviceNode, errno, type OpenAttribute } from '../../src/device/toolkit/sysfs-class.js';
import { SimulatedSysfs, type SimulatedAttribute } from '../../src/device/toolkit/simulated-sysfs.js';
import { SimulatedBuffer, SimulatedTrigger, type SimulatedElements } from './buffer/simulated-buffer.js';
import { SYSFS_PATH } from './sensor-devices.js';

/** The files of a simulated chip, by name: their text at a time, ms. */
type ChipFiles = Readonly<Record<string, (nowMs: number) => string>>;

const MINUTE_MS = 60_000;
const fixed = (text: string) => () => text;

interface SimulatedChip {
  readonly isHwmon?: boolean;
  readonly files: ChipFiles;
  /** The elements of its buffer. */
  readonly elements?: SimulatedElements;
}

/**
 * The chips that a simulated board can have, with the files of their drivers in the kernel (bmp280-i2c.c,
 * ti-ads1015.c, whose chips all have this name, tmp102.c). The converter measures a current of 4–20 mA across
 * 120 Ω on input 0.
 */
const chips: Readonly<Record<string, SimulatedChip>> = {
  bme280: {
    files: {
      in_temp_input: (nowMs) => String(Math.round(swing(nowMs, [21_500, 1500, 10 * MINUTE_MS]))),
      in_humidityrelative_input: (nowMs) => String(Math.round(swing(nowMs, [45_000, 5000, 20 * MINUTE_MS]))),
      in_pressure_input: (nowMs) => swing(nowMs, [101.3, 0.4, 60 * MINUTE_MS]).toFixed(9),
    },
  },
  ads1015: {
    files: {
      in_voltage0_raw: (nowMs) => String(Math.round(swing(nowMs, [11_520, 3840, 30 * MINUTE_MS]))),
      in_voltage0_scale: fixed('0.125000000'),
      in_voltage1_raw: (nowMs) => String(Math.round(swing(nowMs, [8000, 400, 5 * MINUTE_MS]))),
      in_voltage1_scale: fixed('0.125000000'),
    },
    elements: { in_voltage0: 'le:s16/16', in_voltage1: 'le:s16/16', in_timestamp: 'le:s64/64' },
  },
  tmp102: {
    isHwmon: true,
    files: { temp1_input: (nowMs) => String(Math.round(swing(nowMs, [38_000, 3000, 15 * MINUTE_MS]))) },
  },
};

interface Chip {
  readonly name: string;
  readonly place: string;
  readonly isHwmon: boolean;
  readonly files: Map<string, (nowMs: number) => string>;
  readonly buffer: SimulatedBuffer | undefined;
  /** Counts how often it was plugged in: an open file belongs to one of them. */
  plugged: number;
  number: number;
  isGone: boolean;
}

/**
 * Simulates the directories of IIO and hwmon devices (Documentation/ABI/testing/sysfs-bus-iio,
 * Documentation/hwmon/sysfs-interface.rst). A file of a device that was unplugged stays open and fails with
 * `ENODEV`, even if the device or another one has taken its number.
 */
export class SimulatedSensors extends SimulatedSysfs {
  readonly root = SYSFS_PATH;
  readonly #clock: Pick<Clock, 'nowMs' | 'monotonicNs'>;
  readonly #chips: Chip[];
  readonly #trigger = new SimulatedTrigger();
  /** Buses that hang: a read does not end until the bus is removed from here by `release`. */
  readonly #hanging = new Map<string, PromiseWithResolvers<void>>();
  /** Current and maximum number of reads at the same time. */
  reading = 0;
  mostReading = 0;

  constructor(clock: Pick<Clock, 'nowMs' | 'monotonicNs'>, ids: readonly string[]) {
    super();
    this.#clock = clock;
    const numbers = { hwmon: 0, iio: 0 };
    this.#chips = ids.map((id): Chip => {
      const [name = '', place = ''] = id.split('@');
      const { isHwmon = false, files = {}, elements } = chips[name] ?? {};
      const number = numbers[isHwmon ? 'hwmon' : 'iio']++;
      const texts = new Map(Object.entries(files));
      const raw = (channel: string, agoMs: number) =>
        Number(texts.get(`${channel}_raw`)?.(clock.nowMs() - agoMs));
      const buffer = elements && new SimulatedBuffer(elements, { clock, trigger: this.#trigger, raw });
      return { name, place, isHwmon, files: texts, buffer, plugged: 0, number, isGone: false };
    });
  }

  has(id: string): boolean {
    return this.#chips.some((chip) => idOf(chip) === id);
  }

  /** Sets a file of a chip, or with undefined removes it. An Error is the kernel's error when it is read. */
  setFile(id: string, file: string, text: string | Error | undefined): void {
    const { files } = this.#chip(id);
    if (text === undefined) files.delete(file);
    else
      files.set(file, () => {
        if (typeof text !== 'string') throw text;
        return text;
      });
  }

  /** Unplugs a chip, or plugs it in again. */
  setUnplugged(id: string, isGone: boolean): void {
    const chip = this.#chip(id);
    chip.isGone = isGone;
    chip.plugged += 1;
    chip.buffer?.reset();
  }

  /** Gives a chip another number, as after a restart. */
  renumber(id: string, number: number): void {
    this.#chip(id).number = number;
  }

  /** Makes every read of a bus hang until it is released. */
  hang(bus: string): void {
    this.#hanging.set(bus, Promise.withResolvers());
  }

  release(bus: string): void {
    this.#hanging.get(bus)?.resolve();
    this.#hanging.delete(bus);
  }

  deviceOf = async (path: string): Promise<string> =>
    this.#chips.find((chip) => pathOf(chip) === path)?.place ?? '';

  override async open(path: string): Promise<OpenAttribute> {
    const chip = this.#chips.find((one) => !one.isGone && path.startsWith(`${pathOf(one)}/`));
    if (chip === undefined) throw errno('ENOENT', path);
    const { plugged } = chip;
    const file = path.slice(pathOf(chip).length + 1);
    return {
      read: async () => {
        this.reading += 1;
        this.mostReading = Math.max(this.mostReading, this.reading);
        try {
          await this.#hanging.get(chip.place)?.promise;
          const read = chip.files.get(file);
          if (chip.plugged !== plugged || read === undefined) throw errno('ENODEV', path);
          return read(this.#clock.nowMs());
        } finally {
          this.reading -= 1;
        }
      },
      close: async () => undefined,
    };
  }

  override async openNode(name: string): Promise<DeviceNode> {
    const chip = this.#chips.find((one) => !one.isGone && pathOf(one).endsWith(`/${name}`));
    if (chip?.buffer === undefined) throw errno('ENOENT', `/dev/${name}`);
    const { plugged } = chip;
    return chip.buffer.open(() => chip.plugged !== plugged);
  }

  protected files(): ReadonlyMap<string, SimulatedAttribute> {
    const present = this.#chips.filter(({ isGone }) => !isGone);
    const files = present.flatMap((chip) =>
      [
        ['name', { read: () => chip.name }] as const,
        ...[...chip.files].map(([file, read]) => [file, { read: () => read(this.#clock.nowMs()) }] as const),
        ...(chip.buffer?.files() ?? []),
      ].map(([file, attribute]): [string, SimulatedAttribute] => [`${pathOf(chip)}/${file}`, attribute]),
    );
    const trigger = this.#trigger
      .files()
      .map(([file, attribute]): [string, SimulatedAttribute] => [`${TRIGGER_PATH}/${file}`, attribute]);
    return new Map([...files, ...trigger]);
  }

  #chip(id: string): Chip {
    const chip = this.#chips.find((one) => idOf(one) === id);
    if (chip === undefined) throw new Error(`the simulated machine has no sensor ${id}`);
    return chip;
  }
}

const TRIGGER_PATH = 'bus/iio/devices/trigger0';
const idOf = ({ name, place }: Chip): string => (place === '' ? name : `${name}@${place}`);
const pathOf = ({ isHwmon, number }: Chip): string =>
  isHwmon ? `class/hwmon/hwmon${number}` : `bus/iio/devices/iio:device${number}`;
