import { coded } from '../../src/base/codes/coded-text.js';
import { fault } from '../../src/base/fault.js';
import { quality, type QualityProblem } from '../../src/device/module.js';
import { errno, type OpenAttribute, type SysfsClass } from '../../src/device/toolkit/sysfs-class.js';
import { ChannelFilter } from './channel-filter.js';
import { parseChannelName, sharedNames, type ChannelName } from './channel-names.js';
import { conversionOf, type Convert, type Converted } from './conversion/conversion.js';
import type { ReadLanes } from './read-lanes.js';
import type { DeviceChannel, SensorDevice } from './sensor-devices.js';
import { channelError, identOf, type ChannelProperties } from './sensor-properties.js';

/** Digits of a value: the last ones of a product of doubles are no measurement. */
const SIGNIFICANT_DIGITS = 12;

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

const FAULT: QualityProblem = {
  state: quality.bad,
  reason: 'WIRE_BREAK',
  text: 'the chip reports a broken or disconnected sensor',
};

/** How the channels of one device are read: in turn with the other devices of its bus. */
interface ReaderContext {
  readonly attributes: SysfsClass;
  readonly lanes: ReadLanes;
  readonly device: SensorDevice;
}

/** One channel of an open device. Its files stay open: a read never returns the value of another device. */
export class ChannelReader {
  readonly ident: string;
  readonly #settings: ChannelProperties;
  readonly #read: () => Promise<number>;
  readonly #isFaulty: () => Promise<boolean>;
  readonly #convert: Convert;
  readonly #filter: ChannelFilter;
  readonly #files: readonly OpenAttribute[];

  /** Opens a channel; rejects with a fault if its settings do not fit what it measures. */
  static async open(
    context: ReaderContext,
    settings: ChannelProperties,
    found: DeviceChannel,
  ): Promise<ChannelReader> {
    const name = parseChannelName(found.channel) as ChannelName;
    const error = channelError(settings, name.quantity);
    if (error !== undefined) throw fault('DEVICE_CONFIGURATION', error);
    const { attributes, lanes, device } = context;
    const [offset, scale] = found.isProcessed ? [0, 1] : await readScale(context, found.channel);
    const value = await attributes.open(`${device.path}/${found.file}`);
    const failure =
      found.faultFile === undefined ? undefined : await attributes.open(`${device.path}/${found.faultFile}`);
    const numberIn = (file: OpenAttribute) =>
      lanes.run(device.bus, async () => parseNumber(await file.read()));
    const { multiply, divide } = name.factor;
    return new ChannelReader(settings, {
      read: async () => (((await numberIn(value)) + offset) * scale * multiply) / divide,
      isFaulty: async () => failure !== undefined && (await numberIn(failure)) !== 0,
      convert: conversionOf(settings, name.quantity),
      files: failure === undefined ? [value] : [value, failure],
    });
  }

  private constructor(
    settings: ChannelProperties,
    parts: {
      readonly read: () => Promise<number>;
      readonly isFaulty: () => Promise<boolean>;
      readonly convert: Convert;
      readonly files: readonly OpenAttribute[];
    },
  ) {
    this.ident = identOf(settings);
    this.#settings = settings;
    this.#read = parts.read;
    this.#isFaulty = parts.isFaulty;
    this.#convert = parts.convert;
    this.#files = parts.files;
    this.#filter = new ChannelFilter(settings);
  }

  /** Measures; rejects with the errno of the kernel. `nowMs` returns the time on the monotonic clock. */
  async measure(nowMs: () => number): Promise<Converted> {
    if (await this.#isFaulty()) return this.#reject(FAULT);
    const { Oversample = 1 } = this.#settings;
    let sum = 0;
    for (let n = 0; n < Oversample; n++) sum += await this.#read();
    const converted = this.#convert(sum / Oversample);
    if (typeof converted !== 'number') return this.#reject(converted);
    const value = this.#calibrate(converted);
    const problem = this.#limitProblem(value);
    if (problem !== undefined) return this.#reject(problem);
    return Number(this.#filter.add(value, nowMs()).toPrecision(SIGNIFICANT_DIGITS));
  }

  /** Does not wait for a read in progress: it cannot be interrupted. */
  close(): void {
    // The kernel closes a file in any case.
    for (const file of this.#files) void file.close().catch(() => undefined);
  }

  #reject(problem: QualityProblem): QualityProblem {
    this.#filter.reset();
    return problem;
  }

  #calibrate(value: number): number {
    const { MeasuredLow, ActualLow, MeasuredHigh, ActualHigh } = this.#settings;
    if (MeasuredLow === undefined || MeasuredHigh === undefined) return value;
    if (ActualLow === undefined || ActualHigh === undefined) return value;
    return ActualLow + ((value - MeasuredLow) * (ActualHigh - ActualLow)) / (MeasuredHigh - MeasuredLow);
  }

  #limitProblem(value: number): QualityProblem | undefined {
    const { Min = -Infinity, Max = Infinity, Channel } = this.#settings;
    if (value >= Min && value <= Max) return undefined;
    const text = `${Number(value.toPrecision(6))} is outside the limits of ${Channel}`;
    return { state: quality.bad, reason: 'OUT_OF_RANGE', text };
  }
}

/** Finds the channel that a property names: by the kernel's name, otherwise by the label. */
export function findChannel(channels: readonly DeviceChannel[], device: string, name: string): DeviceChannel {
  const found =
    channels.find(({ channel }) => channel === name) ?? channels.find(({ label }) => label === name);
  if (found !== undefined) return found;
  throw fault(
    'DEVICE_CONFIGURATION',
    coded`NO_SUCH_CHANNEL: ${device} has no channel ${name}; it has ${channels.map(({ channel }) => channel).join(', ')}`,
  );
}

/** Offset and scale of a raw channel (Documentation/ABI/testing/sysfs-bus-iio): (raw + offset) × scale. */
async function readScale(
  { attributes, lanes, device: { path, bus } }: ReaderContext,
  channel: string,
): Promise<[offset: number, scale: number]> {
  const present = new Set(await attributes.list(path));
  const numberIn = async (kind: string, absent: number) => {
    const file = sharedNames(channel)
      .map((name) => name + kind)
      .find((name) => present.has(name));
    return file === undefined
      ? absent
      : lanes.run(bus, async () => parseNumber(await attributes.read(`${path}/${file}`)));
  };
  return [await numberIn('offset', 0), await numberIn('scale', 1)];
}

function parseNumber(text: string): number {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) throw errno('EIO', `not a number: ${trimmed.slice(0, 40)}`);
  return Number(trimmed);
}
