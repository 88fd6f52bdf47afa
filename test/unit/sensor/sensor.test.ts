import t from 'tap';
import { OVERDUE_MS } from '../../../drivers/sensor/read-lanes.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { errno } from '../../../src/device/toolkit/sysfs-class.js';
import { SensorFixture } from '../../tools/devices/sensor-fixture.js';
import { until } from '../../tools/until.js';

const ROOM = 'bme280@1-0076';
const INPUTS = 'ads1015@1-0048';
const OTHER = 'bme280@2-0076';
const BOARD = 'tmp102@3-0049';

await t.test('a chip without listed channels gets all of them, in base units', async (t) => {
  const machine = new SensorFixture(t, [ROOM, BOARD]);
  machine.sensors.setFile(ROOM, 'in_temp_input', '21870');
  machine.sensors.setFile(ROOM, 'in_humidityrelative_input', '45123');
  machine.sensors.setFile(ROOM, 'in_pressure_input', '101.325000000');
  const room = await machine.sensor(ROOM);
  await machine.waitForVariable(room, 'TEMPERATURE', { value: 21.87 });
  await machine.waitForVariable(room, 'HUMIDITY', { value: 45.123 });
  await machine.waitForVariable(room, 'PRESSURE', { value: 1013.25 });
  t.equal(machine.value(room, 'ERRORS'), 0);
  machine.sensors.setFile(BOARD, 'temp1_input', '-3250');
  const board = await machine.sensor('tmp102');
  await machine.waitForVariable(board, 'TEMPERATURE_1', { value: -3.25 });
});

await t.test('offset and scale apply to raw values: (raw + offset) × scale', async (t) => {
  const machine = new SensorFixture(t, [INPUTS]);
  machine.sensors.setFile(INPUTS, 'in_voltage0_raw', '1000');
  machine.sensors.setFile(INPUTS, 'in_voltage0_scale', '3.000000000');
  machine.sensors.setFile(INPUTS, 'in_voltage0_offset', '-100');
  machine.sensors.setFile(INPUTS, 'in_voltage1_raw', '7');
  machine.sensors.setFile(INPUTS, 'in_voltage1_scale', undefined);
  machine.sensors.setFile(INPUTS, 'in_voltage_scale', '500.0');
  const inputs = await machine.sensor(INPUTS);
  await machine.waitForVariable(inputs, 'VOLTAGE_0', { value: 2.7 });
  await machine.waitForVariable(inputs, 'VOLTAGE_1', { value: 3.5 });
});

await t.test('oversampling, calibration and limits', async (t) => {
  const machine = new SensorFixture(t, [ROOM]);
  const room = await machine.sensor(ROOM, {
    Channels: [
      {
        Channel: 'in_temp',
        MeasuredLow: 0,
        ActualLow: 0.5,
        MeasuredHigh: 100,
        ActualHigh: 99.5,
        Oversample: 4,
        Min: -20,
        Max: 60,
      },
    ],
  });
  machine.sensors.setFile(ROOM, 'in_temp_input', '50000');
  await machine.waitForVariable(room, 'TEMPERATURE', { value: 50 });
  machine.sensors.setFile(ROOM, 'in_temp_input', '0');
  await machine.waitForVariable(room, 'TEMPERATURE', { value: 0.5 });
  machine.sensors.setFile(ROOM, 'in_temp_input', '85000');
  await machine.waitForVariable(room, 'TEMPERATURE', { value: 0.5, quality: 'bad OUT_OF_RANGE' });
  t.match(machine.devices.problems(room.id), [{ code: 'OUT_OF_RANGE', text: /84.65 is outside the limits/ }]);
});

await t.test('4–20 mA: a wire break has no value, and the tank level returns', async (t) => {
  const machine = new SensorFixture(t, [INPUTS]);
  const level = { Channel: 'in_voltage0', Ident: 'LEVEL', Conversion: '4-20mA', ShuntOhm: 120, To: 100 };
  const tank = await machine.sensor(INPUTS, { Channels: [level] });
  // 0.125 mV per step: 1.44 V across 120 Ω are 12 mA.
  machine.sensors.setFile(INPUTS, 'in_voltage0_raw', '11520');
  await machine.waitForVariable(tank, 'LEVEL', { value: 50 });
  machine.sensors.setFile(INPUTS, 'in_voltage0_raw', '3000');
  await machine.waitForVariable(tank, 'LEVEL', { value: 50, quality: 'bad WIRE_BREAK' });
  machine.sensors.setFile(INPUTS, 'in_voltage0_raw', '19200');
  await machine.waitForVariable(tank, 'LEVEL', { value: 100 });
});

await t.test('a failed read and nonsense are counted; the other channels have values', async (t) => {
  const machine = new SensorFixture(t, [ROOM]);
  const room = await machine.sensor(ROOM);
  await machine.waitForVariable(room, 'TEMPERATURE', {});
  machine.sensors.setFile(ROOM, 'in_temp_input', errno('EREMOTEIO', 'in_temp_input'));
  machine.sensors.setFile(ROOM, 'in_pressure_input', '99.0');
  await machine.waitForVariable(room, 'TEMPERATURE', { quality: 'bad NO_ANSWER' });
  await machine.waitForVariable(room, 'PRESSURE', { value: 990 });
  t.ok(Number(machine.value(room, 'ERRORS')) >= 1);
  machine.sensors.setFile(ROOM, 'in_temp_input', 'garbage\u0000');
  await machine.waitForVariable(room, 'TEMPERATURE', { quality: 'bad NO_ANSWER' });
  machine.sensors.setFile(ROOM, 'in_temp_input', '20000');
  await machine.waitForVariable(room, 'TEMPERATURE', { value: 20 });
});

await t.test('a device that disappears returns under another number', async (t) => {
  const machine = new SensorFixture(t, [ROOM, OTHER]);
  machine.sensors.setFile(ROOM, 'in_temp_input', '10000');
  machine.sensors.setFile(OTHER, 'in_temp_input', '30000');
  const room = await machine.sensor(ROOM, { Channels: [{ Channel: 'in_temp' }] });
  const seen = machine.watch(room, 'TEMPERATURE');
  await machine.waitForVariable(room, 'TEMPERATURE', { value: 10 });
  machine.sensors.setUnplugged(ROOM, true);
  await machine.waitForVariable(room, 'TEMPERATURE', { quality: 'bad UNREACHABLE' });
  // The other chip takes its number.
  machine.sensors.renumber(OTHER, 0);
  machine.sensors.renumber(ROOM, 1);
  machine.sensors.setUnplugged(ROOM, false);
  machine.sensors.setFile(ROOM, 'in_temp_input', '11000');
  await machine.waitForVariable(room, 'TEMPERATURE', { value: 11 });
  t.notOk(seen.includes(30), 'the value of the other chip was never reported');
});

await t.test('a name that two chips have needs the place', async (t) => {
  const machine = new SensorFixture(t, [ROOM, OTHER]);
  const room = await machine.add('Sensor', { Device: 'bme280' });
  await machine.waitForLink(room, 'waiting');
  t.match(machine.status(room), /2 sensors match; set Device to one of bme280@1-0076, bme280@2-0076/);
  const none = await machine.add('Sensor', { Device: 'scd30' });
  await machine.waitForLink(none, 'waiting');
  t.match(machine.status(none), /no sensor scd30 \(it has bme280@1-0076, bme280@2-0076\)/);
  const first = await machine.sensor(ROOM);
  const second = await machine.add('Sensor', { Device: ROOM });
  await machine.waitForLink(second, 'waiting');
  t.match(machine.status(second), /in use by/);
  await machine.waitForVariable(first, 'TEMPERATURE', {});
});

await t.test('a bus that hangs does not hold up another one', async (t) => {
  const machine = new SensorFixture(t, [ROOM, INPUTS, OTHER]);
  const all = await Promise.all([ROOM, INPUTS, OTHER].map((id) => machine.sensor(id)));
  const [room, inputs, other] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];
  for (const [sensor, ident] of [
    [room, 'TEMPERATURE'],
    [inputs, 'VOLTAGE_0'],
    [other, 'TEMPERATURE'],
  ] as const)
    await machine.waitForVariable(sensor, ident, {});
  machine.sensors.hang('1-0076');
  await machine.waitForVariable(room, 'TEMPERATURE', { quality: 'bad NO_ANSWER' });
  // A chip on the same bus cannot be read either, and is not stale but bad.
  await machine.waitForVariable(inputs, 'VOLTAGE_0', { quality: 'bad NO_ANSWER' });
  t.match(machine.devices.problems(inputs.id), [{ text: /a read on i2c-1 has been in progress .*wiring/ }]);
  machine.sensors.setFile(OTHER, 'in_temp_input', '12345');
  await machine.waitForVariable(other, 'TEMPERATURE', { value: 12.345 });
  for (let ms = 0; ms < 10 * OVERDUE_MS; ms += 500) {
    machine.clock.advance(500);
    await yieldToEventLoop();
  }
  t.equal(machine.quality(other, 'TEMPERATURE'), 'good');
  t.equal(machine.sensors.mostReading <= 2, true, 'one read per bus');
  // Reopening it meanwhile adds no read.
  await machine.change(room, { EveryS: 2 });
  await machine.waitForLink(room, 'waiting');
  t.match(machine.status(room), /a read on i2c-1 has been in progress/);
  machine.sensors.release('1-0076');
  machine.sensors.setFile(ROOM, 'in_temp_input', '20500');
  await machine.waitForVariable(room, 'TEMPERATURE', { value: 20.5 });
  await machine.waitForVariable(inputs, 'VOLTAGE_0', {});
});

await t.test('a bus that hangs is noticed although the next poll is far away', async (t) => {
  const machine = new SensorFixture(t, [ROOM, INPUTS]);
  const room = await machine.sensor(ROOM, { EveryS: 3600, Channels: [{ Channel: 'in_temp' }] });
  await machine.waitForVariable(room, 'TEMPERATURE', {});
  machine.sensors.hang('1-0076');
  const polled = machine.devices.refresh(room.id, 'TEMPERATURE').catch(() => undefined);
  await machine.waitForVariable(room, 'TEMPERATURE', { quality: 'bad NO_ANSWER' });
  machine.sensors.release('1-0076');
  await polled;
  await machine.waitForVariable(room, 'TEMPERATURE', {});
});

await t.test('the interval has no drift, and missed polls are not made up for', async (t) => {
  const machine = new SensorFixture(t, [ROOM]);
  const reads: number[] = [];
  const open = machine.sensors.open.bind(machine.sensors);
  machine.sensors.open = async (path) => {
    const file = await open(path);
    return {
      ...file,
      read: () => {
        reads.push(Number(machine.clock.monotonicNs()) / 1e6);
        return file.read();
      },
    };
  };
  const room = await machine.sensor(ROOM, { EveryS: 1, Channels: [{ Channel: 'in_temp' }] });
  await until('ten polls', () => {
    machine.clock.advance(70);
    return reads.length >= 10;
  });
  const start = reads[0] ?? 0;
  for (const [n, at] of reads.entries()) {
    const late = at - start - n * 1000;
    // The clock advances in steps of 70 ms.
    t.ok(Math.abs(late) <= 140, `poll ${n} is ${late} ms late`);
  }
  const before = reads.length;
  machine.clock.advance(10_000);
  await until('a poll', () => reads.length > before);
  for (let n = 0; n < 5; n++) await yieldToEventLoop();
  t.equal(reads.length - before, 1);
  t.equal(machine.quality(room, 'TEMPERATURE'), 'good');
});

await t.test('a sensor that its chip calls broken is bad', async (t) => {
  const machine = new SensorFixture(t, [BOARD]);
  machine.sensors.setFile(BOARD, 'temp1_fault', '0');
  machine.sensors.setFile(BOARD, 'temp1_label', 'Heat sink');
  const board = await machine.sensor('tmp102', {
    Channels: [{ Channel: 'Heat sink', Quantity: 'temperature', Ident: 'SINK' }],
  });
  await machine.waitForVariable(board, 'SINK', {});
  machine.sensors.setFile(BOARD, 'temp1_fault', '1');
  await machine.waitForVariable(board, 'SINK', { quality: 'bad WIRE_BREAK' });
});

await t.test('a channel that does not exist, and a setting that does not fit, are named', async (t) => {
  const machine = new SensorFixture(t, [INPUTS]);
  const wrong = await machine.add('Sensor', { Device: INPUTS, Channels: [{ Channel: 'in_voltage7' }] });
  await machine.waitForLink(wrong, 'waiting');
  t.match(machine.status(wrong), /has no channel in_voltage7; it has in_voltage0, in_voltage1/);
});
