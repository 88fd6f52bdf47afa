import { coded } from '../../src/base/codes/coded-text.js';
import { fault } from '../../src/base/fault.js';
import { quality, type QualityProblem } from '../../src/device/module.js';
import { errno, type OpenAttribute, type SysfsClass } from '../../src/device/toolkit/sysfs-class.js';
import { sharedNames } from './channel-names.js';
import { ChannelValue } from './channel-value.js';
import type { Converted } from './conversion/conversion.js';
import type { ReadLanes } from './read-lanes.js';
import type { DeviceChannel, SensorDevice } from './sensor-devices.js';
import type { ChannelProperties } from './sensor-properties.js';

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

const FAULT: QualityProblem = {
  state: quality.bad,
  reason: 'WIRE_BREAK',
  text: 'the chip reports a broken or disconnected sensor',
};

/** How the channels of one device are read: in turn with the other devices of its bus. */
export interface ReaderContext {
  readonly attributes: SysfsClass;
  readonly lanes: ReadLanes;
  readonly device: SensorDevice;
}

/** One channel of an open device. Its files stay open: a read never returns the value of another device. */
export class ChannelReader {
  readonly ident: string;
  readonly #oversample: number;
  readonly #value: ChannelValue;
  readonly #read: () => Promise<number>;
  readonly #isFaulty: () => Promise<boolean>;
  readonly #files: readonly OpenAttribute[];

  /** Opens a channel; rejects with a fault if its settings do not fit what it measures. */
  static async open(
    context: ReaderContext,
    settings: ChannelProperties,
    found: DeviceChannel,
  ): Promise<ChannelReader> {
    const value = ChannelValue.of(settings, found.channel);
    const { attributes, lanes, device } = context;
    const [offset, scale] = found.isProcessed ? [0, 1] : await readScale(context, found.channel);
    const file = await attributes.open(`${device.path}/${found.file}`);
    const failure =
      found.faultFile === undefined ? undefined : await attributes.open(`${device.path}/${found.faultFile}`);
    const numberIn = (opened: OpenAttribute) =>
      lanes.run(device.bus, async () => parseNumber(await opened.read()));
    return new ChannelReader(settings, {
      value,
      read: async () => ((await numberIn(file)) + offset) * scale,
      isFaulty: async () => failure !== undefined && (await numberIn(failure)) !== 0,
      files: failure === undefined ? [file] : [file, failure],
    });
  }

  private constructor(
    { Oversample = 1 }: ChannelProperties,
    parts: {
      readonly value: ChannelValue;
      readonly read: () => Promise<number>;
      readonly isFaulty: () => Promise<boolean>;
      readonly files: readonly OpenAttribute[];
    },
  ) {
    this.ident = parts.value.ident;
    this.#oversample = Oversample;
    this.#value = parts.value;
    this.#read = parts.read;
    this.#isFaulty = parts.isFaulty;
    this.#files = parts.files;
  }

  /** Measures; rejects with the errno of the kernel. `nowMs` returns the time on the monotonic clock. */
  async measure(nowMs: () => number): Promise<Converted> {
    if (await this.#isFaulty()) return this.#value.reject(FAULT);
    let sum = 0;
    for (let n = 0; n < this.#oversample; n++) sum += await this.#read();
    return this.#value.next(sum / this.#oversample, nowMs());
  }

  /** Does not wait for a read in progress: it cannot be interrupted. */
  close(): void {
    // The kernel closes a file in any case.
    for (const file of this.#files) void file.close().catch(() => undefined);
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
export async function readScale(
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
