import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { modbusModules } from '../../../drivers/modbus/index.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { socketModules } from '../../../drivers/socket/index.js';
import { until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';
import { registerMaps } from '../../tools/devices/register-maps.js';

enableLinearPatterns();

const MODULES = [
  ...socketModules(),
  ...serialModules(new SimulatedPorts()),
  ...modbusModules(registerMaps()),
];

/** A device that handles each connection as a test requires. */
async function device(t: Test, serve: (socket: Socket, nth: number) => void) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket, ++connections);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const unplug = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  t.teardown(unplug);
  return { port: (server.address() as AddressInfo).port, unplug, connections: () => connections };
}

/** Replies to a Modbus TCP request for one register with the number of requests. */
function reply(request: Buffer, value: number): Buffer {
  return Buffer.from([...request.subarray(0, 4), 0, 5, request[6] ?? 0, 3, 2, value >> 8, value & 255]);
}

await t.test('a Modbus unit that closes after each reply is polled as fast as another', async (t) => {
  let requests = 0;
  const unit = await device(t, (socket) =>
    socket.once('data', (request: Buffer) => socket.end(reply(request, ++requests))),
  );
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: unit.port });
  const links = fixture.watch(socket, 'LINK');
  const gateway = await fixture.add('ModBus Gateway', { DeviceID: 1, TimeoutMs: 4000 }, socket);
  const own = { DataType: 2, ReadFunctionCode: 3, ReadAddress: 0, Poller: 50 };
  const address = await fixture.add('ModBus Address', own, gateway);
  await until('many values', () => Number(fixture.value(address, 'Value')) >= 40);
  t.equal(fixture.quality(address, 'Value'), 'good');
  t.strictSame(
    links.filter((link) => link !== 'online' && link !== 'opening'),
    [],
    'online all the time',
  );
  t.same(fixture.devices.problems(gateway.id), []);
  t.ok(unit.connections() >= 40);
  unit.unplug();
  await fixture.waitForLink(socket, 'waiting');
  await fixture.waitForQuality(address, 'Value', 'bad UNREACHABLE');
});

await t.test('a frame that a connection left incomplete is not completed by the next one', async (t) => {
  const printer = await device(t, (socket, nth) => {
    if (nth === 1) socket.end('T=1\nT=9');
    else socket.write('5\nT=2\n');
  });
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: printer.port });
  const rules = [{ Pattern: '^T=([0-9]+)$', Ident: 'T', Type: 'integer' }];
  const line = await fixture.add('Serial Device', { Rules: rules }, socket);
  const seen = fixture.watch(line, 'T');
  await fixture.waitForValue(line, 'T', 2);
  t.notOk(seen.includes(95));
  t.equal(printer.connections(), 2);
});

await t.test('a device that closes immediately is retried with backoff', async (t) => {
  const rude = await device(t, (socket) => socket.destroy());
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: rude.port });
  await fixture.waitForLink(socket, 'waiting');
  t.match(fixture.status(socket), /closed the connection|broke the connection off/);
});

await t.test('a device that sends a busy message and closes is retried with backoff', async (t) => {
  const busy = await device(t, (socket) => socket.end('Port already in use\r\n'));
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: busy.port });
  await fixture.waitForLink(socket, 'waiting');
  t.match(fixture.status(socket), /closed the connection/);
});
