import { createSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { Type } from '@sinclair/typebox';
import modbusSerial from 'modbus-serial';
import t, { type Test } from 'tap';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { moduleKind, variableType, type ModuleDefinition } from '../../../src/device/module.js';
import { quality } from '../../../src/kernel/quality.js';
import { rtuFrame } from '../../tools/devices/fake-modbus-units.js';
import { openPtyPair } from '../../tools/devices/pty.js';
import { hasProgram } from '../../tools/program.js';
import { reservePort } from '../../tools/reserve-port.js';
import { until, withinPatience } from '../../tools/until.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { makeServer, UNIT } from './served-plant.js';

const Client = modbusSerial.default;
/** An exception, as the client reports it. */
const exception = (code: number) => ({ message: new RegExp(`exception ${code}\\b`, 'i') });

/** What an independent client sees, whatever the line. */
async function clientContract(
  t: Test,
  client: InstanceType<typeof Client>,
  { fixture, kernel, temperature, count, pump, server }: Awaited<ReturnType<typeof makeServer>>,
): Promise<void> {
  client.setID(UNIT);
  client.setTimeout(5000);
  t.strictSame((await client.readHoldingRegisters(0, 3)).data, [0x10000 - 215, 1, 34_464]);
  t.equal((await client.readHoldingRegisters(3, 4)).buffer.toString('latin1'), 'Plant 1\0');
  const { buffer } = await client.readInputRegisters(0, 2);
  t.equal(Buffer.concat([buffer.subarray(2), buffer.subarray(0, 2)]).readFloatBE(), -21.5);
  t.equal((await client.readDiscreteInputs(0, 1)).data[0], true);
  t.equal((await client.readCoils(5, 1)).data[0], false);
  kernel.variables.update(temperature, 30.2, Date.now());
  t.equal((await client.readHoldingRegisters(0, 1)).data[0], 302);
  await client.writeCoil(5, true);
  t.equal(fixture.value(pump, 'STATE'), true, 'the relay is switched by its action');
  t.equal((await client.readHoldingRegisters(10, 1)).data[0], 1);
  await t.rejects(client.writeRegister(10, 0), exception(4), 'the rules of the output apply');
  t.equal(fixture.value(pump, 'STATE'), true);
  await t.rejects(client.writeCoil(6, false), exception(2), 'a variable without an action is read-only');
  await t.rejects(client.writeRegister(0, 1), exception(2), 'the map does not allow it');
  await t.rejects(client.readHoldingRegisters(7, 1), exception(2), 'there is no such address');
  await t.rejects(client.readHoldingRegisters(20, 1), exception(4), 'there is no such variable');
  t.match(fixture.status(server), /variables that do not exist/);
  kernel.variables.setQualityProblem(count, { state: quality.bad, reason: 'UNREACHABLE', text: 'gone' });
  t.strictSame((await client.readHoldingRegisters(1, 2)).data, [65_535, 65_535], 'the value of the map');
  kernel.variables.setQualityProblem(temperature, {
    state: quality.bad,
    reason: 'UNREACHABLE',
    text: 'gone',
  });
  await t.rejects(client.readHoldingRegisters(0, 1), exception(4), 'a bad value is an exception');
  kernel.variables.setQualityProblem(temperature, undefined);
  kernel.variables.update(temperature, 5000, Date.now());
  await t.rejects(client.readHoldingRegisters(0, 1), exception(4), 'a value that does not fit is no other');
}

await t.test('TCP: a client reads and writes parts of the tree', async (t) => {
  const port = await reservePort();
  const made = await makeServer(t, ['Server Socket', { Port: port }], { Protocol: 'TCP' });
  await using _fixture = made.fixture;
  const client = new Client();
  await client.connectTCP('127.0.0.1', { port });
  await clientContract(t, client, made);
  await new Promise<void>((resolve) => client.close(() => resolve()));
});

await t.test(
  'RTU: a client reads and writes parts of the tree',
  { skip: hasProgram('socat') ? false : 'socat is not installed (Debian package socat)' },
  async (t) => {
    await using pair = await openPtyPair(await tempDirectory(t));
    const made = await makeServer(t, ['Serial Port', { Port: pair.near, BaudRate: '19200' }], {
      Protocol: 'RTU',
    });
    await using _fixture = made.fixture;
    const client = new Client();
    await client.connectRTUBuffered(pair.far, { baudRate: 19_200 });
    await clientContract(t, client, made);
    await new Promise<void>((resolve) => client.close(() => resolve()));
  },
);

await t.test('hostile clients are bounded, and do not disturb others', async (t) => {
  const port = await reservePort();
  const { fixture } = await makeServer(t, ['Server Socket', { Port: port }], { Protocol: 'TCP' });
  await using _fixture = fixture;
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const exchange = async (socket: Socket, hex: string): Promise<string> => {
    const replied = once(socket, 'data') as Promise<[Buffer]>;
    socket.write(Buffer.from(hex, 'hex'));
    return (await replied)[0].toString('hex');
  };
  const [noise, slow, good] = [await open(), await open(), await open()];
  for (const socket of [noise, slow]) socket.on('error', () => undefined); // it may be disconnected
  noise.write(Buffer.alloc(100_000, 0xa5));
  slow.write(Buffer.from('0001000000ff0903', 'hex'));
  const read = '000700000006090300000001';
  t.equal(await exchange(good, read), '000700000005090302ff29');
  t.equal(await exchange(good, '000800000006630300000001' + read), '000700000005090302ff29', 'another unit');
  for (const [request, code] of [
    ['00010000000209 41', 'c101'],
    ['00010000000609 0300000000', '8303'],
    ['00010000000609 030000007e', '8303'],
    ['00010000000609 0600000001ff', '8603'],
    ['0001000000080910000a00ff01', '9003'],
    ['00010000000609 05000512 34', '8503'],
    ['00010000000609 03ffff0002', '8302'],
  ] as const) {
    const bytes = Buffer.from(request.replaceAll(' ', ''), 'hex');
    bytes.writeUInt16BE(bytes.length - 6, 4);
    t.match(await exchange(good, bytes.toString('hex')), new RegExp(`09${code}$`), request);
  }
  const many = Buffer.from(read.repeat(5000), 'hex');
  noise.write(many);
  await until('still answering', async () => (await exchange(good, read)) === '000700000005090302ff29');
  for (const socket of [noise, slow, good]) socket.destroy();
});

await t.test('UDP: a new client is answered after any number of others', async (t) => {
  const BindPort = await reservePort();
  const io = ['UDP Socket', { BindIP: '127.0.0.1', BindPort }] as const;
  const { fixture } = await makeServer(t, io, { Protocol: 'TCP' });
  await using _fixture = fixture;
  for (let count = 1; count <= 300; count++) {
    const socket = createSocket('udp4');
    t.teardown(() => socket.close());
    const replied = once(socket, 'message') as Promise<[Buffer]>;
    socket.send(Buffer.from('000700000006090300000001', 'hex'), BindPort, '127.0.0.1');
    const [reply] = await withinPatience(`the reply to client ${count}`, replied);
    t.equal(reply.toString('hex'), '000700000005090302ff29');
  }
});

const SERIAL = '/dev/ttyUSB0';
/** A frame to or from the server. */
const frame = (...pdu: number[]) => rtuFrame(UNIT, Buffer.from(pdu)).toString('hex');
const SWITCH_ON = frame(5, 0, 5, 0xff, 0);
const READ = frame(1, 0, 5, 0, 1);
const IS_ON = frame(1, 1, 1);

/** A server on a simulated line, whose adapter receives its own transmission in pieces of `echoPieces` bytes. */
async function makeLine(t: Test, echoPieces: number) {
  const [clock, ports] = [new ManualClock(), new SimulatedPorts()];
  const far = ports.plug(SERIAL);
  const replies: string[] = [];
  far.onReceived.on((bytes) => {
    replies.push(bytes.toString('hex'));
    if (echoPieces === 0 || replies.length > 20) return;
    for (let at = 0; at < bytes.length; at += echoPieces) far.send(bytes.subarray(at, at + echoPieces));
  });
  const io = ['Serial Port', { Port: SERIAL, BaudRate: '9600' }] as const;
  const made = await makeServer(t, io, { Protocol: 'RTU', clock, ports });
  const ask = async (hex: string) => {
    const before = replies.length;
    far.send(Buffer.from(hex, 'hex'));
    await until('a reply', () => replies.length > before);
  };
  return { ...made, clock, ask, replies };
}

for (const echoPieces of [0, 1, 3, 100]) {
  const adapter = echoPieces === 0 ? 'no echo' : `an echo in pieces of ${echoPieces}`;
  await t.test(`RTU: with ${adapter}, each request is performed once`, async (t) => {
    const { fixture, clock, ask, replies } = await makeLine(t, echoPieces);
    await using _fixture = fixture;
    await ask(SWITCH_ON);
    clock.advance(1000);
    await ask(SWITCH_ON);
    await ask(READ);
    t.strictSame(replies, [SWITCH_ON, SWITCH_ON, IS_ON], 'nothing was answered that no client has sent');
    for (const request of [SWITCH_ON, SWITCH_ON, SWITCH_ON, READ]) await ask(request);
    t.strictSame(replies.slice(3), [SWITCH_ON, SWITCH_ON, SWITCH_ON, IS_ON]);
  });
}

await t.test('RTU: a write that is repeated later is answered without a read in between', async (t) => {
  const { fixture, clock, ask, replies } = await makeLine(t, 0);
  await using _fixture = fixture;
  for (let count = 0; count < 4; count++) {
    await ask(SWITCH_ON);
    clock.advance(1000);
  }
  t.equal(replies.length, 4);
});

/** A valve whose commands end when the test says so. */
function slowValve() {
  const written: boolean[] = [];
  let end: (() => void) | undefined;
  const definition: ModuleDefinition = {
    id: '{6A0D6C0E-64A2-4C39-9D0B-0C9B41F7C5D2}',
    name: 'Slow valve',
    kind: moduleKind.device,
    prefix: 'TEST',
    properties: Type.Object({}),
    variables: () => [
      { ident: 'STATE', name: 'State', type: variableType.boolean, role: 'main', action: true },
    ],
    open: async (host) => {
      host.report('STATE', false);
      return {
        write: async (_ident, value) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          end = resolve;
          written.push(value === true);
          await promise;
        },
        close: () => Promise.resolve(),
      };
    },
  };
  return { definition, written, finish: () => end?.() };
}

/** A server with a valve, and a client that has sent one write of the valve and two of the pump. */
async function makeWaiting(t: Test) {
  const valve = slowValve();
  const port = await reservePort();
  const made = await makeServer(t, ['Server Socket', { Port: port }], {
    Protocol: 'TCP',
    more: [valve.definition],
  });
  const slow = made.fixture.devices.create('Slow valve', { ident: 'valve' }, {});
  await made.fixture.waitForLink(slow, 'online');
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  // Coils 7 and 8 in one request; coil 5 in the next.
  socket.write(Buffer.from('000100000008090f000700020103' + '00020000000609050005ff00', 'hex'));
  await until('the first command', () => valve.written.length === 1);
  return { ...made, valve, socket };
}

await t.test('writes that wait are discarded with their client', async (t) => {
  const { fixture, pump, valve, socket, server } = await makeWaiting(t);
  await using _fixture = fixture;
  const left = once(socket, 'close');
  socket.destroy();
  await left;
  const parent = server.data.connectionId;
  await until('no client', () => fixture.devices.knownDevices(parent).length === 0);
  valve.finish();
  for (let turn = 0; turn < 50; turn++) await yieldToEventLoop();
  t.equal(fixture.value(pump, 'STATE'), false);
});

await t.test('writes that wait are discarded with the server', async (t) => {
  const { fixture, pump, valve, socket, server } = await makeWaiting(t);
  await using _fixture = fixture;
  await fixture.devices.delete(server.id);
  valve.finish();
  for (let turn = 0; turn < 50; turn++) await yieldToEventLoop();
  t.equal(fixture.value(pump, 'STATE'), false);
  socket.destroy();
});
