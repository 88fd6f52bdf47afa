import { BufferedChannels } from '../../../drivers/sensor/buffer/buffered-channels.js';
import { ScanBuffer } from '../../../drivers/sensor/buffer/scan-buffer.js';
import { ReadLanes } from '../../../drivers/sensor/read-lanes.js';
import { findSensorDevice, listChannels } from '../../../drivers/sensor/sensor-devices.js';
import type { ChannelProperties } from '../../../drivers/sensor/sensor-properties.js';
import { systemClock } from '../../../src/base/clock.js';
import type { SysfsClass } from '../../../src/device/toolkit/sysfs-class.js';
import { until } from '../../tools/until.js';
import { onNewFixture, type ContractCase } from '../gpio/suite.js';

/** A channel of a buffer with what it measures. */
interface BufferedValue {
  readonly channel: string;
  readonly ident: string;
  /** In the scan. */
  readonly raw: number;
  /** In the unit of the variable. */
  readonly value: number;
}

/** A machine with a chip that has a buffer. */
export interface BufferFixture {
  readonly attributes: SysfsClass;
  /** The property Device. */
  readonly id: string;
  /** The name of a trigger that fires only when the test says so. */
  readonly trigger: string;
  /** At least two channels, not in the order of their index. */
  readonly channels: readonly BufferedValue[];
  fire(times: number): Promise<void> | void;
  remove(): Promise<void> | void;
  close(): Promise<void>;
}

/** More than the kernel keeps. */
const TOO_MANY = 1200;
const nowMs = () => Number(systemClock().monotonicNs()) / 1e6;

/** Runs the complete contract on the buffer of a chip, each case on a new fixture. */
export async function bufferContract(
  sentence: ContractCase,
  makeFixture: () => Promise<BufferFixture>,
): Promise<void> {
  const on = onNewFixture(sentence, makeFixture);

  await on('each firing of the trigger is one scan, with its time', async (t, fixture) => {
    const buffer = await openScans(fixture, fixture.channels);
    const scans: (readonly number[])[] = [];
    const times: bigint[] = [];
    const drain = () =>
      buffer.drain((readings, atNs) => {
        scans.push(readings);
        if (atNs !== undefined) times.push(atNs);
      });
    t.equal(await drain(), true);
    t.equal(scans.length, 0, 'none before the trigger fires, and nothing waits for it');
    for (const count of [1, 4]) {
      await fixture.fire(1);
      if (count === 4) await fixture.fire(2);
      await until(`${count} scans`, async () => (await drain()) && scans.length >= count);
    }
    t.equal(scans.length, 4);
    for (const readings of scans)
      t.strictSame(
        readings,
        fixture.channels.map(({ raw }) => raw),
      );
    t.equal(times.length, 4, 'each has a time');
    t.ok(
      times.every((time, n) => n === 0 || time > (times[n - 1] as bigint)),
      'the times rise',
    );
    await buffer.close();
    await fixture.fire(1);
    const again = await openScans(fixture, fixture.channels.slice(1));
    await fixture.fire(1);
    const after: (readonly number[])[] = [];
    await until('a scan', async () => {
      await again.drain((readings) => after.push(readings));
      return after.length > 0;
    });
    t.strictSame(after, [fixture.channels.slice(1).map(({ raw }) => raw)], 'of the channels that are left');
    await again.close();
  });

  await on('the channels have their values in the unit of the variable', async (t, fixture) => {
    const { attributes, id, channels } = fixture;
    const context = await contextOf(fixture);
    const settings: ChannelProperties[] = channels.map(({ channel }) => ({
      Channel: channel,
      Oversample: 2,
    }));
    const opened = await BufferedChannels.open(context, settings, {
      channels: await listChannels(attributes, (await findSensorDevice(attributes, id)).path),
      scans: { trigger: fixture.trigger, sampleHz: 0, everyS: 1 },
    });
    const values = new Map<string, unknown>();
    const poll = async () => {
      for await (const reading of opened.poll(nowMs))
        values.set(reading.ident, 'value' in reading ? reading.value : reading.thrown);
    };
    await fixture.fire(1);
    await poll();
    await fixture.fire(1);
    await until('the values', async () => {
      await poll();
      return values.size === channels.length;
    });
    for (const { ident, value } of channels) {
      const measured = values.get(ident);
      t.ok(
        typeof measured === 'number' && Math.abs(measured - value) <= Math.abs(value) * 1e-9,
        `${ident} is ${String(measured)}, expected ${value}`,
      );
    }
    await opened.close();
  });

  await on('scans beyond what the kernel keeps are lost, which is reported', async (t, fixture) => {
    const buffer = await openScans(fixture, fixture.channels);
    await fixture.fire(TOO_MANY);
    let count = 0;
    let isComplete = true;
    await until('the scans', async () => {
      if (!(await buffer.drain(() => (count += 1)))) isComplete = false;
      return count >= 1024;
    });
    t.ok(count < TOO_MANY, `${count} of ${TOO_MANY} were kept`);
    t.equal(isComplete, false);
    await buffer.close();
  });

  await on('one reader, of a trigger and channels that exist', async (t, fixture) => {
    const { channels } = fixture;
    const buffer = await openScans(fixture, channels);
    await t.rejects(openScans(fixture, channels), { code: 'EBUSY' });
    await buffer.close();
    await t.rejects(openScans({ ...fixture, trigger: 'none' }, channels), {
      code: 'DEVICE_OFFLINE',
      message: /no trigger none/,
    });
    await t.rejects(openScans(fixture, [{ channel: 'in_voltage99' }]), {
      code: 'DEVICE_CONFIGURATION',
      message: /in_voltage99/,
    });
    await (await openScans(fixture, channels)).close();
  });

  await on('a removed chip fails', async (t, fixture) => {
    const buffer = await openScans(fixture, fixture.channels);
    await fixture.remove();
    await t.rejects(
      buffer.drain(() => undefined),
      { code: 'ENODEV' },
    );
    await buffer.close();
    await buffer.close();
  });
}

async function contextOf({ attributes, id }: BufferFixture) {
  const device = await findSensorDevice(attributes, id);
  return { attributes, device, lanes: new ReadLanes(systemClock()) };
}

async function openScans(fixture: BufferFixture, channels: readonly { readonly channel: string }[]) {
  return ScanBuffer.open(
    await contextOf(fixture),
    channels.map(({ channel }) => channel),
    { trigger: fixture.trigger, sampleHz: 0, everyS: 1 },
  );
}
