import { sysfsFault } from '../../src/device/toolkit/sysfs-class.js';
import { ChannelReader, findChannel, type ReaderContext } from './channel-reader.js';
import type { Converted } from './conversion/conversion.js';
import { sensorNamed, type DeviceChannel } from './sensor-devices.js';
import type { ChannelProperties } from './sensor-properties.js';

/** A value of a channel, why it is bad, or why it could not be read. */
export type ChannelReading = { readonly ident: string } & (
  { readonly value: Converted; readonly atNs?: bigint } | { readonly thrown: unknown }
);

/** Where the values of the channels of an open device come from. */
export interface ChannelSource {
  readonly idents: readonly string[];
  /** Reads the channels, one after the other. `nowMs` returns the time on the monotonic clock. */
  poll(nowMs: () => number): AsyncIterable<ChannelReading>;
  close(): Promise<void>;
}

/** Channels that are read by their files. */
export class PolledChannels implements ChannelSource {
  readonly #readers: readonly ChannelReader[];

  /** Opens the files. Measures nothing. */
  static async open(
    context: ReaderContext,
    settings: readonly ChannelProperties[],
    { channels, signal }: { readonly channels: readonly DeviceChannel[]; readonly signal: AbortSignal },
  ): Promise<PolledChannels> {
    const readers: ChannelReader[] = [];
    try {
      for (const one of settings) {
        signal.throwIfAborted();
        const found = findChannel(channels, context.device.id, one.Channel);
        readers.push(await ChannelReader.open(context, one, found));
      }
    } catch (thrown) {
      for (const reader of readers) reader.close();
      throw sysfsFault(sensorNamed(context.device), context.attributes.root, thrown);
    }
    return new PolledChannels(readers);
  }

  private constructor(readers: readonly ChannelReader[]) {
    this.#readers = readers;
  }

  get idents(): readonly string[] {
    return this.#readers.map(({ ident }) => ident);
  }

  async *poll(nowMs: () => number): AsyncGenerator<ChannelReading> {
    for (const reader of this.#readers)
      try {
        yield { ident: reader.ident, value: await reader.measure(nowMs) };
      } catch (thrown) {
        yield { ident: reader.ident, thrown };
      }
  }

  async close(): Promise<void> {
    for (const reader of this.#readers) reader.close();
  }
}
