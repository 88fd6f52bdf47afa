/**
 * The contract on sensors of this machine's kernel: a program for a machine that has root, the gateway's own
 * packages and nothing else. `node --test-reporter=tap kernel-program.js iio` uses the IIO dummy, `buffer` its
 * buffer with a trigger of iio-trig-sysfs, `hwmon BUS` an LM75 of i2c-stub at 48 on a bus; 49 takes its number
 * meanwhile.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SYSFS_PATH } from '../../../drivers/sensor/sensor-devices.js';
import { kernelSysfs } from '../../../src/device/toolkit/kernel-sysfs.js';
import { until } from '../../tools/until.js';
import { withNodeTest } from '../gpio/node-test-asserts.js';
import { bufferContract, type BufferFixture } from './buffer-suite.js';
import { sensorContract, type SensorFixture } from './suite.js';

const [, , kind = '', bus = ''] = process.argv;
const attributes = kernelSysfs(SYSFS_PATH);
const run = promisify(execFile);

/** Software devices of IIO (Documentation/iio/iio_configfs.rst). */
const DUMMIES = '/sys/kernel/config/iio/devices/dummy';

/** What the dummy measures (iio_simple_dummy.c): (73 + 7) × 0.001333 mV, 33 and −34 × 0.000001344 mV. */
const constant = (channel: string, ident: string, value: number) => ({
  channel,
  ident,
  values: [value],
  set: () => value,
});

async function dummyFixture(): Promise<SensorFixture> {
  await mkdir(`${DUMMIES}/contract`);
  return {
    attributes,
    name: 'contract',
    id: 'contract',
    channels: [
      constant('in_voltage0', 'VOLTAGE_0', 0.000_106_64),
      constant('in_voltage1-voltage2', 'VOLTAGE_1_2', 4.4352e-8),
      constant('in_voltage3-voltage4', 'VOLTAGE_3_4', -4.5696e-8),
      constant('in_accel_x', 'ACCELERATION_X', 34),
    ],
    remove: () => rmdir(`${DUMMIES}/contract`),
    async restore() {
      await mkdir(`${DUMMIES}/other`);
      await mkdir(`${DUMMIES}/contract`);
    },
    async close() {
      for (const name of ['contract', 'other']) await rmdir(`${DUMMIES}/${name}`).catch(() => undefined); // not every case adds it
    },
  };
}

const IIO = '/sys/bus/iio/devices';
/** The number of the trigger, which is a part of its name. */
const TRIGGER = '7';

/** What the dummy puts into its buffer (iio_simple_dummy_buffer.c): 7, −33, −2 and 344. */
async function bufferFixture(): Promise<BufferFixture> {
  await mkdir(`${DUMMIES}/buffered`);
  await writeFile(`${IIO}/iio_sysfs_trigger/add_trigger`, TRIGGER);
  const trigger = `sysfstrig${TRIGGER}`;
  const directories = (await readdir(IIO)).filter((name) => name.startsWith('trigger'));
  const names = await Promise.all(
    directories.map(async (name) => (await readFile(`${IIO}/${name}/name`, 'utf8')).trim()),
  );
  const fire = `${IIO}/${directories[names.indexOf(trigger)] ?? ''}/trigger_now`;
  return {
    attributes,
    id: 'buffered',
    trigger,
    channels: [
      { channel: 'in_accel_x', ident: 'ACCELERATION_X', raw: 344, value: 344 },
      { channel: 'in_voltage0', ident: 'VOLTAGE_0', raw: 7, value: 0.000_018_662 },
      { channel: 'in_voltage1-voltage2', ident: 'VOLTAGE_1_2', raw: -33, value: -4.4352e-8 },
    ],
    async fire(times) {
      for (let n = 0; n < times; n++) await writeFile(fire, '1');
    },
    remove: () => rmdir(`${DUMMIES}/buffered`),
    async close() {
      await rmdir(`${DUMMIES}/buffered`).catch(() => undefined); // one case removes it
      await writeFile(`${IIO}/iio_sysfs_trigger/remove_trigger`, TRIGGER);
    },
  };
}

const devices = `/sys/bus/i2c/devices/i2c-${bus}`;
/** Adds an LM75; the first one loads its driver, which takes a moment. */
async function add(address: string): Promise<void> {
  await writeFile(`${devices}/new_device`, `lm75 ${address}`);
  const chip = `/sys/bus/i2c/devices/${bus}-${address.replace('0x', '00')}/hwmon`;
  await until('the driver of the chip', async () => (await readdir(chip).catch(() => [])).length > 0);
}
const remove = (address: string) => writeFile(`${devices}/delete_device`, address);

async function stubFixture(): Promise<SensorFixture> {
  await add('0x48');
  return {
    attributes,
    name: 'lm75',
    id: `lm75@${bus}-0048`,
    channels: [
      {
        channel: 'temp1',
        ident: 'TEMPERATURE_1',
        values: [21.5, 0, -25, 125],
        async set(celsius) {
          // Half degrees in the nine upper bits, high byte first: an SMBus word has the low byte first.
          const raw = ((celsius * 2) << 7) & 0xffff;
          const word = ((raw & 0xff) << 8) | (raw >> 8);
          await run('/opt/lab/i2c-word', [bus, '0x48', '0', String(word)]);
          return celsius;
        },
      },
    ],
    remove: () => remove('0x48'),
    async restore() {
      await add('0x49');
      await add('0x48');
    },
    async close() {
      for (const address of ['0x48', '0x49']) await remove(address).catch(() => undefined); // may be gone
    },
  };
}

if (kind === 'buffer') await bufferContract(withNodeTest, bufferFixture);
else await sensorContract(withNodeTest, kind === 'iio' ? dummyFixture : stubFixture);
