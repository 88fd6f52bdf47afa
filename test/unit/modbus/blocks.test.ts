import type { Instance } from '../../../src/kernel/instances.js';
import type { FakeModbusUnit } from '../../tools/devices/fake-modbus-units.js';
import { modbusTest, type ModbusFixture } from '../../tools/devices/modbus-fixture.js';

/** Four adjacent registers and three coils, polled once per second; the expected values. */
async function neighbours(modbus: ModbusFixture, gateway: Instance): Promise<[Instance, unknown][]> {
  const float = await modbus.register(gateway, 2, { DataType: 7 });
  const [one, two] = [await modbus.register(gateway, 0), await modbus.register(gateway, 1, { DataType: 5 })];
  const coils = [];
  for (const at of [8, 9, 10])
    coils.push(await modbus.register(gateway, at, { DataType: 0, ReadFunctionCode: 1 }));
  const [first = one, second = one, third = one] = coils;
  return [
    [float, 230.1],
    [one, 7],
    [two, -1],
    [first, true],
    [second, false],
    [third, true],
  ];
}

function neighbourly(unit: FakeModbusUnit): void {
  for (const [at, word] of [7, 0xffff, 0x4366, 0x199a].entries()) unit.registers.set(at, word);
  for (const [at, bit] of [true, false, true].entries()) unit.coils.set(8 + at, bit);
}

await modbusTest('reads of adjacent addresses are coalesced', async (t, modbus) => {
  neighbourly(modbus.line.unit(1));
  const all = await neighbours(modbus, await modbus.gateway(1));
  for (const [address, value] of all) await modbus.waitForValue(address, value);
  await modbus.pass(2000);
  modbus.line.requests.length = 0;
  const reports = all.map(([address]) => modbus.fixture.watch(address, 'Value'));
  await modbus.pass(20_000);
  t.ok(modbus.line.requests.length <= 2 * 21, `${modbus.line.requests.length} requests in 20 seconds`);
  t.strictSame(new Set(modbus.line.requests), new Set(['1:3@0', '1:1@8']));
  for (const [index, [, value]] of all.entries()) {
    t.ok((reports[index]?.length ?? 0) >= 19);
    t.strictSame(new Set(reports[index]), new Set([value]));
  }
});

for (const reply of ['exception', 'nothing'] as const)
  await modbusTest(
    `if a unit replies to coalesced reads with ${reply}, each address is read separately`,
    async (t, modbus) => {
      const unit = modbus.line.unit(1);
      neighbourly(unit);
      unit.limit = { count: 2, answer: reply };
      const gateway = await modbus.gateway(1);
      const all = await neighbours(modbus, gateway);
      await modbus.pass(20_000);
      for (const [address, value] of all) {
        t.equal(modbus.value(address), value);
        t.equal(modbus.quality(address), 'good');
        t.notMatch(modbus.fixture.status(address), /reply/);
      }
      t.notMatch(modbus.fixture.status(gateway), /reply/);
      modbus.line.requests.length = 0;
      await modbus.pass(10_000);
      t.ok(modbus.line.requests.length >= 50, 'each is polled once per second');
      t.ok(modbus.line.requests.length <= 66, `${modbus.line.requests.length} requests in 10 seconds`);
    },
  );
