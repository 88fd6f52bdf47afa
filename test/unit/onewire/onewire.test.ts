import t, { type Test } from 'tap';
import type { OneWireBus } from '../../../drivers/onewire/bus.js';
import { openDevice } from '../../../drivers/onewire/device.js';
import { SimulatedSwitch, SimulatedThermometer } from '../../../drivers/onewire/simulated-chips.js';
import { MEASURING_MS, type SimulatedOneWire } from '../../../drivers/onewire/simulated-bus.js';
import { Semaphore } from '../../../src/device/toolkit/semaphore.js';
import type { DeviceProperties } from '../../../drivers/onewire/index.js';
import { parseReading } from '../../../drivers/onewire/thermometer.js';
import { DeviceClaims } from '../../../src/device/toolkit/device-claims.js';
import type { Host } from '../../../src/device/module.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { BUS, OneWireFixture } from '../../tools/devices/onewire-fixture.js';
import { until } from '../../tools/until.js';

const HALL = '28-0000075565ad';
const EIGHT = '29-000000d0d0d0';

/** Delays the kernel's reply for a file until the returned function is called. */
function slowed(wire: SimulatedOneWire, path: string) {
  const may = Promise.withResolvers<void>();
  const [read, readBytes] = [wire.read.bind(wire), wire.readBytes.bind(wire)];
  let isRead = false;
  const wait = async (requests: string) => {
    if (requests !== path) return;
    isRead = true;
    await may.promise;
  };
  wire.read = async (requests) => {
    await wait(requests);
    return read(requests);
  };
  wire.readBytes = async (requests, length) => {
    await wait(requests);
    return readBytes(requests, length);
  };
  return { isRead: () => isRead, answer: () => may.resolve() };
}

await t.test('a thermometer is polled periodically', async (t) => {
  const machine = new OneWireFixture(t, [[HALL]]);
  const chip = machine.wire.chip(HALL, SimulatedThermometer);
  chip.celsius = () => 21.5;
  const hall = await machine.device(await machine.bus(), HALL);
  await machine.waitForVariable(hall, 'TEMPERATURE', { value: 21.5 });
  chip.celsius = () => -3.25;
  await machine.waitForVariable(hall, 'TEMPERATURE', { value: -3.25 });
  t.equal(machine.value(hall, 'ERRORS'), 0);
});

await t.test('a failed measurement is reported and counted, and the last value is kept', async (t) => {
  const machine = new OneWireFixture(t, [[HALL]]);
  const chip = machine.wire.chip(HALL, SimulatedThermometer);
  chip.celsius = () => 20;
  const hall = await machine.device(await machine.bus(), HALL);
  await machine.waitForVariable(hall, 'TEMPERATURE', { value: 20 });
  chip.isDamaged = true;
  await machine.waitForVariable(hall, 'TEMPERATURE', { quality: 'bad NO_ANSWER' });
  t.equal(machine.value(hall, 'ERRORS'), 1);
  t.match(machine.devices.problems(hall.id), [{ code: 'READING', text: /TEMPERATURE: .*does not respond/ }]);
  chip.isDamaged = false;
  await machine.waitForVariable(hall, 'TEMPERATURE', { value: 20 });
  chip.isWeak = true;
  await machine.waitForVariable(hall, 'TEMPERATURE', { value: 20, quality: 'bad POWER_ON' });
  chip.isWeak = false;
  machine.wire.setSilent(HALL, true);
  await machine.waitForVariable(hall, 'TEMPERATURE', { value: 20, quality: 'bad NO_ANSWER' });
  const errors = machine.value(hall, 'ERRORS') as number;
  t.ok(errors >= 3);
  await machine.change(hall, { EveryS: 5 });
  await machine.waitForLink(hall, 'online');
  t.ok((machine.value(hall, 'ERRORS') as number) >= errors, 'the count continued after reopening');
});

await t.test('85 °C is accepted if it was measured, or is close to the previous value', async (t) => {
  const fresh = '50 05 4b 46 7f ff 0c 10 1c';
  const text = (bytes: string, celsius: number, verdict = 'YES') =>
    `${bytes} : crc=1c ${verdict}\n${bytes} t=${celsius * 1000}`;
  t.match(parseReading(text(fresh, 85), undefined), { reason: 'POWER_ON' });
  t.match(parseReading(text(fresh, 85), 20_000), { reason: 'POWER_ON' });
  t.equal(parseReading(text(fresh, 85), 84_500), 85_000, 'a clone does not change byte 6');
  t.equal(parseReading(text('50 05 4b 46 7f ff 10 10 1c', 85), undefined), 85_000);
  t.match(parseReading(text('aa 00 4b 46 ff ff 0c 10 87', 85), undefined), { reason: 'POWER_ON' }, 'DS18S20');
  t.match(parseReading(text('00 00 00 00 00 00 00 00 00', 0), 0), { reason: 'NO_ANSWER' });
  t.match(parseReading(text('ff ff ff ff ff ff ff ff ff', -0.062, 'NO'), 0), { reason: 'NO_ANSWER' });
  for (const celsius of [-127, 127.937, 4095])
    t.match(
      parseReading(text('10 f8 4b 46 7f ff 10 10 00', celsius), 0),
      { reason: 'OUT_OF_RANGE' },
      `${celsius}`,
    );
  t.match(parseReading(text(fresh, 85, 'NO'), 85_000), { reason: 'CHECKSUM' });
  t.match(parseReading('', 20_000), { reason: 'NO_ANSWER' });
});

await t.test('thermometers of a bus measure together if the kernel supports it', async (t) => {
  const addresses = Array.from({ length: 8 }, (_, n) => `28-00000000000${n}`);
  const machine = new OneWireFixture(t, [addresses]);
  const bus = await machine.bus();
  const before = machine.clock.monotonicNs();
  const all = await Promise.all(addresses.map((address) => machine.device(bus, address)));
  const [first, last] = [all[0] as Instance, all.at(-1) as Instance];
  await machine.waitForVariable(last, 'TEMPERATURE', {});
  await machine.waitForVariable(first, 'TEMPERATURE', {});
  const requests = machine.during(Promise.all(all.map(({ id }) => machine.call('OW_RequestStatus', id))));
  const startedMs = Number(machine.clock.monotonicNs() - before) / 1e6;
  t.strictSame(new Set(await requests), new Set([true]));
  const tookMs = Number(machine.clock.monotonicNs() - before) / 1e6 - startedMs;
  t.ok(tookMs < 3 * MEASURING_MS, `eight were polled, and that took ${tookMs} ms`);
  t.equal(machine.wire.mostMeasuring, 1);
});

await t.test('without bulk measurement, a command waits for at most one of them', async (t) => {
  const machine = new OneWireFixture(t, [
    [HALL, '28-000000000001', '28-000000000002', '28-000000000003', EIGHT],
  ]);
  machine.wire.canMeasureAll = false;
  const bus = await machine.bus();
  const eight = await machine.device(bus, EIGHT);
  await machine.waitForVariable(eight, 'PORT', {});
  const halls = await Promise.all(
    [HALL, '28-000000000001', '28-000000000002', '28-000000000003'].map((address) =>
      machine.device(bus, address),
    ),
  );
  await until('a measurement', () => {
    machine.clock.advance(50);
    return machine.wire.measuring === 1;
  });
  const atMs = Number(machine.clock.monotonicNs()) / 1e6;
  await machine.during(machine.devices.write(eight.id, 'PIN0', true));
  const tookMs = Number(machine.clock.monotonicNs()) / 1e6 - atMs;
  t.ok(tookMs <= MEASURING_MS + 500, `it took ${tookMs} ms`);
  t.strictSame(machine.writes, [[EIGHT, 1]]);
  for (const hall of halls) await machine.waitForVariable(hall, 'TEMPERATURE', {});
  t.equal(machine.wire.mostMeasuring, 1);
});

await t.test('without bulk measurement, requested reads come first', async (t) => {
  const addresses = Array.from({ length: 12 }, (_, n) => `28-0000000000${10 + n}`);
  const machine = new OneWireFixture(t, [addresses]);
  machine.wire.canMeasureAll = false;
  const bus = await machine.bus();
  const all = await Promise.all(addresses.map((address) => machine.device(bus, address, 12)));
  const [first, last] = [all[0] as Instance, all.at(-1) as Instance];
  await machine.waitForVariable(last, 'TEMPERATURE', {});
  machine.wire.chip(addresses[0] as string, SimulatedThermometer).celsius = () => 50;
  await machine.waitForVariable(first, 'TEMPERATURE', { value: 50 });
  machine.wire.chip(addresses.at(-1) as string, SimulatedThermometer).celsius = () => 60;
  const atMs = Number(machine.clock.monotonicNs()) / 1e6;
  await machine.during(
    Promise.all([first, last].map(({ id }) => machine.devices.refresh(id, 'TEMPERATURE'))),
  );
  const tookMs = Number(machine.clock.monotonicNs()) / 1e6 - atMs;
  t.ok(tookMs <= 4 * MEASURING_MS, `it took ${tookMs} ms`);
  t.equal(machine.value(last, 'TEMPERATURE'), 60);
  const others = all.slice(1, -1);
  for (const other of others)
    machine.wire.chip(String(addresses[all.indexOf(other)]), SimulatedThermometer).celsius = () => 70;
  for (const other of others) await machine.waitForVariable(other, 'TEMPERATURE', { value: 70 });
  t.equal(machine.wire.mostMeasuring, 1);
});

await t.test('however many buses measure, two threads of the process stay free', async (t) => {
  const buses = Array.from({ length: 6 }, (_, n) => [`28-00000000000${n}`]);
  const machine = new OneWireFixture(t, buses);
  const devices: Instance[] = [];
  for (const [n, [address = '']] of buses.entries())
    devices.push(await machine.device(await machine.bus(`w1_bus_master${n + 1}`), address));
  for (const device of devices) await machine.waitForVariable(device, 'TEMPERATURE', {});
  await machine.during(Promise.all(devices.map(({ id }) => machine.call('OW_RequestStatus', id))));
  t.equal(machine.wire.mostMeasuring, 2);
});

await t.test('opening a switch writes nothing, and a write reports the resulting state', async (t) => {
  const machine = new OneWireFixture(t, [[EIGHT, HALL]]);
  const chip = machine.wire.chip(EIGHT, SimulatedSwitch);
  const eight = await machine.device(await machine.bus(), EIGHT);
  await machine.waitForVariable(eight, 'PORT', { value: 0 });
  t.strictSame(machine.writes, []);
  await machine.during(machine.devices.write(eight.id, 'PIN3', true));
  t.strictSame(
    [machine.value(eight, 'PIN3'), machine.value(eight, 'INPUT3'), machine.value(eight, 'PORT')],
    [true, true, 8],
  );
  await machine.during(machine.devices.write(eight.id, 'PORT', 0x81));
  t.equal(chip.on, 0x81);
  t.strictSame(
    [machine.value(eight, 'PIN0'), machine.value(eight, 'PIN3'), machine.value(eight, 'PIN7')],
    [true, false, true],
  );
  chip.pull(5, true);
  await machine.waitForVariable(eight, 'INPUT5', { value: true });
  t.equal(machine.value(eight, 'PIN5'), false);
  await machine.change(eight, { EveryS: 5 });
  await machine.waitForVariable(eight, 'PORT', { value: 0x81 });
  t.equal(machine.writes.length, 2, 'reopened, it is left as it is');
  for (const [ident, value] of [
    ['PORT', 256],
    ['PORT', -1],
    ['PORT', 1.5],
    ['PIN0', 1],
  ] as const)
    await t.rejects(machine.during(machine.devices.write(eight.id, ident, value)), {
      code: 'CANNOT_CONVERT',
    });
  await t.rejects(machine.during(machine.devices.write(eight.id, 'INPUT0', true)), { code: 'READ_ONLY' });
  t.equal(chip.on, 0x81);
});

await t.test('a cancelled command is not executed later', async (t) => {
  const command = async (t: Test, path: string, isBusyBefore: boolean) => {
    const machine = new OneWireFixture(t, [[EIGHT, HALL]]);
    const bus = await machine.bus();
    const eight = await machine.device(bus, EIGHT, 3600);
    await machine.device(bus, HALL);
    await machine.waitForVariable(eight, 'PORT', { value: 0 });
    const slow = slowed(machine.wire, path);
    if (isBusyBefore)
      await until('a read that takes long', () => {
        machine.clock.advance(50);
        return slow.isRead();
      });
    await t.rejects(machine.during(machine.devices.write(eight.id, 'PIN1', true)), { code: 'TIMED_OUT' });
    t.ok(slow.isRead());
    slow.answer();
    await machine.waitForReconnect(eight, machine.clock);
    await machine.during(machine.call('OW_RequestStatus', eight.id));
    t.strictSame(machine.writes, []);
    await machine.during(machine.devices.write(eight.id, 'PIN2', true));
    t.strictSame(machine.writes, [[EIGHT, 4]]);
  };
  await t.test('while it is queued', (t) => command(t, `${HALL}/w1_slave`, true));
  await t.test('while it is in flight', (t) => command(t, `${EIGHT}/output`, false));
});

await t.test('a failed opening releases the address', async (t) => {
  const holders = new DeviceClaims();
  const around = {
    holders,
    slowReads: new Semaphore(2),
    attributes: () => Promise.reject(new Error('not polled')),
  };
  const host: Partial<Host<DeviceProperties>> = {
    id: 12345,
    name: 'Hall',
    properties: { Address: HALL, EveryS: 3 },
    signal: new AbortController().signal,
    lastValue() {
      throw new Error('no memory');
    },
  };
  const bus = { attributes: new OneWireFixture(t, [[HALL]]).wire } as Partial<OneWireBus> as OneWireBus;
  await t.rejects(openDevice(host as Host<DeviceProperties>, around, bus), { message: 'no memory' });
  t.doesNotThrow(() => holders.claim(`the 1-Wire device ${HALL}`, { id: 1, name: 'another' }));
});

await t.test('a switch that ignores a command fails it, and its actual state is reported', async (t) => {
  const machine = new OneWireFixture(t, [[EIGHT, HALL]]);
  const chip = machine.wire.chip(EIGHT, SimulatedSwitch);
  const eight = await machine.device(await machine.bus(), EIGHT);
  await machine.waitForVariable(eight, 'PORT', { value: 0 });
  chip.isStuck = true;
  await t.rejects(machine.during(machine.devices.write(eight.id, 'PIN1', true)), {
    code: 'DEVICE_REFUSED',
    message: /its pins did not change accordingly/,
  });
  t.equal(machine.value(eight, 'PIN1'), false);
  chip.isStuck = false;
  machine.writes.length = 0;
  machine.wire.setSilent(EIGHT, true);
  await t.rejects(machine.during(machine.devices.write(eight.id, 'PIN1', true)), {
    code: 'DEVICE_REFUSED',
    message: /does not respond/,
  });
  t.strictSame(machine.writes, [], 'if the other pins cannot be read, none is switched');
  t.equal(machine.quality(eight, 'PIN1'), 'bad NO_ANSWER');
});

await t.test('values of a removed device are bad until it is back and was read', async (t) => {
  const machine = new OneWireFixture(t, [[HALL, EIGHT]]);
  machine.wire.chip(HALL, SimulatedThermometer).celsius = () => 19;
  const bus = await machine.bus();
  const hall = await machine.device(bus, HALL);
  await machine.waitForVariable(hall, 'TEMPERATURE', { value: 19 });
  t.equal(machine.value(bus, 'DEVICES'), 2);
  machine.wire.setUnplugged(HALL, true);
  await machine.waitForVariable(hall, 'TEMPERATURE', { value: 19, quality: 'bad UNAVAILABLE' });
  t.equal(machine.value(bus, 'DEVICES'), 1);
  t.match(machine.devices.problems(hall.id), [
    { code: 'UNAVAILABLE', text: /28-0000075565ad is not on the bus/ },
  ]);
  await t.rejects(machine.call('OW_RequestStatus', hall.id), { code: 'DEVICE_OFFLINE' });
  machine.wire.setUnplugged(HALL, false);
  await machine.waitForVariable(hall, 'TEMPERATURE', { value: 19 });
  t.strictSame(machine.devices.problems(hall.id), []);
  const late = await machine.device(bus, '28-000000009999');
  t.equal(machine.quality(late, 'TEMPERATURE'), 'bad UNAVAILABLE', 'one that was never there');
});

await t.test('an unplugged bus takes its devices offline until it is back', async (t) => {
  const machine = new OneWireFixture(t, [[HALL]]);
  const bus = await machine.bus();
  const hall = await machine.device(bus, HALL);
  await machine.waitForVariable(hall, 'TEMPERATURE', {});
  machine.wire.setBusGone(BUS, true);
  await until('the bus to be reported missing', () => {
    machine.clock.advance(500);
    return machine.value(bus, 'LINK') === 'waiting';
  });
  await machine.waitForLink(hall, 'waiting');
  t.match(machine.status(bus), /no 1-Wire bus w1_bus_master1 \(it has none\).*dtoverlay=w1-gpio|is gone/);
  machine.wire.setBusGone(BUS, false);
  await machine.waitForReconnect(bus, machine.clock);
  await machine.waitForLink(hall, 'online');
  await machine.waitForVariable(hall, 'TEMPERATURE', {});
});
