import type { HardwareItem } from '../../../src/device/hardware-search.js';
import { modbusTest, type ModbusFixture } from '../../tools/devices/modbus-fixture.js';

/** The results of the search, while the clock advances. */
async function search(modbus: ModbusFixture): Promise<readonly HardwareItem[]> {
  const find = modbus.modules.find(({ name }) => name === 'ModBus Mapped Device')?.findHardware;
  const { result } = (await modbus.outcome(find?.() ?? Promise.resolve([]))) as {
    result: readonly HardwareItem[];
  };
  return result;
}

/** A register of a text, as a map of words. */
const words = (at: number, text: string): Record<number, number> => {
  const bytes = Buffer.from(text.padEnd(text.length + (text.length % 2), '\0'));
  return Object.fromEntries(
    Array.from({ length: bytes.length / 2 }, (_, index) => [at + index, bytes.readUInt16BE(2 * index)]),
  );
};

await modbusTest('a device with SunSpec models is found by them', async (t, modbus) => {
  const registers: Record<number, number> = { 40_000: 0x5375, 40_001: 0x6e53 };
  for (const [at, value] of [
    [40_002, 1],
    [40_003, 66],
    [40_070, 103],
    [40_071, 50],
    [40_122, 0xffff],
    [40_123, 0],
  ] as const)
    registers[at] = value;
  modbus.line.unit(3, registers);
  const gateway = await modbus.gateway(3);
  const [found, ...others] = await search(modbus);
  t.strictSame(others, []);
  t.match(found, {
    kind: 'modbus',
    about: 'unit 3, /dev/ttyUSB0 9600 8N1',
    makes: [
      { module: 'ModBus Mapped Device', properties: { Map: 'sunspec-inverter' }, connectTo: gateway.id },
    ],
  });
  t.ok(
    modbus.line.requests.every((one) => /^3:(?:3|4|43)@/.test(one)),
    'only reads were sent',
  );
  const count = modbus.line.requests.length;
  await search(modbus);
  t.equal(modbus.line.requests.length, count, 'it is read once');
});

await modbusTest('a device is found by a register of its vendor', async (t, modbus) => {
  modbus.line.unit(2, words(30_000, 'SUN2000-8KTL-M1'.padEnd(30, '\0')));
  await modbus.gateway(2);
  t.match(await search(modbus), [
    { name: /Huawei SUN2000/, makes: [{ properties: { Map: 'huawei-sun2000' } }] },
  ]);
});

await modbusTest('a unit that knows nothing of it, or is silent, is not found', async (t, modbus) => {
  modbus.line.unit(4, { 0: 1 });
  modbus.line.unit(5).behaviour = 'silent';
  await modbus.gateway(4);
  const silent = await modbus.gateway(5);
  t.strictSame(await search(modbus), []);
  t.notMatch(modbus.fixture.status(silent), /does not reply/, 'the search does not make a unit offline');
  const count = modbus.line.requests.length;
  await search(modbus);
  t.equal(modbus.line.requests.length, count, 'it is not asked again immediately');
});

await modbusTest('a unit with an instance is left alone', async (t, modbus) => {
  modbus.line.unit(6, { 0: 1 });
  const gateway = await modbus.gateway(6);
  await modbus.register(gateway, 0);
  const isSearch = (one: string) => one.startsWith('6:43') || one.includes('@40000');
  t.strictSame(await search(modbus), []);
  t.strictSame(modbus.line.requests.filter(isSearch), []);
});
