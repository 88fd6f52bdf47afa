import { randomBytes } from 'node:crypto';
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

const METER = ['Schneider Electric', 'A9MEM3155', '1.4'];

await modbusTest('a device is found by its identification, function code 43/14', async (t, modbus) => {
  modbus.line.unit(7).identification = METER;
  modbus.line.unit(8).identification = ['Schneider Electric', 'METSEPM3250', '1.0'];
  const gateway = await modbus.gateway(7);
  await modbus.gateway(8);
  t.match(await search(modbus), [
    {
      name: 'Schneider Electric iEM3x50, iEM3x55',
      makes: [{ properties: { Map: 'schneider-iem3000' }, connectTo: gateway.id }],
    },
  ]);
  t.equal((await search(modbus)).length, 1, 'another device of the vendor is none');
});

/** The reply with one object of the identification; `next` follows in another reply. */
const oneObject = (id: number, next = 0): Buffer => {
  const text = METER[id] ?? '';
  return Buffer.from([43, 14, 1, 1, next > 0 ? 0xff : 0, next, 1, id, text.length, ...Buffer.from(text)]);
};

await modbusTest('an identification in several replies is read completely', async (t, modbus) => {
  modbus.line.unit(7).identificationReply = (object) => oneObject(object, object < 2 ? object + 1 : 0);
  await modbus.gateway(7);
  t.match(await search(modbus), [{ makes: [{ properties: { Map: 'schneider-iem3000' } }] }]);
  t.equal(modbus.line.requests.filter((one) => one.startsWith('7:43')).length, 3);
});

const complete = Buffer.concat([
  Buffer.from([43, 14, 1, 1, 0, 0, 3]),
  ...METER.map((text, id) => Buffer.from([id, text.length, ...Buffer.from(text)])),
]);
const changed = (at: number, byte: number) =>
  Buffer.concat([complete.subarray(0, at), Buffer.from([byte]), complete.subarray(at + 1)]);

for (const [what, reply] of [
  ['is cut in an object', complete.subarray(0, 20)],
  ['is cut in its head', complete.subarray(0, 4)],
  ['announces more objects than it has', changed(6, 255)],
  ['has an object longer than itself', changed(8, 255)],
  ['is of another kind of request', changed(1, 13)],
  ['has no objects', Buffer.from([43, 14, 1, 1, 0, 0, 0])],
  [
    'names itself as the next one',
    Buffer.concat([Buffer.from([43, 14, 1, 1, 0xff, 0, 1, 9, 3]), Buffer.from('abc')]),
  ],
  [
    'is full of random bytes',
    Buffer.concat([Buffer.from([43, 14, 1, 1, 0, 0, 1, 0, 244]), randomBytes(244)]),
  ],
  ['is an exception', Buffer.from([0xab, 1])],
] as const)
  await modbusTest(`an identification that ${what} names no device`, async (t, modbus) => {
    modbus.line.unit(7, words(30_000, 'SUN2000-8KTL-M1'.padEnd(30, '\0'))).identificationReply = () => reply;
    await modbus.gateway(7);
    t.match(
      await search(modbus),
      [{ makes: [{ properties: { Map: 'huawei-sun2000' } }] }],
      'the search goes on',
    );
    t.ok(modbus.line.requests.filter((one) => one.startsWith('7:43')).length <= 3, 'it ends');
  });
