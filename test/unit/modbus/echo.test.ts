import type { Test } from 'tap';
import { modbusTest, type ModbusFixture } from '../../tools/devices/modbus-fixture.js';

/** Writes that an adapter with an echo must not confirm: one coil, one register, coils, registers. */
const WRITES = [
  [5, { DataType: 0, WriteFunctionCode: 5 }, true],
  [6, { DataType: 2, WriteFunctionCode: 6 }, 17],
  [15, { DataType: 0, WriteFunctionCode: 15 }, true],
  [16, { DataType: 2, WriteFunctionCode: 16 }, 18],
] as const;

/** A write-only address whose write is the first request on its line. */
async function writeFirst(
  modbus: ModbusFixture,
  properties: Record<string, unknown>,
  value: number | boolean,
) {
  const gateway = await modbus.gateway(1);
  const set = { WriteAddress: 3, Poller: 0, ReadFunctionCode: 0, ...properties };
  const address = await modbus.fixture.add('ModBus Address', set, gateway);
  await modbus.online(address);
  const write = () => modbus.outcome(modbus.fixture.devices.write(address.id, 'Value', value));
  return { address, write };
}

for (const echoPieces of [0, 1, 3, 100])
  for (const [code, properties, value] of WRITES) {
    const name = `function code ${code} with ${echoPieces === 0 ? 'no echo' : `an echo in pieces of ${echoPieces}`}`;
    await modbusTest(`${name}: only the unit confirms`, async (t: Test, modbus) => {
      modbus.line.echoPieces = echoPieces;
      const unit = modbus.line.unit(1, { 3: 1 });
      const { address, write } = await writeFirst(modbus, properties, value);
      t.match(await write(), { result: undefined });
      t.equal(modbus.value(address), value);
      t.equal(properties.DataType === 0 ? unit.coils.get(3) : unit.registers.get(3), value);
      unit.behaviour = 'silent';
      t.match(await write(), { code: 'DEVICE_OFFLINE' });
      t.equal(modbus.quality(address), 'bad NOT_CONFIRMED');
    });
    await modbusTest(`${name}: a silent unit confirms nothing`, async (t: Test, modbus) => {
      modbus.line.echoPieces = echoPieces;
      modbus.line.unit(1, { 3: 1 }).behaviour = 'silent';
      const { write } = await writeFirst(modbus, properties, value);
      t.match(await write(), { code: 'DEVICE_OFFLINE', message: /no reply within 200 ms/ });
    });
  }

await modbusTest('polls behind an echo have the values of the unit', async (_t: Test, modbus) => {
  modbus.line.echoPieces = 2;
  const unit = modbus.line.unit(1, { 0: 1, 1: 8 });
  const gateway = await modbus.gateway(1);
  const addresses = [await modbus.register(gateway, 0), await modbus.register(gateway, 1)];
  for (const [index, address] of addresses.entries()) await modbus.waitForValue(address, index === 0 ? 1 : 8);
  unit.registers.set(1, 9);
  await modbus.waitForValue(addresses[1] ?? gateway, 9);
  modbus.line.echoPieces = 0;
  unit.registers.set(1, 10);
  await modbus.waitForValue(addresses[1] ?? gateway, 10);
});

await modbusTest('the echo of Modbus ASCII is removed as well', async (t: Test, modbus) => {
  modbus.line.echoPieces = 4;
  const unit = modbus.line.unit(1, { 3: 1 });
  const gateway = await modbus.gateway(1, { GatewayMode: 7 });
  const set = { WriteAddress: 3, WriteFunctionCode: 6, DataType: 2, ReadFunctionCode: 0, Poller: 0 };
  const address = await modbus.fixture.add('ModBus Address', set, gateway);
  await modbus.online(address);
  const write = () => modbus.outcome(modbus.fixture.devices.write(address.id, 'Value', 4));
  t.match(await write(), { result: undefined });
  unit.behaviour = 'silent';
  t.match(await write(), { code: 'DEVICE_OFFLINE' });
});

await modbusTest(
  'a write of an instance that was removed during the probe is not sent',
  async (t, modbus) => {
    modbus.line.unit(1).behaviour = 'silent';
    const { address } = await writeFirst(modbus, { DataType: 0, WriteFunctionCode: 5 }, true);
    const write = modbus.outcome(modbus.fixture.devices.write(address.id, 'Value', true));
    await modbus.waitFor('the probe', () => modbus.line.requests.length > 0);
    await modbus.fixture.devices.delete(address.id);
    t.match(await write, { code: 'DEVICE_OFFLINE' });
    await modbus.pass(5000);
    t.strictSame(modbus.line.requests, ['1:1@3'], 'only the probe was sent');
  },
);
