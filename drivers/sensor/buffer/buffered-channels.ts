import { coded } from '../../../src/base/codes/coded-text.js';
import { fault } from '../../../src/base/fault.js';
import { sysfsFault } from '../../../src/device/toolkit/sysfs-class.js';
import { findChannel, readScale, type ReaderContext } from '../channel-reader.js';
import { ChannelValue } from '../channel-value.js';
import type { Converted } from '../conversion/conversion.js';
import type { ChannelReading, ChannelSource } from '../polled-channels.js';
import { sensorNamed, type DeviceChannel } from '../sensor-devices.js';
import type { ChannelProperties } from '../sensor-properties.js';
import { ScanBuffer, type ScanSettings } from './scan-buffer.js';

/** The newest value of a channel since the last poll. */
interface Newest {
  readonly value: Converted;
  readonly atNs?: bigint;
}

/** A channel of the buffer: the mean of `Oversample` readings is a value. */
class BufferedChannel {
  readonly #value: ChannelValue;
  readonly #oversample: number;
  readonly #offset: number;
  readonly #scale: number;
  #sum = 0;
  #count = 0;
  #newest: Newest | undefined;

  constructor(value: ChannelValue, { Oversample = 1 }: ChannelProperties, [offset, scale]: [number, number]) {
    this.#value = value;
    this.#oversample = Oversample;
    this.#offset = offset;
    this.#scale = scale;
  }

  get ident(): string {
    return this.#value.ident;
  }

  add(raw: number, nowMs: number, atNs: bigint | undefined): void {
    this.#sum += raw;
    if (++this.#count < this.#oversample) return;
    const reading = (this.#sum / this.#count + this.#offset) * this.#scale;
    this.#sum = this.#count = 0;
    const atMs = atNs === undefined ? nowMs : Number(atNs) / 1e6;
    this.#newest = { value: this.#value.next(reading, atMs), ...(atNs !== undefined && { atNs }) };
  }

  take(): Newest | undefined {
    const newest = this.#newest;
    this.#newest = undefined;
    return newest;
  }
}

/** Channels that the kernel measures when a trigger fires. A poll reads what it has kept since the last one. */
export class BufferedChannels implements ChannelSource {
  readonly #buffer: ScanBuffer;
  readonly #channels: readonly BufferedChannel[];

  /** Starts the buffer. */
  static async open(
    context: ReaderContext,
    settings: readonly ChannelProperties[],
    { channels, scans }: { readonly channels: readonly DeviceChannel[]; readonly scans: ScanSettings },
  ): Promise<BufferedChannels> {
    const { device, attributes } = context;
    try {
      const names = settings.map((one) => findChannel(channels, device.id, one.Channel).channel);
      const opened: BufferedChannel[] = [];
      for (const [n, one] of settings.entries()) {
        const name = names[n] as string;
        // A scan has raw readings, even of a channel whose file has the value itself.
        opened.push(new BufferedChannel(ChannelValue.of(one, name), one, await readScale(context, name)));
      }
      return new BufferedChannels(await ScanBuffer.open(context, names, scans), opened);
    } catch (thrown) {
      throw sysfsFault(sensorNamed(device), attributes.root, thrown);
    }
  }

  private constructor(buffer: ScanBuffer, channels: readonly BufferedChannel[]) {
    this.#buffer = buffer;
    this.#channels = channels;
  }

  get idents(): readonly string[] {
    return this.#channels.map(({ ident }) => ident);
  }

  async *poll(nowMs: () => number): AsyncGenerator<ChannelReading> {
    const atMs = nowMs();
    const idents = this.idents;
    try {
      const isComplete = await this.#buffer.drain((readings, atNs) => {
        for (const [n, channel] of this.#channels.entries()) channel.add(readings[n] as number, atMs, atNs);
      });
      // One error; the values that follow are good.
      if (!isComplete) yield { ident: idents[0] ?? '', thrown: scansLost() };
    } catch (thrown) {
      for (const ident of idents) yield { ident, thrown };
      return;
    }
    for (const channel of this.#channels) {
      const newest = channel.take();
      if (newest !== undefined) yield { ident: channel.ident, ...newest };
    }
  }

  close(): Promise<void> {
    return this.#buffer.close();
  }
}

const scansLost = () =>
  fault(
    'DEVICE_REFUSED',
    coded`SENSOR_SCANS_LOST: the buffer was full, so readings were lost; lower EveryS or the rate of the trigger`,
  );
