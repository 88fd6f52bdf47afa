import t from 'tap';
import {
  SimulatedCounters,
  SimulatedMonitor,
  SimulatedPotentiometer,
  SimulatedSwitch,
  SimulatedThermometer,
} from '../../../drivers/onewire/simulated-chips.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { BUS, OneWireFixture } from '../../tools/devices/onewire-fixture.js';

const HALL = '28-0000075565ad';
const EIGHT = '29-000000d0d0d0';

await t.test('the functions of all families', async (t) => {
  const [SINGLE, TWO, PAIR, DIAL] = [
    '05-00000000000a',
    '12-00000000000b',
    '3a-00000000000c',
    '2c-00000000000d',
  ] as const;
  const machine = new OneWireFixture(t, [[SINGLE, TWO, PAIR, DIAL, EIGHT, HALL, '01-00000000000e']]);
  const bus = await machine.bus();
  const [single, two, pair, dial, eight, hall] = [
    await machine.device(bus, SINGLE),
    await machine.device(bus, TWO),
    await machine.device(bus, PAIR),
    await machine.device(bus, DIAL),
    await machine.device(bus, EIGHT),
    await machine.device(bus, HALL),
  ];
  const call = (name: string, ...args: unknown[]) => machine.during(machine.call(name, ...args));
  const on = (address: string) => machine.wire.chip(address, SimulatedSwitch).on;
  t.equal(await call('OW_SwitchMode', single.id, true), true);
  t.equal(on(SINGLE), 1);
  t.equal(machine.value(single, 'PIN0'), true);
  t.equal(await call('OW_ToggleMode', single.id), true);
  t.equal(on(SINGLE), 0);
  t.equal(await call('OW_SetPin', two.id, 1, true), true);
  t.equal(on(TWO), 2);
  t.equal(await call('OW_SetPin', pair.id, 0, true), true);
  t.equal(on(PAIR), 1);
  t.equal(await call('OW_SetPort', eight.id, 0x0f), true);
  t.equal(on(EIGHT), 0x0f);
  t.equal(await call('OW_WriteBytes', eight.id, 'Aÿ'), true);
  t.strictSame(machine.writes.slice(-2), [
    [EIGHT, ~0x41 & 0xff],
    [EIGHT, 0],
  ]);
  t.equal(await call('OW_WriteBytesMasked', eight.id, '\u0000', 0x30), true);
  t.equal(on(EIGHT), 0x30);
  t.equal(await call('OW_SetStrobe', eight.id, true), true);
  t.equal(machine.value(eight, 'STROBE'), true);
  t.equal(await call('OW_SetPosition', dial.id, 200), true);
  t.equal(machine.wire.chip(DIAL, SimulatedPotentiometer).position, 200);
  t.equal(machine.value(dial, 'POSITION'), 200);
  await machine.during(machine.devices.write(dial.id, 'POSITION', 7));
  t.equal(machine.value(dial, 'POSITION'), 7);
  t.equal(await call('OW_RequestStatus', hall.id), true);
  t.equal(machine.quality(hall, 'TEMPERATURE'), 'good');
  t.match(await call('OW_GetKnownDevices', bus.id), [
    { DeviceID: SINGLE, DeviceFamily: 5, Type: 'DS2405', InstanceID: single.id },
    ...[TWO, PAIR, DIAL, EIGHT, HALL].map((DeviceID) => ({ DeviceID })),
    { DeviceID: '01-00000000000e', DeviceFamily: 1, InstanceID: 0 },
  ]);
  const missing: [string, Instance, ...unknown[]][] = [
    ['OW_SetPin', hall, 0, true],
    ['OW_SetPort', hall, 0],
    ['OW_SetPosition', eight, 0],
    ['OW_SetStrobe', pair, true],
    ['OW_SwitchMode', eight, true],
    ['OW_ToggleMode', pair],
    ['OW_WriteBytes', pair, 'a'],
    ['OW_WriteBytesMasked', hall, 'a', 1],
  ];
  for (const [name, { id }, ...args] of missing)
    await t.rejects(call(name, id, ...args), {
      code: 'NOT_SUPPORTED',
      message: new RegExp(`^${name} on the DS`),
    });
  const wrong: [string, Instance, ...unknown[]][] = [
    ['OW_SetPin', eight, 8, true],
    ['OW_SetPin', eight, -1, true],
    ['OW_SetPosition', dial, 256],
    ['OW_WriteBytes', eight, ''],
    ['OW_WriteBytes', eight, '€'],
    ['OW_WriteBytes', eight, 'x'.repeat(129)],
    ['OW_WriteBytesMasked', eight, 'a', 256],
  ];
  for (const [name, { id }, ...args] of wrong)
    await t.rejects(call(name, id, ...args), { code: 'CANNOT_CONVERT' }, `${name} ${args.join()}`);
  t.strictSame([on(EIGHT), on(PAIR)], [0x30, 1]);
  await t.rejects(call('OW_RequestStatus', bus.id), { code: 'WRONG_MODULE' });
});

await t.test('counters, battery monitor, and devices of which only the presence is known', async (t) => {
  const [METER, BATTERY, KEY] = ['1d-000000000001', '26-000000000002', '01-000000000003'] as const;
  const machine = new OneWireFixture(t, [[METER, BATTERY, KEY]]);
  const counters = machine.wire.chip(METER, SimulatedCounters);
  counters.a = 5;
  counters.b = 0xffff_fff0;
  const monitor = machine.wire.chip(BATTERY, SimulatedMonitor);
  monitor.celsius = -12.5;
  monitor.volts = { vad: 1.23, vdd: 4.95 };
  const bus = await machine.bus();
  const meter = await machine.device(bus, METER);
  await machine.waitForVariable(meter, 'COUNTER_B', { value: 0xffff_fff0 });
  t.equal(machine.value(meter, 'COUNTER_A'), 5);
  counters.isDamaged = true;
  await machine.waitForVariable(meter, 'COUNTER_A', { value: 5, quality: 'bad CHECKSUM' });
  const battery = await machine.device(bus, BATTERY);
  await machine.waitForVariable(battery, 'VDD', { value: 4.95 });
  t.strictSame([machine.value(battery, 'TEMPERATURE'), machine.value(battery, 'VAD')], [-12.5, 1.23]);
  const key = await machine.device(bus, KEY);
  await machine.waitForVariable(key, 'PRESENT', { value: true });
  machine.wire.setUnplugged(KEY, true);
  await machine.waitForVariable(key, 'PRESENT', { value: false });
  machine.wire.setUnplugged(KEY, false);
  await machine.waitForVariable(key, 'PRESENT', { value: true });
  await t.rejects(machine.devices.write(key.id, 'PRESENT', false), { code: 'READ_ONLY' });
});

await t.test('a bus that is shorted to ground is not taken for a reply', async (t) => {
  const devices = [
    [HALL, 'TEMPERATURE'],
    [EIGHT, 'PIN0'],
    ['12-00000000000b', 'PIN0'],
    ['3a-00000000000c', 'PIN0'],
    ['1d-000000000001', 'COUNTER_A'],
    ['26-000000000002', 'TEMPERATURE'],
    ['2c-00000000000d', 'POSITION'],
  ] as const;
  const machine = new OneWireFixture(t, [devices.map(([address]) => address)]);
  machine.wire.chip(HALL, SimulatedThermometer).celsius = () => 20;
  const bus = await machine.bus();
  for (const [address, ident] of devices) {
    const device = await machine.device(bus, address);
    await machine.waitForVariable(device, ident, {});
    const before = machine.value(device, ident);
    machine.wire.grounded.add(BUS);
    const reason = ident === 'COUNTER_A' ? 'CHECKSUM' : 'NO_ANSWER';
    await machine.waitForVariable(device, ident, { value: before, quality: `bad ${reason}` });
    if (ident === 'PIN0')
      await t.rejects(machine.during(machine.devices.write(device.id, ident, true)), {
        code: 'DEVICE_REFUSED',
      });
    machine.wire.grounded.delete(BUS);
    await machine.waitForVariable(device, ident, { value: before });
  }
  t.strictSame(machine.writes, []);
});

await t.test(
  'a missing kernel driver, a second instance and invalid properties say what to do',
  async (t) => {
    const machine = new OneWireFixture(t, [[HALL, EIGHT]]);
    machine.wire.undriven.add(EIGHT);
    const bus = await machine.bus();
    const eight = await machine.device(bus, EIGHT);
    await machine.waitForVariable(eight, 'PORT', { quality: 'bad NO_ANSWER' });
    t.match(machine.devices.problems(eight.id), [{ code: 'READING', text: /modprobe w1_ds2408/ }]);
    await t.rejects(machine.during(machine.devices.write(eight.id, 'PIN0', true)), {
      code: 'DEVICE_CONFIGURATION',
    });
    await machine.device(bus, HALL);
    const second = await machine.add('1-Wire Device', { Address: HALL }, bus);
    await machine.waitForLink(second, 'waiting');
    t.match(machine.status(second), /in use by another instance/);
    const other = await machine.add('1-Wire Bus', { Bus: 'w1_bus_master7' });
    await machine.waitForLink(other, 'waiting');
    t.match(
      machine.status(other),
      /no 1-Wire bus w1_bus_master7 \(it has w1_bus_master1\).*dtoverlay=w1-gpio/,
    );
    for (const [module, properties, why] of [
      ['1-Wire Bus', {}, /Bus is empty/],
      ['1-Wire Device', { Address: '28-XYZ' }, /must have the form/],
    ] as const) {
      const instance = await machine.add(module, properties);
      await machine.waitForLink(instance, 'closed');
      t.match(machine.status(instance), why);
    }
  },
);
