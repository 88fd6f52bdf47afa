import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import t from 'tap';
import { SENDERS_LIMIT } from '../../drivers/serial/sender-framers.js';
import { SimulatedPorts } from '../../drivers/serial/simulated-ports.js';
import { serialModules } from '../../drivers/serial/index.js';
import { socketModules } from '../../drivers/socket/index.js';
import { TcpClient } from '../contract/socket/tcp-client.js';
import { liveBytesWithBuffers } from '../tools/memory.js';
import { reservePort } from '../tools/reserve-port.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';
import { until } from '../tools/until.js';
import { DeviceFixture } from '../tools/devices/device-fixture.js';
import { enableLinearPatterns } from '../tools/linear-patterns.js';

enableLinearPatterns();

const MODULES = [...socketModules(), ...serialModules(new SimulatedPorts())];
const RULES = [{ Pattern: '^T=([0-9]+)$', Ident: 'T', Type: 'integer' }];

/** Limit of memory that the gateway may use for a flood. */
const HELD_BYTES = 16 * 1024 * 1024;
const MIB = 1024 * 1024;

const seed = fuzzSeed();

await t.test(`clients that send garbage, disconnect and reconnect (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  await using fixture = new DeviceFixture(MODULES);
  const port = await reservePort();
  const server = await fixture.add('Server Socket', { Port: port, Limit: 8 });
  const device = await fixture.add('Serial Device', { Rules: RULES, MaxLength: 64 }, server);
  await fixture.waitForLink(device, 'online');
  using good = await TcpClient.connect(port);
  const ends = new Set<TcpClient>();
  for (let round = 1; round <= 300; round += 1) {
    const guest = await TcpClient.connect(port);
    const text = random.some(5, () =>
      random.pick(['T=', '\n', '\r', '\0', 'ÿ', 'T=999999999999999999999\n', 'T=x\n']),
    );
    guest.say(random.chance(0.5) ? random.bytes(random.below(3000)) : text.join(''));
    const [leaving] = ends;
    const manner = random.below(4);
    if (manner === 0) guest.socket.end();
    else if (manner === 1) guest.socket.resetAndDestroy();
    else if (manner === 2) guest.socket.destroy();
    else ends.add(guest);
    if (leaving !== undefined && ends.size > 4) {
      leaving.socket.destroy();
      ends.delete(leaving);
    }
    if (round % 50 !== 0) continue;
    good.say(`T=${round}\n`);
    await fixture.waitForValue(device, 'T', round);
    await fixture.call('SSCK_SendText', server.id, `${round} `);
  }
  for (const guest of ends) guest.socket.destroy();
  await until('only the good one to be there', () => fixture.devices.knownDevices(server.id).length === 1);
  await good.hears('50 100 150 200 250 300 ');
  t.equal(fixture.value(server, 'LINK'), 'online');
  t.equal(fixture.value(device, 'LINK'), 'online');
});

for (const [what, fill, size] of [
  ['a line without an end', 'x', 64 * MIB],
  ['empty lines', '\n', 8 * MIB],
] as const) {
  await t.test(`megabytes of ${what} neither fill the memory nor delay other clients`, async (t) => {
    await using fixture = new DeviceFixture(MODULES);
    const port = await reservePort();
    const server = await fixture.add('Server Socket', { Port: port });
    const device = await fixture.add('Serial Device', { Rules: RULES }, server);
    await fixture.waitForLink(device, 'online');
    using flood = await TcpClient.connect(port);
    using good = await TcpClient.connect(port);
    const chunk = Buffer.alloc(MIB / 4, fill);
    const before = liveBytesWithBuffers();
    let sent = 0;
    let value = 0;
    let held = 0;
    while (sent < size) {
      sent += chunk.length;
      if (!flood.socket.write(chunk)) await once(flood.socket, 'drain');
      if (sent % (4 * MIB) !== 0) continue;
      good.say(`T=${++value}\n`);
      await fixture.waitForValue(device, 'T', value);
      held = Math.max(held, liveBytesWithBuffers() - before);
    }
    t.equal(value, size / (4 * MIB), 'the other client was received all the time');
    t.ok(held < HELD_BYTES, `${Math.round(held / 1024)} KiB held`);
    t.equal(flood.isGone, false);
    if (fill === 'x') t.match(fixture.devices.problems(device.id), [{ code: 'OVERFLOW' }]);
  });
}

await t.test('garbage datagrams of many senders', async (t) => {
  const random = new Random(seed);
  await using fixture = new DeviceFixture(MODULES);
  const far = createSocket('udp4').bind(0, '127.0.0.1');
  await once(far, 'listening');
  t.teardown(() => void far.close());
  const port = await reservePort();
  const socket = await fixture.add('UDP Socket', { BindIP: '127.0.0.1', BindPort: port });
  const device = await fixture.add('Serial Device', { Rules: RULES, MaxLength: 32 }, socket);
  await fixture.waitForLink(device, 'online');
  const say = async (from: typeof far, bytes: Buffer | string) =>
    new Promise<void>((resolve) => from.send(bytes, port, '127.0.0.1', () => resolve()));
  await say(far, 'T=');
  // More senders than there are framers. Datagrams can be lost: the last one is repeated.
  for (let sender = 0; sender < SENDERS_LIMIT; sender += 1) {
    const other = createSocket('udp4');
    await say(other, random.chance(0.2) ? random.bytes(random.below(2000)) : 'T=5');
    await new Promise<void>((resolve) => other.close(resolve));
  }
  await until('a value after the flood', async () => {
    await say(far, '\nT=42\n');
    return fixture.value(device, 'T') === 42;
  });
  t.equal(fixture.value(socket, 'LINK'), 'online');
});
