import { coded, type Text } from '../../src/base/codes/coded-text.js';
import type { Cancel } from '../../src/base/clock.js';
import { fault, type Fault } from '../../src/base/fault.js';
import { type Host, type OpenInstance, quality, type QualityProblem } from '../../src/device/module.js';
import { sysfsFault } from '../../src/device/toolkit/sysfs-class.js';
import { TransientProblems } from '../../src/device/toolkit/transient-problems.js';
import type { ReaderContext } from './channel-reader.js';
import type { SensorContext } from './index.js';
import { PolledChannels, type ChannelReading, type ChannelSource } from './polled-channels.js';
import { OVERDUE_MS, type ReadLanes } from './read-lanes.js';
import {
  findSensorDevice,
  listChannels,
  sensorNamed,
  SYSFS_PATH,
  type DeviceChannel,
  type SensorDevice,
} from './sensor-devices.js';
import type { ChannelProperties, SensorProperties } from './sensor-properties.js';

/** Opens an instance of the module. Measures nothing before the first poll. */
export async function openSensor(
  host: Host<SensorProperties>,
  context: SensorContext,
): Promise<OpenInstance> {
  const attributes = await context.attributes();
  const { lanes, holders } = context;
  const device = await findSensorDevice(attributes, host.properties.Device);
  if (lanes.isOverdue(device.bus)) throw fault('DEVICE_OFFLINE', blockedText(device));
  const channels = await listChannels(attributes, device.path);
  if (host.properties.Channels.length === 0) {
    if (channels.length === 0)
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`SENSOR_WITHOUT_CHANNELS: ${device.id} has no channel of a quantity that Sensor knows`,
      );
    // Reopens the instance, which then has the variables.
    host.reconfigure({ Channels: channelSettings(channels) });
  }
  return holders.open(sensorNamed(device), host, async (release) => {
    const source = await openChannels(host, { attributes, lanes, device }, channels);
    const sensor = new SensorInstance(host, { device, lanes, source, release });
    sensor.begin();
    return sensor;
  });
}

/** Opens the channels of the properties: by their files, or by the buffer of the device. */
async function openChannels(
  { properties, signal }: Host<SensorProperties>,
  context: ReaderContext,
  channels: readonly DeviceChannel[],
): Promise<ChannelSource> {
  const { Channels, Trigger: trigger, SampleHz: sampleHz, EveryS: everyS } = properties;
  // Without a list the instance is about to be reopened with one.
  if (trigger === '' || Channels.length === 0)
    return PolledChannels.open(context, Channels, { channels, signal });
  const { BufferedChannels } = await import('./buffer/buffered-channels.js');
  return BufferedChannels.open(context, Channels, { channels, scans: { trigger, sampleHz, everyS } });
}

/** The properties for all channels of a device; a label of the kernel is the name of the variable. */
export function channelSettings(channels: readonly DeviceChannel[]): ChannelProperties[] {
  return channels.map(({ channel, label }) => ({
    Channel: channel,
    ...(label !== '' && { Name: label }),
  }));
}

interface SensorParts {
  readonly device: SensorDevice;
  readonly lanes: ReadLanes;
  readonly source: ChannelSource;
  readonly release: () => void;
}

/** One chip, polled at a fixed interval. */
class SensorInstance implements OpenInstance {
  readonly #host: Host<SensorProperties>;
  readonly #parts: SensorParts;
  readonly #problems: TransientProblems;
  #errors: number;
  #dueMs = 0;
  #cancel: Cancel | undefined;
  #unwatch: Cancel = () => undefined;
  #polling: Promise<ReadonlyMap<string, Fault>> | undefined;

  constructor(host: Host<SensorProperties>, parts: SensorParts) {
    this.#host = host;
    this.#parts = parts;
    this.#problems = new TransientProblems(host);
    const errors = host.lastValue('ERRORS');
    this.#errors = typeof errors === 'number' ? errors : 0;
  }

  begin(): void {
    this.#host.report('ERRORS', this.#errors);
    this.#dueMs = this.#nowMs();
    this.#schedule();
  }

  /** Reads all channels now, or waits for the poll in progress. */
  async refresh(ident: string): Promise<void> {
    if (this.#isBlocked()) throw fault('DEVICE_OFFLINE', blockedText(this.#parts.device));
    const failure = (await this.#poll()).get(ident);
    if (failure !== undefined) throw failure;
  }

  async close(): Promise<void> {
    this.#cancel?.();
    this.#unwatch();
    this.#problems.close();
    await this.#parts.source.close();
    this.#parts.release();
  }

  #nowMs(): number {
    return Number(this.#host.clock.monotonicNs()) / 1e6;
  }

  /** The interval has no drift: the next time follows from the last one, not from the end of the poll. */
  #schedule(): void {
    if (this.#host.signal.aborted) return;
    this.#cancel = this.#host.clock.after(Math.max(0, this.#dueMs - this.#nowMs()), () => {
      const everyMs = this.#host.properties.EveryS * 1000;
      const missed = Math.floor((this.#nowMs() - this.#dueMs) / everyMs);
      this.#dueMs += (missed + 1) * everyMs;
      this.#schedule();
      // A poll in progress, or another device of the bus, occupies the bus: this poll is skipped.
      if (this.#isBlocked()) this.#markBlocked();
      else if (this.#polling === undefined) void this.#poll();
    });
  }

  #isBlocked(): boolean {
    return this.#parts.lanes.isOverdue(this.#parts.device.bus);
  }

  /** Resolves with why channels could not be read, by ident. */
  #poll(): Promise<ReadonlyMap<string, Fault>> {
    this.#polling ??= this.#pollAll().finally(() => (this.#polling = undefined));
    return this.#polling;
  }

  async #pollAll(): Promise<ReadonlyMap<string, Fault>> {
    const { clock, signal } = this.#host;
    const fromNs = clock.monotonicNs();
    const failures = new Map<string, Fault>();
    // Checked by a timer of its own: the next poll, which would notice that this one hangs, may be hours
    // away.
    this.#unwatch = clock.every(OVERDUE_MS, () => {
      if (this.#isBlocked()) this.#markBlocked();
    });
    for await (const reading of this.#parts.source.poll(() => this.#nowMs())) {
      if (signal.aborted) break;
      const failure = this.#report(reading);
      if (failure === undefined) continue;
      failures.set(reading.ident, failure);
      if (failure.code === 'DEVICE_OFFLINE') {
        // It is found again under any number.
        this.#host.reportLost(failure);
        break;
      }
    }
    this.#unwatch();
    this.#host.recordPoll(fromNs);
    return failures;
  }

  /** Reports a value, or marks the channel; returns why it could not be read. */
  #report(reading: ChannelReading): Fault | undefined {
    const { ident } = reading;
    if ('value' in reading) {
      if (typeof reading.value === 'number') this.#host.report(ident, reading.value, reading.atNs);
      else this.#markBad(ident, reading.value);
      return undefined;
    }
    const failure = sysfsFault(sensorNamed(this.#parts.device), SYSFS_PATH, reading.thrown);
    if (failure.code !== 'DEVICE_OFFLINE') this.#countError(ident, noAnswer(failure.message));
    return failure;
  }

  #markBad(ident: string, problem: QualityProblem): void {
    this.#host.markUncertain(ident, problem);
    this.#problems.add(problem.reason, () => coded`ABOUT: ${ident}: ${problem.text}`);
  }

  #countError(ident: string, problem: QualityProblem): void {
    this.#host.report('ERRORS', ++this.#errors);
    this.#host.markUncertain(ident, problem);
    this.#problems.add('READING', () => coded`ABOUT: ${ident}: ${problem.text}`);
  }

  /** All values are bad while the bus hangs; this poll does not happen. */
  #markBlocked(): void {
    const text = blockedText(this.#parts.device);
    for (const ident of this.#parts.source.idents) this.#host.markUncertain(ident, noAnswer(text.toString()));
    this.#problems.add('READING', () => text);
  }
}

const noAnswer = (text: string): QualityProblem => ({ state: quality.bad, reason: 'NO_ANSWER', text });

const blockedText = ({ bus, id }: SensorDevice): Text =>
  coded`SENSOR_BUS_BLOCKED: a read on ${bus} has been in progress for more than ${OVERDUE_MS / 1000} s, so ${id} is not read; check the wiring of the bus`;
