import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { findSensorDevice, listSensorDevices } from '../../../drivers/sensor/sensor-devices.js';
import { SimulatedSensors } from '../../../drivers/sensor/simulated-sensors.js';
import { ManualClock } from '../../../src/base/clock.js';
import { kernelSysfs } from '../../../src/device/toolkit/kernel-sysfs.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { sensorContract, type SensorFixture } from './suite.js';

const ID = 'bme280@1-0076';

/** The channels of a BME280, set by their files. */
function channelsOf(write: (file: string, text: string) => Promise<void> | void): SensorFixture['channels'] {
  return [
    {
      channel: 'in_temp',
      ident: 'TEMPERATURE',
      values: [21.5, 0, -40, 85],
      async set(celsius) {
        await write('in_temp_input', `${celsius * 1000}\n`);
        return celsius;
      },
    },
    {
      channel: 'in_humidityrelative',
      ident: 'HUMIDITY',
      values: [0, 45.125, 100],
      async set(percent) {
        await write('in_humidityrelative_input', `${percent * 1000}\n`);
        return percent;
      },
    },
    {
      channel: 'in_pressure',
      ident: 'PRESSURE',
      values: [1013.25, 300],
      async set(hectopascal) {
        await write('in_pressure_input', `${(hectopascal / 10).toFixed(9)}\n`);
        return hectopascal;
      },
    },
  ];
}

async function simulatedFixture(): Promise<SensorFixture> {
  const sensors = new SimulatedSensors(new ManualClock(), [ID, 'tmp102@1-0049']);
  return {
    attributes: sensors,
    name: 'bme280',
    id: ID,
    channels: channelsOf((file, text) => sensors.setFile(ID, file, text)),
    remove: () => sensors.setUnplugged(ID, true),
    restore() {
      sensors.renumber(ID, 5);
      sensors.setUnplugged(ID, false);
    },
    close: async () => undefined,
  };
}

/** Directories and links as the kernel makes them for an I²C device and its hwmon and IIO children. */
async function sysfsTree(
  t: Test,
): Promise<{ root: string; write(path: string, text: string): Promise<void> }> {
  const root = await tempDirectory(t);
  const write = async (path: string, text: string) => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  };
  for (const directory of ['bus/iio/devices', 'class/hwmon'])
    await mkdir(join(root, directory), { recursive: true });
  return { root, write };
}

const I2C = 'devices/platform/soc/fe804000.i2c/i2c-1';

await t.test('the simulated chips', (t) =>
  sensorContract((name, body) => t.test(name, body), simulatedFixture),
);

await t.test('a directory like sysfs', (t) =>
  sensorContract(
    (name, body) => t.test(name, body),
    async () => {
      const { root, write } = await sysfsTree(t);
      const iio = `${I2C}/1-0076/iio:device3`;
      await write(`${iio}/name`, 'bme280\n');
      await write(`${iio}/uevent`, 'DEVTYPE=iio_device\nOF_FULLNAME=/soc/i2c@7e804000/bme280@76\n');
      await symlink(join(root, iio), join(root, 'bus/iio/devices/iio:device3'));
      for (const file of ['in_temp_input', 'in_humidityrelative_input', 'in_pressure_input'])
        await write(`${iio}/${file}`, '0\n');
      return {
        attributes: kernelSysfs(root),
        name: 'bme280',
        id: ID,
        channels: channelsOf((file, text) => write(`${iio}/${file}`, text)),
        close: async () => undefined,
      };
    },
  ),
);

await t.test('chips are named by label, address and position in the device tree', async (t) => {
  const { root, write } = await sysfsTree(t);
  const add = async (path: string, link: string, files: Readonly<Record<string, string>>) => {
    for (const [file, text] of Object.entries(files)) await write(`${path}/${file}`, text);
    await symlink(join(root, path), join(root, link));
  };
  await add(`${I2C}/1-0076/iio:device0`, 'bus/iio/devices/iio:device0', {
    name: 'bme280',
    uevent: 'OF_NAME=bme280\nOF_FULLNAME=/soc/i2c@7e804000/bme280@76\n',
  });
  await add(`${I2C}/1-0077/iio:device1`, 'bus/iio/devices/iio:device1', { name: 'bme280', label: 'attic' });
  await add('devices/iio:device2', 'bus/iio/devices/iio:device2', { name: 'iio_dummy' });
  await add('devices/trigger0', 'bus/iio/devices/trigger0', { name: 'sysfstrig1' });
  await add('devices/virtual/thermal/thermal_zone0/hwmon0', 'class/hwmon/hwmon0', { name: 'cpu_thermal' });
  await symlink('../../thermal_zone0', join(root, 'devices/virtual/thermal/thermal_zone0/hwmon0/device'));
  await add(`${I2C}/1-0048/hwmon/hwmon1`, 'class/hwmon/hwmon1', { name: 'tmp102' });
  await symlink('../../../1-0048', join(root, `${I2C}/1-0048/hwmon/hwmon1/device`));
  await add('devices/spi0/spi0.1/iio:device3', 'bus/iio/devices/iio:device3', { name: 'max31865' });
  const attributes = kernelSysfs(root);
  const devices = await listSensorDevices(attributes);
  t.strictSame(
    devices.map(({ id, bus }) => [id, bus]),
    [
      ['bme280@1-0076', 'i2c-1'],
      ['bme280@attic', 'i2c-1'],
      ['iio_dummy', 'bus/iio/devices/iio:device2'],
      ['max31865@spi0.1', 'spi0'],
      ['cpu_thermal', 'class/hwmon/hwmon0'],
      ['tmp102@1-0048', 'i2c-1'],
    ],
  );
  for (const id of ['bme280@i2c@7e804000/bme280@76', 'bme280@1-0076', 'bme280@1-0077', 'bme280@attic'])
    t.equal((await findSensorDevice(attributes, id)).name, 'bme280', id);
  await t.rejects(findSensorDevice(attributes, 'bme280'), {
    code: 'DEVICE_CONFIGURATION',
    message: /2 sensors match/,
  });
});
