import t, { type Test } from 'tap';
import type { Instance } from '../../../src/kernel/instances.js';
import { hasProgram } from '../../tools/program.js';
import { until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { boxPeer, linePeer, MODULES, tcpPeer, UNIT, type ModbusPeer } from './peers.js';

const skip = hasProgram('socat') ? false : 'socat is not installed (Debian package socat)';

/** A gateway on its I/O instance, and addresses below it with these properties. */
async function build(
  fixture: DeviceFixture,
  { io, mode }: ModbusPeer,
  { DeviceID = UNIT, TimeoutMs = 4000 } = {},
) {
  const parent = await fixture.add(io[0], io[1]);
  const set = { GatewayMode: mode, DeviceID, TimeoutMs };
  const gateway = await fixture.add('ModBus Gateway', set, parent);
  await fixture.waitForLink(gateway, 'online');
  const address = async (properties: Record<string, unknown>): Promise<Instance> => {
    const instance = await fixture.add('ModBus Address', { Poller: 50, ...properties }, gateway);
    await fixture.waitForLink(instance, 'online');
    return instance;
  };
  return { parent, gateway, address };
}

async function modbusContract(t: Test, name: string, make: () => Promise<ModbusPeer>): Promise<void> {
  const on = (what: string, run: (t: Test, peer: ModbusPeer, fixture: DeviceFixture) => Promise<void>) =>
    t.test(`${name}: ${what}`, async (t) => {
      await using peer = await make();
      await using fixture = new DeviceFixture(MODULES);
      await run(t, peer, fixture);
    });

  await on('registers become values', async (t, peer, fixture) => {
    const { side } = peer;
    side.setHolding(0, '4366199a'); // 230.1
    side.setHolding(2, 'ff38'); // -200
    side.setHolding(3, '0000000100000002');
    side.setHolding(10, '53544d2d34000000');
    side.input.set(5, 65_535);
    side.coils.set(3, true);
    side.inputs.set(4, true);
    const { address } = await build(fixture, peer);
    const values: readonly (readonly [Record<string, unknown>, unknown])[] = [
      [{ DataType: 7, ReadFunctionCode: 3, ReadAddress: 0 }, 230.1],
      [{ DataType: 5, ReadFunctionCode: 3, ReadAddress: 2, Factor: 0.1 }, -20],
      [{ DataType: 11, ReadFunctionCode: 3, ReadAddress: 3 }, 4_294_967_298],
      [{ DataType: 10, ReadFunctionCode: 3, ReadAddress: 10, Length: 4 }, 'STM-4'],
      [{ DataType: 14, ReadFunctionCode: 3, ReadAddress: 10, Length: 4 }, '53544d2d34000000'],
      [{ DataType: 2, ReadFunctionCode: 4, ReadAddress: 5 }, 65_535],
      [{ DataType: 0, ReadFunctionCode: 1, ReadAddress: 3 }, true],
      [{ DataType: 0, ReadFunctionCode: 2, ReadAddress: 4 }, true],
    ];
    const all: Instance[] = [];
    for (const [properties, value] of values) {
      const one = await address(properties);
      await until(`${String(value)}: ${fixture.status(one)}`, () => fixture.value(one, 'Value') === value);
      await fixture.waitForQuality(one, 'Value', 'good');
      all.push(one);
    }
    side.setHolding(2, '00c8');
    await until('the change', () => all[1] !== undefined && fixture.value(all[1], 'Value') === 20);
    t.equal(all.length, values.length);
  });

  await on('commands are confirmed by the unit, and read back', async (t, peer, fixture) => {
    const { side } = peer;
    side.setHolding(20, '0000 0000 0000 0000 0000 0000 0000');
    for (const at of [1, 2]) side.coils.set(at, false);
    const { address } = await build(fixture, peer);
    const both = (code: [read: number, write: number], at: number, more: Record<string, unknown>) =>
      address({
        ReadFunctionCode: code[0],
        WriteFunctionCode: code[1],
        ReadAddress: at,
        WriteAddress: at,
        Poller: 0,
        ...more,
      });
    const coil = await both([1, 5], 1, { DataType: 0 });
    t.equal(await fixture.call('ModBus_WriteCoil', coil.id, true), true);
    t.equal(side.coils.get(1), true);
    await fixture.waitForValue(coil, 'Value', true);
    const coils = await both([1, 15], 2, { DataType: 0 });
    await fixture.devices.write(coils.id, 'Value', true);
    t.equal(side.coils.get(2), true);
    const set = await both([3, 6], 20, { DataType: 5, Factor: 0.5 });
    t.equal(await fixture.call('ModBus_WriteRegister', set.id, -21.5), true);
    t.equal(side.getHolding(20, 1), 'ffd5');
    await fixture.waitForValue(set, 'Value', -21.5);
    const energy = await both([3, 16], 21, { DataType: 7 });
    await fixture.call('ModBus_WriteRegister', energy.id, 230.1);
    t.equal(side.getHolding(21, 2), '4366199a');
    await fixture.waitForValue(energy, 'Value', 230.1);
    const text = await both([3, 16], 23, { DataType: 10, Length: 2 });
    await fixture.call('ModBus_WriteRegisterString', text.id, 'abc');
    t.equal(side.getHolding(23, 2), '61626300');
    await fixture.waitForValue(text, 'Value', 'abc');
    side.setHolding(23, '78797a00');
    t.equal(await fixture.call('ModBus_RequestRead', text.id), true);
    t.equal(fixture.value(text, 'Value'), 'xyz');
    await t.rejects(fixture.call('ModBus_WriteCoil', set.id, true), { code: 'CANNOT_CONVERT' });
    await t.rejects(fixture.call('ModBus_WriteRegister', coil.id, 1), { code: 'CANNOT_CONVERT' });
    await t.rejects(fixture.call('ModBus_WriteRegisterString', set.id, '1'), { code: 'CANNOT_CONVERT' });
    await t.rejects(fixture.call('ModBus_WriteRegister', set.id, 1e6), { message: /-32768 to 32767 × 0.5/ });
    t.equal(side.getHolding(20, 1), 'ffd5', 'none of it was sent');
  });

  await on('exceptions are described in words', async (t, peer, fixture) => {
    const { gateway, address } = await build(fixture, peer);
    const nothing = await address({ DataType: 2, ReadFunctionCode: 3, ReadAddress: 999 });
    await fixture.waitForQuality(nothing, 'Value', 'bad REFUSED');
    t.match(fixture.status(nothing), /unit 7 replied with exception 2, illegal data address/);
    await t.rejects(fixture.call('ModBus_RequestRead', nothing.id), { code: 'DEVICE_REFUSED' });
    t.notMatch(fixture.status(gateway), /reply/);
    const blind = await address({ DataType: 2, WriteFunctionCode: 6, WriteAddress: 1 });
    await t.rejects(fixture.call('ModBus_RequestRead', blind.id), { code: 'NOT_SUPPORTED' });
    await t.rejects(fixture.call('ModBus_WriteRegister', nothing.id, 1), { code: 'READ_ONLY' });
    await t.rejects(fixture.call('ModBus_RequestRead', gateway.id), { code: 'WRONG_MODULE' });
  });

  await on('a missing unit is reported', async (t, peer, fixture) => {
    peer.side.setHolding(0, '0001');
    const { gateway, address } = await build(fixture, peer, { DeviceID: UNIT + 1, TimeoutMs: 500 });
    const one = await address({ DataType: 2, ReadFunctionCode: 3, ReadAddress: 0 });
    await fixture.waitForQuality(one, 'Value', 'bad UNAVAILABLE');
    t.match(fixture.status(gateway), /unit 8 does not reply: no reply within 500 ms; check its address/);
  });
}

await modbusContract(t, 'TCP', tcpPeer);
await t.test('serial lines', { skip }, async (t) => {
  await modbusContract(t, 'RTU', linePeer);
  await modbusContract(t, 'RTU over TCP', boxPeer);
});

await t.test('a cut connection is reopened without a problem', async (t) => {
  await using peer = await tcpPeer();
  await using fixture = new DeviceFixture(MODULES);
  const { side } = peer;
  side.setHolding(0, '0001');
  const { parent, address } = await build(fixture, peer);
  const set = { DataType: 2, ReadFunctionCode: 3, WriteFunctionCode: 6 };
  const one = await address(set);
  await fixture.waitForValue(one, 'Value', 1);
  const links = fixture.watch(parent, 'LINK');
  peer.cut?.();
  side.setHolding(0, '0002');
  await fixture.waitForValue(one, 'Value', 2);
  await fixture.waitForQuality(one, 'Value', 'good');
  t.same(new Set(links), new Set(), 'online all the time');
});

await t.test('a silent network is reported, and delayed replies are ignored', async (t) => {
  await using peer = await tcpPeer();
  await using fixture = new DeviceFixture(MODULES);
  const { side } = peer;
  side.setHolding(0, '0001');
  const { gateway, address } = await build(fixture, peer, { TimeoutMs: 500 });
  const one = await address({ DataType: 2, ReadFunctionCode: 3 });
  await fixture.waitForValue(one, 'Value', 1);
  peer.freeze?.();
  await fixture.waitForQuality(one, 'Value', 'bad UNAVAILABLE');
  t.match(fixture.status(gateway), /unit 7 does not reply: no reply within 500 ms/);
  const seen = fixture.watch(one, 'Value');
  side.setHolding(0, '0002');
  peer.thaw?.();
  await fixture.waitForValue(one, 'Value', 2);
  await fixture.waitForQuality(one, 'Value', 'good');
  t.strictSame([...new Set(seen)], [2], 'no late reply is used');
});
