/**
 * Sensors of a real kernel: the IIO dummy with its buffer, and an LM75 whose registers are in i2c-stub. The
 * installed gateway reads them under its unit, with the rights of its user.
 */
import t from 'tap';
import { until } from '../tools/until.js';
import { Box, PATIENCE_MS } from './machine/box.js';
import { runInGuest } from './machine/guest-program.js';

const CONTRACT_LIMIT_MS = 120_000;
const CONFIG = '/sys/kernel/config/iio';
const DUMMIES = `${CONFIG}/devices/dummy`;
/** A trigger that fires by a timer. */
const TIMER = `${CONFIG}/triggers/hrtimer/lab`;

await using box = await Box.taken(
  t,
  `- { instance: Dummy, ident: dummy, module: Sensor, properties: { Device: gateway, EveryS: 1 } }
- { instance: Board, ident: board, module: Sensor, properties: { Device: lm75, EveryS: 1, Channels: [{ Channel: temp1 }] } }
- instance: Buffered
  ident: buffered
  module: Sensor
  properties: { Device: buffered, EveryS: 1, Trigger: lab, SampleHz: 20, Channels: [{ Channel: in_voltage0 }, { Channel: in_accel_x }] }`,
);
const { agent } = box.machine;

await t.test('devices that appear are read, in the units of their variables', async (t) => {
  await box.becomes('board/LINK', 'waiting');
  t.match(await box.value('board/STATUS'), /no sensor lm75/);
  await agent.run('modprobe i2c-dev && modprobe i2c-stub chip_addr=0x48,0x49 && modprobe iio_dummy');
  await agent.run(`mkdir ${DUMMIES}/gateway`);
  await agent.run(`echo lm75 0x48 >/sys/bus/i2c/devices/i2c-0/new_device`);
  await agent.run('/opt/lab/i2c-word 0 0x48 0 0x8015');
  // A Sensor whose channels are not listed has its variables once the device is there.
  for (const ident of ['board', 'dummy']) await box.becomes(`${ident}/LINK`, 'online');
  await box.becomes('board/TEMPERATURE_1', 21.5);
  await box.becomes('dummy/VOLTAGE_0', 0.000_106_64);
  await box.becomes('dummy/ACCELERATION_X', 34);
});

await t.test('a timer of the kernel measures, and the gateway reads the buffer', async (t) => {
  await agent.run(`modprobe iio-trig-hrtimer && mkdir ${TIMER} ${DUMMIES}/buffered && udevadm settle`);
  // The unit allows the major number of IIO, which the kernel had not given out when the gateway started.
  await box.restart();
  await box.becomes('buffered/VOLTAGE_0', 0.000_018_662);
  await box.becomes('buffered/ACCELERATION_X', 344);
  t.equal(await box.value('buffered/ERRORS'), 0);
  await agent.run(`rmdir ${DUMMIES}/buffered`);
  await box.becomes('buffered/LINK', 'waiting');
  await agent.run(`mkdir ${DUMMIES}/buffered`);
  await box.becomes('buffered/LINK', 'online');
});

await t.test('a device that disappears returns under another number', async (t) => {
  await agent.run('echo 0x48 >/sys/bus/i2c/devices/i2c-0/delete_device');
  await box.becomes('board/LINK', 'waiting');
  await agent.run(`echo lm75 0x49 >/sys/bus/i2c/devices/i2c-0/new_device`);
  await agent.run('/opt/lab/i2c-word 0 0x49 0 0x0032; echo 0x49 >/sys/bus/i2c/devices/i2c-0/delete_device');
  await agent.run('/opt/lab/i2c-word 0 0x48 0 0x8019');
  await agent.run(`echo lm75 0x48 >/sys/bus/i2c/devices/i2c-0/new_device`);
  await until('its new value', async () => (await box.value('board/TEMPERATURE_1')) === 25.5, PATIENCE_MS);
  t.equal(await box.value('board/LINK'), 'online');
});

await t.test('the contract on the IIO dummy, on its buffer and on a chip of hwmon', async (t) => {
  await agent.run(
    `systemctl stop stellwerk; rmdir ${DUMMIES}/gateway ${DUMMIES}/buffered; modprobe iio-trig-sysfs`,
  );
  await agent.run('echo 0x48 >/sys/bus/i2c/devices/i2c-0/delete_device');
  for (const words of ['iio', 'buffer', 'hwmon 0'])
    await runInGuest(t, agent, {
      file: 'contract/sensor/kernel-program.js',
      words,
      minAssertions: 2,
      limitMs: CONTRACT_LIMIT_MS,
    });
});
