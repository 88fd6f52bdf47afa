import { ChannelReader, findChannel } from '../../../drivers/sensor/channel-reader.js';
import { ReadLanes } from '../../../drivers/sensor/read-lanes.js';
import { findSensorDevice, listChannels, listSensorDevices } from '../../../drivers/sensor/sensor-devices.js';
import type { ChannelProperties } from '../../../drivers/sensor/sensor-properties.js';
import { systemClock } from '../../../src/base/clock.js';
import type { SysfsClass } from '../../../src/device/toolkit/sysfs-class.js';
import { onNewFixture, type ContractCase } from '../gpio/suite.js';

/** A channel of a kernel or of a fake that a test controls. */
interface ControlledChannel {
  readonly channel: string;
  readonly ident: string;
  /** Makes it measure a value in the unit of the variable; returns the exact value that must be read. */
  set(value: number): Promise<number> | number;
  /** Values that it can measure. */
  readonly values: readonly number[];
}

/** A machine with a sensor chip. */
export interface SensorFixture {
  readonly attributes: SysfsClass;
  /** The chip: its name, and how the property Device names it. */
  readonly name: string;
  readonly id: string;
  readonly channels: readonly ControlledChannel[];
  /** Removes the chip, and adds it again under another number, if possible. */
  remove?(): Promise<void> | void;
  restore?(): Promise<void> | void;
  close(): Promise<void>;
}

/** Runs the complete contract, each case on a new fixture. */
export async function sensorContract(
  sentence: ContractCase,
  makeFixture: () => Promise<SensorFixture>,
): Promise<void> {
  const on = onNewFixture(sentence, makeFixture);

  await on(
    'a chip is listed by its name, with its channels',
    async (t, { attributes, id, name, channels }) => {
      const device = (await listSensorDevices(attributes)).find((one) => one.id === id);
      t.equal(device?.name, name);
      const listed = await listChannels(attributes, device?.path ?? '');
      for (const { channel } of channels)
        t.ok(
          listed.some((one) => one.channel === channel),
          `${channel} is listed`,
        );
    },
  );

  await on('each channel is read in the unit of its variable', async (t, fixture) => {
    for (const controlled of fixture.channels) {
      const reader = await open(fixture, { Channel: controlled.channel });
      t.equal(reader.ident, controlled.ident);
      for (const value of controlled.values) {
        const exact = await controlled.set(value);
        const measured = await reader.measure(() => 0);
        t.ok(
          typeof measured === 'number' && Math.abs(measured - exact) <= Math.abs(exact) * 1e-9,
          `${controlled.channel} measures ${JSON.stringify(measured)}, and is ${exact}`,
        );
      }
      reader.close();
    }
  });

  await on('a removed chip fails, and is found again under another number', async (t, fixture) => {
    const { remove, restore, channels, attributes, id } = fixture;
    if (remove === undefined || restore === undefined)
      return void t.pass('a removed chip', { skip: 'it cannot be removed here' });
    const [controlled] = channels;
    if (controlled === undefined) throw new Error('the chip has no channel');
    const reader = await open(fixture, { Channel: controlled.channel });
    const { path } = await findSensorDevice(attributes, id);
    await remove();
    await t.rejects(
      reader.measure(() => 0),
      { code: 'ENODEV' },
    );
    await t.rejects(findSensorDevice(attributes, id), { code: 'DEVICE_OFFLINE' });
    await restore();
    await t.rejects(
      reader.measure(() => 0),
      { code: 'ENODEV' },
    );
    reader.close();
    t.ok((await findSensorDevice(attributes, id)).path !== path, 'it has another number');
    const again = await open(fixture, { Channel: controlled.channel });
    const [value = 0] = controlled.values;
    const exact = await controlled.set(value);
    t.ok(Math.abs(Number(await again.measure(() => 0)) - exact) <= Math.abs(exact) * 1e-9);
    again.close();
  });
}

async function open({ attributes, id }: SensorFixture, settings: ChannelProperties): Promise<ChannelReader> {
  const device = await findSensorDevice(attributes, id);
  const found = findChannel(await listChannels(attributes, device.path), id, settings.Channel);
  return ChannelReader.open({ attributes, lanes: new ReadLanes(systemClock()), device }, settings, found);
}
