import { OFFLINE_COMMAND_INTERVAL_MS, MAX_COMMANDS } from '../../../drivers/modbus/bus-scheduler.js';
import { FakeModbusBus, type FakeModbusUnit } from '../../tools/devices/fake-modbus-units.js';
import { MODBUS_PORT, modbusTest } from '../../tools/devices/modbus-fixture.js';

await modbusTest('a unit is polled, and its register becomes the value', async (t, modbus) => {
  const unit = modbus.line.unit(3, { 100: 215, 101: 7 });
  const gateway = await modbus.gateway(3);
  const warm = await modbus.register(gateway, 100, { DataType: 5, Factor: 0.1 });
  await modbus.waitForValue(warm, 21.5);
  t.equal(modbus.quality(warm), 'good');
  unit.registers.set(100, 0xfff6);
  await modbus.waitForValue(warm, -1);
  const requested = modbus.line.requests.length;
  await modbus.pass(10_000);
  t.equal(modbus.line.requests.length - requested, 10, 'once per second');
  t.strictSame([...new Set(modbus.line.requests)], ['3:3@100']);
});

await modbusTest('the line is silent for 3.5 characters before each request', async (t, modbus) => {
  await modbus.port({ BaudRate: '1200' });
  modbus.line.unit(1, { 0: 1, 1: 2 });
  const gateway = await modbus.gateway(1);
  const [one, other] = [await modbus.register(gateway, 0), await modbus.register(gateway, 1)];
  await modbus.pass(500);
  modbus.line.requestedAtMs.length = 0;
  const reads = [one, other].map(({ id }) => modbus.fixture.call('ModBus_RequestRead', id));
  await modbus.outcome(Promise.all(reads));
  const [first = 0, second = 0] = modbus.line.requestedAtMs;
  // At 1200 baud a character takes 9.17 ms, and the first request has eight of them.
  t.ok(second - first >= (8 + 3.5) * 9.16, `${second - first} ms`);
});

await modbusTest('an offline unit is backed off without affecting the others', async (t, modbus) => {
  const dead = modbus.line.unit(1, { 0: 1 });
  modbus.line.unit(2, { 0: 2 });
  const [one, two] = [await modbus.gateway(1), await modbus.gateway(2)];
  const first = await modbus.register(one, 0);
  const other = await modbus.register(one, 0);
  const second = await modbus.register(two, 0);
  await modbus.waitForValue(first, 1);
  await modbus.waitForValue(second, 2);
  dead.behaviour = 'silent';
  await modbus.waitForQuality(first, 'bad UNAVAILABLE');
  t.equal(modbus.quality(other), 'bad UNAVAILABLE', 'all of that unit, immediately');
  t.match(modbus.fixture.status(one), /unit 1 does not reply: no reply within 200 ms.*wiring/);
  t.notMatch(modbus.fixture.status(two), /reply/);
  modbus.line.requests.length = 0;
  const reports = modbus.fixture.watch(second, 'Value');
  await modbus.pass(120_000);
  const requested = modbus.line.requests.filter((one) => one.startsWith('1:')).length;
  t.ok(requested >= 3 && requested <= 12, `${requested} in two minutes`);
  t.ok(reports.length >= 115, `${reports.length} readings of the other`);
  t.equal(modbus.quality(second), 'good');
  dead.behaviour = 'answers';
  dead.registers.set(0, 11);
  await modbus.waitForValue(first, 11);
  await modbus.waitForValue(other, 11);
  await modbus.waitForQuality(first, 'good');
  t.notMatch(modbus.fixture.status(one), /reply/);
});

await modbusTest('polls with a lost or corrupt reply are repeated unnoticed', async (t, modbus) => {
  const unit = modbus.line.unit(1, { 0: 5 });
  const gateway = await modbus.gateway(1);
  const address = await modbus.register(gateway, 0);
  await modbus.waitForValue(address, 5);
  for (const behaviour of ['garbled', 'silent', 'alien'] as const) {
    unit.behaviour = behaviour;
    const before = modbus.line.requests.length;
    await modbus.waitFor('a request', () => modbus.line.requests.length > before);
    await modbus.pass(100);
    unit.behaviour = 'answers';
    unit.registers.set(0, (unit.registers.get(0) as number) + 1);
    await modbus.waitForValue(address, unit.registers.get(0));
    t.equal(modbus.quality(address), 'good');
  }
  unit.behaviour = 'garbled';
  await modbus.waitForQuality(address, 'bad UNAVAILABLE');
  t.match(modbus.fixture.status(gateway), /other bytes: corrupt/);
  t.equal(modbus.value(address), 8, 'the value of a garbled reply is never reported');
});

await modbusTest('a late reply is not taken for the reply to another request', async (t, modbus) => {
  const unit = modbus.line.unit(1, { 0: 1000, 50: 2000 });
  unit.delayMs = 300;
  const gateway = await modbus.gateway(1);
  const one = await modbus.register(gateway, 0);
  const other = await modbus.register(gateway, 50);
  const seen = [modbus.fixture.watch(one, 'Value'), modbus.fixture.watch(other, 'Value')];
  await modbus.pass(60_000);
  t.strictSame(
    new Set([...(seen[0] ?? []), ...(seen[1] ?? [])]),
    new Set(),
    'all are too late, so none is used',
  );
  unit.delayMs = 5;
  await modbus.waitForValue(one, 1000);
  await modbus.waitForValue(other, 2000);
  t.strictSame(new Set(seen[0]), new Set([1000]));
  t.strictSame(new Set(seen[1]), new Set([2000]));
});

await modbusTest('a unit that never stops sending does not block the others for long', async (t, modbus) => {
  const mad = modbus.line.unit(1, { 0: 1 });
  const gateway = await modbus.gateway(1);
  const address = await modbus.register(gateway, 0);
  await modbus.waitForValue(address, 1);
  mad.behaviour = 'endless';
  await modbus.waitForQuality(address, 'bad UNAVAILABLE');
  const before = modbus.line.requests.length;
  await modbus.pass(120_000);
  t.ok(modbus.line.requests.length > before, 'it is polled occasionally nevertheless');
  t.equal(modbus.value(address), 1);
});

await modbusTest('exceptions are described in words, and polling continues', async (t, modbus) => {
  const unit = modbus.line.unit(1, { 0: 1 });
  const gateway = await modbus.gateway(1);
  const address = await modbus.register(gateway, 0);
  const wrong = await modbus.register(gateway, 99);
  await modbus.waitForValue(address, 1);
  await modbus.waitForQuality(wrong, 'bad REFUSED');
  t.match(modbus.fixture.status(wrong), /unit 1 replied with exception 2, illegal data address/);
  t.equal(modbus.quality(address), 'good', 'an exception is a reply');
  unit.registers.set(99, 3);
  await modbus.waitForValue(wrong, 3);
  await modbus.waitForQuality(wrong, 'good');
  t.notMatch(modbus.fixture.status(wrong), /exception/);
  unit.behaviour = { exception: 11 };
  await modbus.waitForQuality(address, 'bad UNAVAILABLE');
  t.match(modbus.fixture.status(gateway), /exception 11, gateway target device failed to respond/);
});

await modbusTest('an address without reply is backed off, and its unit stays online', async (t, modbus) => {
  const unit = modbus.line.unit(1, { 0: 1, 99: 9 });
  unit.silentAddresses.add(99);
  const gateway = await modbus.gateway(1);
  const address = await modbus.register(gateway, 0);
  const mute = await modbus.register(gateway, 99);
  await modbus.waitForQuality(mute, 'bad NO_ANSWER');
  modbus.line.requests.length = 0;
  await modbus.pass(60_000);
  const requested = modbus.line.requests.filter((one) => one === '1:3@99').length;
  t.ok(requested >= 1 && requested <= 20, `${requested} in a minute`);
  t.equal(modbus.quality(address), 'good');
  unit.silentAddresses.clear();
  await modbus.waitForValue(mute, 9);
  await modbus.waitForQuality(mute, 'good');
});

await modbusTest(
  'all addresses are read when their unit is back, also one in a backoff',
  async (t, modbus) => {
    const unit = modbus.line.unit(1, { 0: 1, 99: 9 });
    unit.silentAddresses.add(99);
    const gateway = await modbus.gateway(1);
    const address = await modbus.register(gateway, 0);
    const mute = await modbus.register(gateway, 99);
    await modbus.waitForQuality(mute, 'bad NO_ANSWER');
    await modbus.pass(60_000);
    unit.behaviour = 'silent';
    await modbus.waitForQuality(address, 'bad UNAVAILABLE');
    unit.silentAddresses.clear();
    unit.behaviour = 'answers';
    await modbus.waitForQuality(address, 'good');
    await modbus.pass(1000);
    t.equal(modbus.value(mute), 9);
    t.equal(modbus.quality(mute), 'good');
  },
);

await modbusTest('commands precede polls, are confirmed, and are read back', async (t, modbus) => {
  const unit = modbus.line.unit(1, Object.fromEntries(Array.from({ length: 40 }, (_, at) => [at, at])));
  unit.delayMs = 20;
  const gateway = await modbus.gateway(1);
  const command = { WriteFunctionCode: 6, WriteAddress: 39, Poller: 0 };
  const set = await modbus.register(gateway, 39, command);
  for (let at = 0; at < 30; at++) await modbus.register(gateway, at, { Poller: 50 });
  await modbus.pass(500);
  modbus.line.requests.length = 0;
  t.same(await modbus.outcome(modbus.fixture.devices.write(set.id, 'Value', 1234)), { result: undefined });
  const at = modbus.line.requests.indexOf('1:6@39');
  t.ok(at >= 0 && at <= 1, 'one request was in flight, and then this one was sent');
  await modbus.waitForValue(set, 1234);
  t.equal(modbus.line.requests[at + 1], '1:3@39', 'read back immediately');
  unit.registers.set(39, 7);
  t.same(await modbus.outcome(modbus.fixture.call('ModBus_RequestRead', set.id)), { result: true });
  t.equal(modbus.value(set), 7, 'the value is there when the call returns');
});

await modbusTest('a unit that is polled constantly does not starve the others', async (t, modbus) => {
  const greedy = modbus.line.unit(1, Object.fromEntries(Array.from({ length: 20 }, (_, at) => [2 * at, at])));
  greedy.delayMs = 40;
  modbus.line.unit(2, { 0: 2 });
  const [one, two] = [await modbus.gateway(1), await modbus.gateway(2)];
  for (let at = 0; at < 20; at++) await modbus.register(one, 2 * at, { Poller: 50 });
  const second = await modbus.register(two, 0);
  await modbus.waitForValue(second, 2);
  const reports = modbus.fixture.watch(second, 'Value');
  await modbus.pass(20_000);
  t.ok(reports.length >= 19, `${reports.length} in 20 seconds`);
});

await modbusTest('queued commands are limited, and do not starve polls', async (t, modbus) => {
  modbus.line.unit(1, { 0: 0, 5: 1 });
  const gateway = await modbus.gateway(1, { TimeoutMs: 1000 });
  const set = await modbus.register(gateway, 5, {
    WriteFunctionCode: 6,
    WriteAddress: 5,
    EmulateStatus: true,
    Poller: 0,
  });
  const polled = await modbus.register(gateway, 0, { Poller: 50 });
  await modbus.waitForValue(polled, 0);
  modbus.line.requests.length = 0;
  const calls = Array.from({ length: MAX_COMMANDS + 20 }, (_, value) =>
    modbus.fixture.devices.write(set.id, 'Value', value).then(
      () => 'done',
      (thrown: { code?: string }) => thrown.code,
    ),
  );
  const { result } = (await modbus.outcome(Promise.all(calls))) as { result: string[] };
  t.ok(result.filter((one) => one === 'BUSY').length >= 10, 'more than the limit are rejected immediately');
  const written = modbus.line.requests.filter((one) => one === '1:6@5').length;
  t.equal(result.filter((one) => one === 'done').length, written);
  const polls = modbus.line.requests.filter((one) => one === '1:3@0').length;
  t.ok(polls >= 5, `${polls} polls among ${written} commands`);
});

await modbusTest(
  'a command without reply fails, is never repeated, and its value is read',
  async (t, modbus) => {
    const unit = modbus.line.unit(1, { 0: 1 });
    const gateway = await modbus.gateway(1, { Retries: 10 });
    const set = await modbus.register(gateway, 0, { WriteFunctionCode: 6, Poller: 0 });
    await modbus.waitForValue(set, 1);
    const blind = await modbus.register(gateway, 0, {
      ReadFunctionCode: 0,
      WriteFunctionCode: 6,
      WriteAddress: 8,
    });
    t.same(await modbus.outcome(modbus.fixture.devices.write(blind.id, 'Value', 3)), { result: undefined });
    t.equal(modbus.value(blind), 3, 'without reading back, the value is the confirmed one');
    unit.behaviour = 'silent';
    modbus.line.requests.length = 0;
    for (const address of [set, blind]) {
      t.match(await modbus.outcome(modbus.fixture.devices.write(address.id, 'Value', 2)), {
        code: 'DEVICE_OFFLINE',
        message: /unit 1: no reply within 200 ms/,
      });
      t.equal(modbus.quality(address), 'bad NOT_CONFIRMED');
    }
    unit.behaviour = 'answers';
    await modbus.pass(30_000);
    t.strictSame(
      modbus.line.requests.filter((one) => one.startsWith('1:6')),
      ['1:6@0', '1:6@8'],
      'each was sent once',
    );
    t.equal(modbus.value(blind), 3);
    t.same(await modbus.outcome(modbus.fixture.call('ModBus_RequestRead', set.id)), { result: true });
    t.equal(modbus.value(set), 2, 'it was executed, and only its reply was lost');
    t.equal(modbus.quality(set), 'good');
  },
);

await modbusTest('a command that was not sent says nothing about its value', async (t, modbus) => {
  const unit = modbus.line.unit(1, { 0: 1 });
  const gateway = await modbus.gateway(1);
  const blind = await modbus.register(gateway, 0, { ReadFunctionCode: 0, WriteFunctionCode: 6 });
  const write = (value: number) => modbus.fixture.devices.write(blind.id, 'Value', value);
  t.same(await modbus.outcome(write(3)), { result: undefined });
  const silent: Promise<unknown>[] = [];
  for (const number of [2, 3]) {
    const other = await modbus.gateway(number, { TimeoutMs: 4000 });
    silent.push(modbus.fixture.call('ModBus_RequestRead', (await modbus.register(other, 0)).id));
  }
  const failed = (await modbus.outcome(Promise.allSettled([...silent, write(4)]))) as { result: unknown[] };
  t.match(failed.result[2], { reason: { code: 'DEVICE_OFFLINE', message: /the bus was busy for 4000 ms/ } });
  t.strictSame([modbus.value(blind), modbus.quality(blind)], [3, 'good']);
  t.equal(unit.registers.get(0), 3);
});

await modbusTest(
  'commands to an offline unit fail immediately, but one is tried at intervals',
  async (t, modbus) => {
    const unit: FakeModbusUnit = modbus.line.unit(1, { 0: 1 });
    const gateway = await modbus.gateway(1, { Retries: 0 });
    const set = await modbus.register(gateway, 0, { WriteFunctionCode: 16, Poller: 0 });
    await modbus.waitForValue(set, 1);
    unit.behaviour = 'silent';
    const two = [2, 3].map((value) => modbus.fixture.devices.write(set.id, 'Value', value));
    const failed = (await modbus.outcome(Promise.allSettled(two))) as { result: unknown[] };
    t.match(failed.result, Array(2).fill({ reason: { code: 'DEVICE_OFFLINE' } }));
    const written = modbus.line.requests.filter((one) => one === '1:16@0');
    t.equal(written.length, 1, 'those that waited behind the first were not sent');
    const before = modbus.line.requests.length;
    await t.rejects(modbus.fixture.devices.write(set.id, 'Value', 2), {
      code: 'DEVICE_OFFLINE',
      message: /unit 1 does not reply/,
    });
    t.equal(modbus.line.requests.length, before, 'nothing was sent');
    unit.behaviour = 'answers';
    await modbus.pass(OFFLINE_COMMAND_INTERVAL_MS);
    t.same(await modbus.outcome(modbus.fixture.devices.write(set.id, 'Value', 5)), { result: undefined });
    await modbus.waitForValue(set, 5);
    await modbus.waitForQuality(set, 'good');
  },
);

await modbusTest('all commands fail when the adapter is unplugged', async (t, modbus) => {
  const unit = modbus.line.unit(1, { 0: 1 });
  const gateway = await modbus.gateway(1);
  const set = await modbus.register(gateway, 0, { WriteFunctionCode: 6 });
  await modbus.waitForValue(set, 1);
  unit.delayMs = 150;
  const writes = [2, 3, 4].map((value) => modbus.fixture.devices.write(set.id, 'Value', value));
  await modbus.pass(20);
  modbus.ports.unplug(MODBUS_PORT);
  const outcomes = (await modbus.outcome(Promise.allSettled(writes))) as { result: unknown[] };
  t.match(outcomes.result, Array(3).fill({ status: 'rejected', reason: { code: 'DEVICE_OFFLINE' } }));
  await modbus.waitFor('all wait', () => modbus.fixture.value(set, 'LINK') === 'waiting');
  t.equal(modbus.fixture.value(gateway, 'LINK'), 'waiting');
  t.match(modbus.fixture.status(gateway), /waiting for its Serial Port/);
  t.match(modbus.fixture.status(set), /waiting for its ModBus Gateway/);
  t.match(modbus.quality(set), /^bad/);
  const line = new FakeModbusBus(modbus.ports.plug(MODBUS_PORT), modbus.clock);
  line.unit(1, { 0: 9 });
  await modbus.waitForValue(set, 9);
  await modbus.pass(5000);
  t.strictSame([...new Set(line.requests)], ['1:3@0'], 'no failed command was ever sent');
});

await modbusTest('Modbus ASCII works like RTU', async (t, modbus) => {
  const unit = modbus.line.unit(1, { 0: 40_000, 1: 7 });
  const gateway = await modbus.gateway(1, { GatewayMode: 7 });
  const address = await modbus.register(gateway, 0);
  const set = await modbus.register(gateway, 1, { WriteFunctionCode: 16, WriteAddress: 1 });
  await modbus.waitForValue(address, 40_000);
  t.same(await modbus.outcome(modbus.fixture.devices.write(set.id, 'Value', 8)), { result: undefined });
  await modbus.waitForValue(set, 8);
  unit.behaviour = 'garbled';
  await modbus.waitForQuality(address, 'bad UNAVAILABLE');
  unit.behaviour = { exception: 4 };
  await modbus.waitForQuality(address, 'bad REFUSED');
  unit.behaviour = 'answers';
  await modbus.waitForQuality(address, 'good');
});

await modbusTest('gateways share a bus, in one mode', async (_t, modbus) => {
  modbus.line.unit(1, { 0: 1 });
  const gateway = await modbus.gateway(1);
  await modbus.waitForValue(await modbus.register(gateway, 0), 1);
  const other = await modbus.fixture.add(
    'ModBus Gateway',
    { GatewayMode: 7, DeviceID: 2 },
    await modbus.port(),
  );
  await modbus.waitFor('the reason', () =>
    /another ModBus Gateway uses RTU on/.test(modbus.fixture.status(other)),
  );
  await modbus.fixture.change(other, { GatewayMode: 2 });
  await modbus.online(other);
});

await modbusTest('the debug output of the gateway shows the frames', async (t, modbus) => {
  modbus.line.unit(1, { 0: 1 });
  const gateway = await modbus.gateway(1);
  const address = await modbus.register(gateway, 0, { Poller: 0 });
  await modbus.waitForValue(address, 1);
  const seen: unknown[] = [];
  modbus.fixture.kernel.changes.listen(({ SenderID, Data }) => {
    if (SenderID === gateway.id) seen.push([Data[0], Data[1]]);
  });
  modbus.fixture.debug.enable(gateway.id, 60);
  await modbus.outcome(modbus.fixture.call('ModBus_RequestRead', address.id));
  modbus.fixture.debug.disable(gateway.id);
  t.match(JSON.stringify(seen), /sent.*01 ?03 ?00 ?00 ?00 ?01 ?84 ?0a.*received.*01 ?03 ?02 ?00 ?01/i);
});
