import t from 'tap';
import { SIMULATED_TRIGGER } from '../../../drivers/sensor/buffer/simulated-buffer.js';
import { checkSensor } from '../../../drivers/sensor/sensor-properties.js';
import { SensorFixture } from '../../tools/devices/sensor-fixture.js';

const INPUTS = 'ads1015@1-0048';
const BOARD = 'tmp102@3-0049';
const INPUT = { Channel: 'in_voltage0' };

await t.test('a trigger measures, and each poll reports the newest value', async (t) => {
  const machine = new SensorFixture(t, [INPUTS]);
  machine.sensors.setFile(INPUTS, 'in_voltage0_raw', '8000');
  machine.sensors.setFile(INPUTS, 'in_voltage1_raw', '-800');
  const inputs = await machine.sensor(INPUTS, { Trigger: SIMULATED_TRIGGER, SampleHz: 100 });
  await machine.waitForVariable(inputs, 'VOLTAGE_0', { value: 1 });
  await machine.waitForVariable(inputs, 'VOLTAGE_1', { value: -0.1 });
  const seen = machine.watch(inputs, 'VOLTAGE_0');
  machine.sensors.setFile(INPUTS, 'in_voltage0_raw', '16000');
  await machine.waitForVariable(inputs, 'VOLTAGE_0', { value: 2 });
  t.strictSame(
    seen.filter((value) => value !== 1),
    [2],
  );
  t.equal(machine.value(inputs, 'ERRORS'), 0);
});

await t.test('all readings of the trigger pass through the filters', async (t) => {
  const machine = new SensorFixture(t, [INPUTS]);
  machine.sensors.setFile(INPUTS, 'in_voltage0_raw', '0');
  const smooth = { ...INPUT, SmoothS: 1 };
  const inputs = await machine.sensor(INPUTS, {
    Trigger: SIMULATED_TRIGGER,
    SampleHz: 50,
    Channels: [smooth],
  });
  await machine.waitForVariable(inputs, 'VOLTAGE_0', { value: 0 });
  const seen = machine.watch(inputs, 'VOLTAGE_0');
  machine.sensors.setFile(INPUTS, 'in_voltage0_raw', '8000');
  await machine.waitForVariable(inputs, 'VOLTAGE_0', { value: 1 });
  const [first = NaN] = seen.filter((value) => value !== 0) as number[];
  // A poll of one second has 50 readings of 20 ms: 1 − 1/e, less what was read before the step.
  t.ok(first > 0 && first <= 1 - Math.exp(-1) + 1e-9, `${first} after a second`);
});

await t.test('a chip that disappears is read again when it has returned', async (t) => {
  const machine = new SensorFixture(t, [INPUTS]);
  const inputs = await machine.sensor(INPUTS, { Trigger: SIMULATED_TRIGGER, Channels: [INPUT] });
  await machine.waitForVariable(inputs, 'VOLTAGE_0', {});
  machine.sensors.setUnplugged(INPUTS, true);
  await machine.waitForVariable(inputs, 'VOLTAGE_0', { quality: 'bad UNREACHABLE' });
  machine.sensors.renumber(INPUTS, 4);
  machine.sensors.setUnplugged(INPUTS, false);
  machine.sensors.setFile(INPUTS, 'in_voltage0_raw', '4000');
  await machine.waitForVariable(inputs, 'VOLTAGE_0', { value: 0.5 });
});

await t.test('more readings than the buffer keeps are an error, and the values are good', async (t) => {
  const machine = new SensorFixture(t, [INPUTS]);
  const inputs = await machine.sensor(INPUTS, { Trigger: SIMULATED_TRIGGER, Channels: [INPUT] });
  await machine.waitForVariable(inputs, 'VOLTAGE_0', {});
  // The clock of the kernel goes on while the gateway is not running: 200 s at ten readings per second.
  machine.clock.advance(200_000);
  await machine.waitForVariable(inputs, 'VOLTAGE_0', {});
  await machine.waitForVariable(inputs, 'ERRORS', { value: 1 });
  t.match(machine.devices.problems(inputs.id), [{ code: 'READING', text: /the buffer was full/ }]);
  t.equal(machine.quality(inputs, 'VOLTAGE_0'), 'good');
});

await t.test('a trigger that does not fire: the values become stale, and nothing waits', async (t) => {
  const machine = new SensorFixture(t, [INPUTS]);
  const inputs = await machine.sensor(INPUTS, { Trigger: SIMULATED_TRIGGER, Channels: [INPUT] });
  await machine.waitForVariable(inputs, 'VOLTAGE_0', {});
  await machine.sensors.write('bus/iio/devices/trigger0/sampling_frequency', '0.0001');
  await machine.waitForVariable(inputs, 'VOLTAGE_0', { quality: 'stale OVERDUE' });
  t.equal(machine.value(inputs, 'ERRORS'), 0);
});

await t.test('what does not fit is named', async (t) => {
  const machine = new SensorFixture(t, [INPUTS, BOARD]);
  const status = async (properties: Record<string, unknown>) => {
    const sensor = await machine.add('Sensor', { Device: INPUTS, EveryS: 1, ...properties });
    await machine.waitForLink(sensor, 'waiting');
    return machine.status(sensor);
  };
  t.match(await status({ Trigger: 'hrtimer0' }), /no trigger hrtimer0 \(it has simulated-timer\); create it/);
  t.match(await status({ Device: BOARD, Trigger: SIMULATED_TRIGGER }), /has no buffer; clear Trigger/);
  machine.sensors.setFile(INPUTS, 'in_temp_raw', '1');
  t.match(
    await status({ Trigger: SIMULATED_TRIGGER, Channels: [{ Channel: 'in_temp' }] }),
    /has no in_temp; it has .*in_voltage0, in_voltage1: remove the channel/,
  );
  const properties = { Device: INPUTS, EveryS: 10, Trigger: 't', SampleHz: 1000, Channels: [] };
  t.match(checkSensor(properties)?.toString(), /SampleHz times EveryS is 10000, and may be at most 8192/);
});
