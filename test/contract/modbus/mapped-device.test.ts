import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { MapCatalog } from '../../../drivers/modbus/maps/map-catalog.js';
import type { FakeModbusUnit } from '../../tools/devices/fake-modbus-units.js';
import { modbusTest, type ModbusFixture } from '../../tools/devices/modbus-fixture.js';
import { registerMaps } from '../../tools/devices/register-maps.js';

const directory = mkdtempSync(join(tmpdir(), 'stellwerk-'));
t.teardown(() => rm(directory, { recursive: true, force: true }));
mkdirSync(join(directory, 'own'));
writeFileSync(
  join(directory, 'own', 'house.yaml'),
  `name: Controller of the house
kind: io
blocks:
  - table: holding
    everyMs: 1000
    values:
      SERIAL: { at: 0, type: uint16 }
      ENERGY_IN: { at: 1, type: uint32, scale: 0.1 }
      SET_POINT: { at: 3, type: int16, scale: 0.5, name: Set point, unit: °C, write: true, min: 5, max: 30 }
      ALARM: { at: 4, bit: 2, name: Alarm }
      LEVEL: { at: 5, type: int16, none: lowest, name: Level }
  - table: coils
    everyMs: 1000
    values:
      OUTPUT: { at: 0, count: 2, write: true }
`,
);

/** A device with the map of the house, on unit 1. */
async function house(modbus: ModbusFixture, more: Record<string, unknown> = {}) {
  const unit = modbus.line.unit(1, { 0: 7, 1: 0, 2: 1000, 3: 43, 4: 4, 5: 12 });
  unit.coils.set(0, true);
  const gateway = await modbus.gateway(1);
  const device = await modbus.fixture.add('ModBus Mapped Device', { Map: 'house', ...more }, gateway);
  await modbus.online(device);
  const value = (ident: string) => modbus.fixture.value(device, ident);
  const quality = (ident: string) => modbus.fixture.quality(device, ident);
  return { unit, gateway, device, value, quality };
}

const mappedTest: typeof modbusTest = (what, run) => modbusTest(what, run, directory);

await mappedTest('a map of the user makes the variables of a device', async (t, modbus) => {
  const { device, value, quality } = await house(modbus);
  await modbus.waitFor('values', () => value('ENERGY_IN') === 100 && value('OUTPUT_1') === true);
  t.equal(value('SERIAL'), '7', 'a number is shown as text');
  t.equal(value('SET_POINT'), 21.5);
  t.equal(value('ALARM'), true);
  t.equal(value('OUTPUT_2'), false);
  const find = (ident: string) => {
    const one = device.children?.byIdent(ident);
    return one?.data as { profile: string; role: string; isCounter?: boolean; type: number };
  };
  t.match(find('ENERGY_IN'), { profile: '~Electricity', role: 'main', isCounter: true, type: 2 });
  t.match(find('SET_POINT'), { profile: 'Meter.°C', role: 'detail', type: 2 });
  t.match(find('OUTPUT_1'), { profile: '~Switch', role: 'main', type: 0 });
  modbus.line.units.get(1)?.registers.set(5, 0x8000);
  await modbus.waitFor('no value', () => quality('LEVEL') === 'bad UNREADABLE');
  t.equal(quality('SET_POINT'), 'good');
});

await mappedTest('one request reads a block, and only listed values have variables', async (t, modbus) => {
  const { value } = await house(modbus, { Values: ['SET_POINT', 'LEVEL'], EveryMs: 2000 });
  await modbus.waitFor('values', () => value('LEVEL') === 12);
  t.equal(value('OUTPUT_1'), undefined);
  const before = modbus.line.requests.length;
  await modbus.pass(6000);
  t.strictSame([...new Set(modbus.line.requests.slice(before))], ['1:3@3']);
  t.equal(modbus.line.requests.length - before, 3);
});

await mappedTest('commands are limited, written and read back', async (t, modbus) => {
  const { unit, device, value } = await house(modbus);
  await modbus.waitFor('values', () => value('SET_POINT') === 21.5);
  const write = (ident: string, to: number | boolean) =>
    modbus.outcome(modbus.fixture.devices.write(device.id, ident, to));
  t.match(await write('SET_POINT', 19), { result: undefined });
  t.equal(unit.registers.get(3), 38);
  await modbus.waitFor('the value', () => value('SET_POINT') === 19);
  t.match(await write('OUTPUT_2', true), { result: undefined });
  t.equal(unit.coils.get(1), true);
  await modbus.waitFor('the output', () => value('OUTPUT_2') === true);
  const sent = modbus.line.requests.filter((one) => /:(?:5|6|15|16)@/.test(one)).length;
  t.match(await write('SET_POINT', 31), { code: 'CANNOT_CONVERT', message: /allows 5 to 30, not 31/ });
  t.match(await write('ALARM', true), { code: 'READ_ONLY' });
  t.equal(modbus.line.requests.filter((one) => /:(?:5|6|15|16)@/.test(one)).length, sent, 'nothing was sent');
  unit.behaviour = 'silent';
  t.match(await write('OUTPUT_1', false), { code: 'DEVICE_OFFLINE' });
});

await mappedTest(
  'a device that rejects or falls silent is reported, and taken up again',
  async (t, modbus) => {
    const { unit, device, value, quality } = await house(modbus);
    await modbus.waitFor('values', () => value('SET_POINT') === 21.5);
    unit.behaviour = { exception: 4 };
    await modbus.waitFor('the rejection', () => quality('SET_POINT') === 'bad REFUSED');
    t.match(modbus.fixture.status(device), /exception 4/);
    unit.behaviour = 'silent';
    await modbus.waitFor('the silence', () => quality('SET_POINT') === 'bad UNAVAILABLE');
    unit.behaviour = 'answers';
    unit.registers.set(3, 50);
    await modbus.waitFor('the return', () => quality('SET_POINT') === 'good');
    t.equal(value('SET_POINT'), 25);
    t.notMatch(modbus.fixture.status(device), /exception/);
  },
);

await mappedTest(
  'a count never goes down, except for another device, which is reported',
  async (t, modbus) => {
    const { unit, device, value, quality } = await house(modbus);
    await modbus.waitFor('values', () => value('ENERGY_IN') === 100);
    unit.registers.set(2, 999);
    await modbus.waitFor('the lower count', () => quality('ENERGY_IN') === 'bad OUT_OF_RANGE');
    t.equal(value('ENERGY_IN'), 100);
    unit.registers.set(0, 8);
    await modbus.waitFor('the other device', () => value('ENERGY_IN') === 99.9);
    t.equal(value('SERIAL'), '8');
    t.match(modbus.fixture.status(device), /the meter 7 was replaced by 8/);
  },
);

/** A unit with the SunSpec models 1 and 103, and a device that reads them. */
async function sunspecInverter(modbus: ModbusFixture, prepare: (unit: FakeModbusUnit) => void) {
  const unit = modbus.line.unit(1, sunspecRegisters());
  prepare(unit);
  const gateway = await modbus.gateway(1);
  const device = await modbus.fixture.add('ModBus Mapped Device', { Map: 'sunspec-inverter' }, gateway);
  await modbus.online(device);
  return { unit, device };
}

/** Both models, with 230 V on L1, and the end of the chain. */
function sunspecRegisters(): Record<number, number> {
  const registers = Object.fromEntries(Array.from({ length: 124 }, (_, index) => [40_000 + index, 0]));
  const known = { 0: 0x5375, 1: 0x6e53, 2: 1, 3: 66, 70: 103, 71: 50, 80: 230, 122: 0xffff };
  for (const [at, value] of Object.entries(known)) registers[40_000 + Number(at)] = value;
  return registers;
}

await mappedTest('a busy unit is searched for SunSpec models again', async (t, modbus) => {
  const { unit, device } = await sunspecInverter(modbus, (one) => (one.behaviour = { exception: 6 }));
  await modbus.waitFor('the rejection', () => /exception 6/.test(modbus.fixture.status(device)));
  unit.behaviour = 'answers';
  await modbus.waitFor('the voltage', () => modbus.fixture.value(device, 'VOLTAGE_L1') === 230);
  await modbus.waitFor('no problem', () => !/exception|SunSpec/.test(modbus.fixture.status(device)));
  t.equal(modbus.fixture.quality(device, 'VOLTAGE_L1'), 'good');
});

await mappedTest('a unit that becomes busy within the chain of models has all of them', async (t, modbus) => {
  const { unit, device } = await sunspecInverter(modbus, (one) =>
    modbus.far.onReceived.on((sent) => {
      if (sent.readUInt16BE(2) === 40_002) one.behaviour = { exception: 5 };
    }),
  );
  await modbus.waitFor('the rejection', () => typeof unit.behaviour === 'object');
  await modbus.pass(100);
  modbus.line.requests.length = 0;
  unit.behaviour = 'answers';
  modbus.far.onReceived.on(() => (unit.behaviour = 'answers'));
  await modbus.waitFor('the voltage', () => modbus.fixture.value(device, 'VOLTAGE_L1') === 230);
  t.ok(modbus.line.requests.includes('1:3@40070'));
});

await mappedTest('a unit whose SunSpec is switched on later is found', async (t, modbus) => {
  const { unit, device } = await sunspecInverter(modbus, (one) => one.registers.clear());
  await modbus.waitFor('the problem', () => /none of the SunSpec models/.test(modbus.fixture.status(device)));
  for (const [at, value] of Object.entries(sunspecRegisters())) unit.registers.set(Number(at), value);
  await modbus.waitFor('the voltage', () => modbus.fixture.value(device, 'VOLTAGE_L1') === 230);
  t.equal(modbus.fixture.quality(device, 'VOLTAGE_L1'), 'good');
});

t.test('the map of a user wins, and a changed file is read again', async (t) => {
  const own = mkdtempSync(join(directory, 'maps-'));
  const path = join(own, 'eastron-sdm630.yaml');
  const text = (name: string) =>
    `name: ${name}\nkind: meter\nblocks:\n  - table: input\n    values:\n      POWER: { at: 9 }\n`;
  writeFileSync(path, text('Own'));
  const catalog = new MapCatalog(registerMaps(own));
  t.equal(catalog.find('eastron-sdm630', 'device')?.name, 'Own');
  t.equal(catalog.find('eastron-sdm120', 'device')?.name, 'Eastron SDM120');
  writeFileSync(path, text('Changed'));
  t.equal(catalog.find('eastron-sdm630', 'device')?.name, 'Changed');
  t.match(
    catalog.check('eastron-sdm6300', 'device')?.toString(),
    /no register map eastron-sdm6300 .*did you mean eastron-sdm630\?/,
  );
});

t.test('errors name the file, the line and the column', async (t) => {
  const own = mkdtempSync(join(directory, 'maps-'));
  const catalog = new MapCatalog(registerMaps(own));
  const errorOf = (value: string, table = 'holding') => {
    writeFileSync(
      join(own, 'wrong.yaml'),
      `name: Wrong\nkind: io\nblocks:\n  - table: ${table}\n    values:\n      ${value}\n`,
    );
    return catalog.check('wrong', 'device')?.toString() ?? '';
  };
  t.match(errorOf('LEVEL: { at: 70000, name: Level }'), /wrong\.yaml:6:20: blocks\[0\]\.values\.LEVEL\.at: /);
  t.match(errorOf('LEVEL: { at: 1, typ: int16, name: L }'), /wrong\.yaml:6:23: .*did you mean type\?/);
  t.match(errorOf('LEVEL: { at: 1, type: int8, name: L }'), /6:29: .*expected int16 or uint16/);
  for (const [value, error, table] of [
    ['LEVEL: { at: 1 }', /wrong\.yaml:6:14: .*not a known ident; give it a name/],
    ['POWER: { at: 1, type: text, length: 2 }', /6:14: .*POWER cannot have a value of this type/],
    ['POWER: { at: 1, length: 2 }', /length applies to type text/],
    ['SERIAL: { at: 1, type: text }', /a text requires length/],
    ['POWER: { at: 65535, type: uint32 }', /beyond 65535/],
    ['POWER: { at: 1, scale: 0 }', /scale must not be 0/],
    ['LEVEL: { at: 1, bit: 1, name: L, write: true }', /one bit of a register cannot be written/],
    ['LEVEL: { at: 1, bit: 14, count: 3, name: L }', /bits 0 to 15/],
    ['POWER: { at: 1, write: true }', /values of input cannot be written/, 'input'],
    ['OUTPUT_1: { at: 1, type: int16 }', /type applies to registers/, 'coils'],
    ['POWER: { at: 1, type: uint32, write: true, writeWith: 6 }', /writeWith must be/],
    ['POWER: { at: 1, variable: a/b }', /apply to the map of a server/],
    ['9POWER: { at: 1, name: P }', /begins with a letter/],
    ['POWER: { at: 1, type: float32, scaleAt: 3 }', /scaleAt applies to integers/],
  ] as const)
    t.match(errorOf(value, table), error, value);
  t.match(
    errorOf('POWER: { at: 1 }\n  - table: input\n    values:\n      POWER: { at: 2 }'),
    /9:14: .*another value POWER/,
  );
  t.match(errorOf('POWER: { at: [1 }'), /wrong\.yaml:\d+:\d+: /);
});
