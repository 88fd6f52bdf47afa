import { OFFLINE_COMMAND_INTERVAL_MS, MAX_COMMANDS } from '../../../drivers/modbus/bus-scheduler.js';
import { FakeModbusBus, type FakeModbusUnit } from '../../tools/devices/fake-modbus-units.js';
import { MODBUS_PORT, scene } from '../../tools/devices/modbus-fixture.js';

await scene('a unit is polled, and its register becomes the value', async (t, scene) => {
  const unit = scene.line.unit(3, { 100: 215, 101: 7 });
  const gateway = await scene.gateway(3);
  const warm = await scene.register(gateway, 100, { DataType: 5, Factor: 0.1 });
  await scene.waitForValue(warm, 21.5);
  t.equal(scene.quality(warm), 'good');
  unit.registers.set(100, 0xfff6);
  await scene.waitForValue(warm, -1);
  const requested = scene.line.requests.length;
  await scene.pass(10_000);
  t.equal(scene.line.requests.length - requested, 10, 'once per second');
  t.strictSame([...new Set(scene.line.requests)], ['3:3@100']);
});

await scene('the line is silent for 3.5 characters before each request', async (t, scene) => {
  await scene.port({ BaudRate: '1200' });
  scene.line.unit(1, { 0: 1, 1: 2 });
  const gateway = await scene.gateway(1);
  const [one, other] = [await scene.register(gateway, 0), await scene.register(gateway, 1)];
  await scene.pass(500);
  scene.line.requestedAtMs.length = 0;
  const reads = [one, other].map(({ id }) => scene.fixture.call('ModBus_RequestRead', id));
  await scene.outcome(Promise.all(reads));
  const [first = 0, second = 0] = scene.line.requestedAtMs;
  // At 1200 baud a character takes 9.17 ms, and the first request has eight of them.
  t.ok(second - first >= (8 + 3.5) * 9.16, `${second - first} ms`);
});

await scene('an offline unit is backed off without affecting the others', async (t, scene) => {
  const dead = scene.line.unit(1, { 0: 1 });
  scene.line.unit(2, { 0: 2 });
  const [one, two] = [await scene.gateway(1), await scene.gateway(2)];
  const first = await scene.register(one, 0);
  const other = await scene.register(one, 0);
  const second = await scene.register(two, 0);
  await scene.waitForValue(first, 1);
  await scene.waitForValue(second, 2);
  dead.behaviour = 'silent';
  await scene.waitForQuality(first, 'bad UNAVAILABLE');
  t.equal(scene.quality(other), 'bad UNAVAILABLE', 'all of that unit, immediately');
  t.match(scene.fixture.status(one), /unit 1 does not reply: no reply within 200 ms.*wiring/);
  t.notMatch(scene.fixture.status(two), /reply/);
  scene.line.requests.length = 0;
  const reports = scene.fixture.watch(second, 'Value');
  await scene.pass(120_000);
  const requested = scene.line.requests.filter((one) => one.startsWith('1:')).length;
  t.ok(requested >= 3 && requested <= 12, `${requested} in two minutes`);
  t.ok(reports.length >= 115, `${reports.length} readings of the other`);
  t.equal(scene.quality(second), 'good');
  dead.behaviour = 'answers';
  dead.registers.set(0, 11);
  await scene.waitForValue(first, 11);
  await scene.waitForValue(other, 11);
  await scene.waitForQuality(first, 'good');
  t.notMatch(scene.fixture.status(one), /reply/);
});

await scene('polls with a lost or corrupt reply are repeated unnoticed', async (t, scene) => {
  const unit = scene.line.unit(1, { 0: 5 });
  const gateway = await scene.gateway(1);
  const address = await scene.register(gateway, 0);
  await scene.waitForValue(address, 5);
  for (const behaviour of ['garbled', 'silent', 'alien'] as const) {
    unit.behaviour = behaviour;
    const before = scene.line.requests.length;
    await scene.waitFor('a request', () => scene.line.requests.length > before);
    await scene.pass(100);
    unit.behaviour = 'answers';
    unit.registers.set(0, (unit.registers.get(0) as number) + 1);
    await scene.waitForValue(address, unit.registers.get(0));
    t.equal(scene.quality(address), 'good');
  }
  unit.behaviour = 'garbled';
  await scene.waitForQuality(address, 'bad UNAVAILABLE');
  t.match(scene.fixture.status(gateway), /other bytes: corrupt/);
  t.equal(scene.value(address), 8, 'the value of a garbled reply is never reported');
});

await scene('a late reply is not taken for the reply to another request', async (t, scene) => {
  const unit = scene.line.unit(1, { 0: 1000, 50: 2000 });
  unit.delayMs = 300;
  const gateway = await scene.gateway(1);
  const one = await scene.register(gateway, 0);
  const other = await scene.register(gateway, 50);
  const seen = [scene.fixture.watch(one, 'Value'), scene.fixture.watch(other, 'Value')];
  await scene.pass(60_000);
  t.strictSame(
    new Set([...(seen[0] ?? []), ...(seen[1] ?? [])]),
    new Set(),
    'all are too late, so none is used',
  );
  unit.delayMs = 5;
  await scene.waitForValue(one, 1000);
  await scene.waitForValue(other, 2000);
  t.strictSame(new Set(seen[0]), new Set([1000]));
  t.strictSame(new Set(seen[1]), new Set([2000]));
});

await scene('a unit that never stops sending does not block the others for long', async (t, scene) => {
  const mad = scene.line.unit(1, { 0: 1 });
  const gateway = await scene.gateway(1);
  const address = await scene.register(gateway, 0);
  await scene.waitForValue(address, 1);
  mad.behaviour = 'endless';
  await scene.waitForQuality(address, 'bad UNAVAILABLE');
  const before = scene.line.requests.length;
  await scene.pass(120_000);
  t.ok(scene.line.requests.length > before, 'it is polled occasionally nevertheless');
  t.equal(scene.value(address), 1);
});

await scene('exceptions are described in words, and polling continues', async (t, scene) => {
  const unit = scene.line.unit(1, { 0: 1 });
  const gateway = await scene.gateway(1);
  const address = await scene.register(gateway, 0);
  const wrong = await scene.register(gateway, 99);
  await scene.waitForValue(address, 1);
  await scene.waitForQuality(wrong, 'bad REFUSED');
  t.match(scene.fixture.status(wrong), /unit 1 replied with exception 2, illegal data address/);
  t.equal(scene.quality(address), 'good', 'an exception is a reply');
  unit.registers.set(99, 3);
  await scene.waitForValue(wrong, 3);
  await scene.waitForQuality(wrong, 'good');
  t.notMatch(scene.fixture.status(wrong), /exception/);
  unit.behaviour = { exception: 11 };
  await scene.waitForQuality(address, 'bad UNAVAILABLE');
  t.match(scene.fixture.status(gateway), /exception 11, gateway target device failed to respond/);
});

await scene('an address without reply is backed off, and its unit stays online', async (t, scene) => {
  const unit = scene.line.unit(1, { 0: 1, 99: 9 });
  unit.silentAddresses.add(99);
  const gateway = await scene.gateway(1);
  const address = await scene.register(gateway, 0);
  const mute = await scene.register(gateway, 99);
  await scene.waitForQuality(mute, 'bad NO_ANSWER');
  scene.line.requests.length = 0;
  await scene.pass(60_000);
  const requested = scene.line.requests.filter((one) => one === '1:3@99').length;
  t.ok(requested >= 1 && requested <= 20, `${requested} in a minute`);
  t.equal(scene.quality(address), 'good');
  unit.silentAddresses.clear();
  await scene.waitForValue(mute, 9);
  await scene.waitForQuality(mute, 'good');
});

await scene('commands precede polls, are confirmed, and are read back', async (t, scene) => {
  const unit = scene.line.unit(1, Object.fromEntries(Array.from({ length: 40 }, (_, at) => [at, at])));
  unit.delayMs = 20;
  const gateway = await scene.gateway(1);
  const command = { WriteFunctionCode: 6, WriteAddress: 39, Poller: 0 };
  const set = await scene.register(gateway, 39, command);
  for (let at = 0; at < 30; at++) await scene.register(gateway, at, { Poller: 50 });
  await scene.pass(500);
  scene.line.requests.length = 0;
  t.same(await scene.outcome(scene.fixture.devices.write(set.id, 'Value', 1234)), { result: undefined });
  const at = scene.line.requests.indexOf('1:6@39');
  t.ok(at >= 0 && at <= 1, 'one request was in flight, and then this one was sent');
  await scene.waitForValue(set, 1234);
  t.equal(scene.line.requests[at + 1], '1:3@39', 'read back immediately');
  unit.registers.set(39, 7);
  t.same(await scene.outcome(scene.fixture.call('ModBus_RequestRead', set.id)), { result: true });
  t.equal(scene.value(set), 7, 'the value is there when the call returns');
});

await scene('a unit that is polled constantly does not starve the others', async (t, scene) => {
  const greedy = scene.line.unit(1, Object.fromEntries(Array.from({ length: 20 }, (_, at) => [2 * at, at])));
  greedy.delayMs = 40;
  scene.line.unit(2, { 0: 2 });
  const [one, two] = [await scene.gateway(1), await scene.gateway(2)];
  for (let at = 0; at < 20; at++) await scene.register(one, 2 * at, { Poller: 50 });
  const second = await scene.register(two, 0);
  await scene.waitForValue(second, 2);
  const reports = scene.fixture.watch(second, 'Value');
  await scene.pass(20_000);
  t.ok(reports.length >= 19, `${reports.length} in 20 seconds`);
});

await scene('queued commands are limited, and do not starve polls', async (t, scene) => {
  scene.line.unit(1, { 0: 0, 5: 1 });
  const gateway = await scene.gateway(1, { TimeoutMs: 1000 });
  const set = await scene.register(gateway, 5, {
    WriteFunctionCode: 6,
    WriteAddress: 5,
    EmulateStatus: true,
    Poller: 0,
  });
  const polled = await scene.register(gateway, 0, { Poller: 50 });
  await scene.waitForValue(polled, 0);
  scene.line.requests.length = 0;
  const calls = Array.from({ length: MAX_COMMANDS + 20 }, (_, value) =>
    scene.fixture.devices.write(set.id, 'Value', value).then(
      () => 'done',
      (thrown: { code?: string }) => thrown.code,
    ),
  );
  const { result } = (await scene.outcome(Promise.all(calls))) as { result: string[] };
  t.ok(result.filter((one) => one === 'BUSY').length >= 10, 'more than the limit are rejected immediately');
  const written = scene.line.requests.filter((one) => one === '1:6@5').length;
  t.equal(result.filter((one) => one === 'done').length, written);
  const polls = scene.line.requests.filter((one) => one === '1:3@0').length;
  t.ok(polls >= 5, `${polls} polls among ${written} commands`);
});

await scene('a command without reply fails, is never repeated, and its value is read', async (t, scene) => {
  const unit = scene.line.unit(1, { 0: 1 });
  const gateway = await scene.gateway(1, { Retries: 10 });
  const set = await scene.register(gateway, 0, { WriteFunctionCode: 6, Poller: 0 });
  await scene.waitForValue(set, 1);
  const blind = await scene.register(gateway, 0, {
    ReadFunctionCode: 0,
    WriteFunctionCode: 6,
    WriteAddress: 8,
  });
  t.same(await scene.outcome(scene.fixture.devices.write(blind.id, 'Value', 3)), { result: undefined });
  t.equal(scene.value(blind), 3, 'without reading back, the value is the confirmed one');
  unit.behaviour = 'silent';
  scene.line.requests.length = 0;
  for (const address of [set, blind]) {
    t.match(await scene.outcome(scene.fixture.devices.write(address.id, 'Value', 2)), {
      code: 'DEVICE_OFFLINE',
      message: /unit 1: no reply within 200 ms/,
    });
    t.equal(scene.quality(address), 'bad NOT_CONFIRMED');
  }
  unit.behaviour = 'answers';
  await scene.pass(30_000);
  t.strictSame(
    scene.line.requests.filter((one) => one.startsWith('1:6')),
    ['1:6@0', '1:6@8'],
    'each was sent once',
  );
  t.equal(scene.value(blind), 3);
  t.same(await scene.outcome(scene.fixture.call('ModBus_RequestRead', set.id)), { result: true });
  t.equal(scene.value(set), 2, 'it was executed, and only its reply was lost');
  t.equal(scene.quality(set), 'good');
});

await scene(
  'commands to an offline unit fail immediately, but one is tried at intervals',
  async (t, scene) => {
    const unit: FakeModbusUnit = scene.line.unit(1, { 0: 1 });
    const gateway = await scene.gateway(1, { Retries: 0 });
    const set = await scene.register(gateway, 0, { WriteFunctionCode: 16, Poller: 0 });
    await scene.waitForValue(set, 1);
    unit.behaviour = 'silent';
    const two = [2, 3].map((value) => scene.fixture.devices.write(set.id, 'Value', value));
    const failed = (await scene.outcome(Promise.allSettled(two))) as { result: unknown[] };
    t.match(failed.result, Array(2).fill({ reason: { code: 'DEVICE_OFFLINE' } }));
    const written = scene.line.requests.filter((one) => one === '1:16@0');
    t.equal(written.length, 1, 'those that waited behind the first were not sent');
    const before = scene.line.requests.length;
    await t.rejects(scene.fixture.devices.write(set.id, 'Value', 2), {
      code: 'DEVICE_OFFLINE',
      message: /unit 1 does not reply/,
    });
    t.equal(scene.line.requests.length, before, 'nothing was sent');
    unit.behaviour = 'answers';
    await scene.pass(OFFLINE_COMMAND_INTERVAL_MS);
    t.same(await scene.outcome(scene.fixture.devices.write(set.id, 'Value', 5)), { result: undefined });
    await scene.waitForValue(set, 5);
    await scene.waitForQuality(set, 'good');
  },
);

await scene('all commands fail when the adapter is unplugged', async (t, scene) => {
  const unit = scene.line.unit(1, { 0: 1 });
  const gateway = await scene.gateway(1);
  const set = await scene.register(gateway, 0, { WriteFunctionCode: 6 });
  await scene.waitForValue(set, 1);
  unit.delayMs = 150;
  const writes = [2, 3, 4].map((value) => scene.fixture.devices.write(set.id, 'Value', value));
  await scene.pass(20);
  scene.world.unplug(MODBUS_PORT);
  const outcomes = (await scene.outcome(Promise.allSettled(writes))) as { result: unknown[] };
  t.match(outcomes.result, Array(3).fill({ status: 'rejected', reason: { code: 'DEVICE_OFFLINE' } }));
  await scene.waitFor('all wait', () => scene.fixture.value(set, 'LINK') === 'waiting');
  t.equal(scene.fixture.value(gateway, 'LINK'), 'waiting');
  t.match(scene.fixture.status(gateway), /waiting for its Serial Port/);
  t.match(scene.fixture.status(set), /waiting for its ModBus Gateway/);
  t.match(scene.quality(set), /^bad/);
  const line = new FakeModbusBus(scene.world.plug(MODBUS_PORT), scene.clock);
  line.unit(1, { 0: 9 });
  await scene.waitForValue(set, 9);
  await scene.pass(5000);
  t.strictSame([...new Set(line.requests)], ['1:3@0'], 'no failed command was ever sent');
});

await scene('Modbus ASCII works like RTU', async (t, scene) => {
  const unit = scene.line.unit(1, { 0: 40_000, 1: 7 });
  const gateway = await scene.gateway(1, { GatewayMode: 7 });
  const address = await scene.register(gateway, 0);
  const set = await scene.register(gateway, 1, { WriteFunctionCode: 16, WriteAddress: 1 });
  await scene.waitForValue(address, 40_000);
  t.same(await scene.outcome(scene.fixture.devices.write(set.id, 'Value', 8)), { result: undefined });
  await scene.waitForValue(set, 8);
  unit.behaviour = 'garbled';
  await scene.waitForQuality(address, 'bad UNAVAILABLE');
  unit.behaviour = { exception: 4 };
  await scene.waitForQuality(address, 'bad REFUSED');
  unit.behaviour = 'answers';
  await scene.waitForQuality(address, 'good');
});

await scene('gateways share a bus, in one mode', async (_t, scene) => {
  scene.line.unit(1, { 0: 1 });
  const gateway = await scene.gateway(1);
  await scene.waitForValue(await scene.register(gateway, 0), 1);
  const other = await scene.fixture.add(
    'ModBus Gateway',
    { GatewayMode: 7, DeviceID: 2 },
    await scene.port(),
  );
  await scene.waitFor('the reason', () =>
    /another ModBus Gateway uses RTU on/.test(scene.fixture.status(other)),
  );
  await scene.fixture.change(other, { GatewayMode: 2 });
  await scene.online(other);
});

await scene('the debug output of the gateway shows the frames', async (t, scene) => {
  scene.line.unit(1, { 0: 1 });
  const gateway = await scene.gateway(1);
  const address = await scene.register(gateway, 0, { Poller: 0 });
  await scene.waitForValue(address, 1);
  const seen: unknown[] = [];
  scene.fixture.kernel.changes.listen(({ SenderID, Data }) => {
    if (SenderID === gateway.id) seen.push([Data[0], Data[1]]);
  });
  scene.fixture.debug.enable(gateway.id, 60);
  await scene.outcome(scene.fixture.call('ModBus_RequestRead', address.id));
  scene.fixture.debug.disable(gateway.id);
  t.match(JSON.stringify(seen), /sent.*01 ?03 ?00 ?00 ?00 ?01 ?84 ?0a.*received.*01 ?03 ?02 ?00 ?01/i);
});
