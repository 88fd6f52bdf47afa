import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import modbusSerial from 'modbus-serial';
import t, { type Test } from 'tap';
import { Backends, gpioModules } from '../../../drivers/gpio/index.js';
import { modbusModules } from '../../../drivers/modbus/index.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { socketModules } from '../../../drivers/socket/index.js';
import { systemClock } from '../../../src/base/clock.js';
import { variableType } from '../../../src/device/module.js';
import { quality } from '../../../src/kernel/quality.js';
import { simulatedBoard } from '../../tools/devices/board-fixture.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { openPtyPair } from '../../tools/devices/pty.js';
import { registerMaps } from '../../tools/devices/register-maps.js';
import { hasProgram } from '../../tools/program.js';
import { reservePort } from '../../tools/reserve-port.js';
import { until } from '../../tools/until.js';

const Client = modbusSerial.default;
const UNIT = 9;
const directory = mkdtempSync(join(tmpdir(), 'stellwerk-'));
t.teardown(() => rm(directory, { recursive: true, force: true }));
writeFileSync(
  join(directory, 'plant.yaml'),
  `name: Values for the plant
kind: server
blocks:
  - table: holding
    values:
      TEMPERATURE: { at: 0, type: int16, scale: 0.1, variable: temperature }
      COUNT: { at: 1, type: uint32, variable: count, bad: 4294967295 }
      NAME: { at: 3, type: text, length: 4, variable: name }
      PUMP: { at: 10, variable: pump/STATE, write: true }
      GONE: { at: 20, variable: nothing/there }
  - table: input
    values:
      TEMPERATURE_F: { at: 0, type: float32, words: low-first, variable: temperature }
  - table: coils
    values:
      PUMP_COIL: { at: 5, variable: pump/STATE, write: true }
      FIXED: { at: 6, variable: flag, write: true }
  - table: discrete
    values:
      FLAG: { at: 0, variable: flag }
`,
);

/** A gateway with a relay and three variables, served over TCP or a serial line. */
async function makeServer(io: readonly [string, Record<string, unknown>], Protocol: string) {
  const clock = systemClock();
  const modules = [
    ...gpioModules(new Backends(simulatedBoard, clock)),
    ...serialModules(),
    ...socketModules(),
    ...modbusModules(registerMaps(directory)),
  ];
  const fixture = new DeviceFixture(modules, clock);
  const { kernel } = fixture;
  const make = (ident: string, type: keyof typeof variableType, value: number | string | boolean) => {
    const variable = kernel.variables.create(variableType[type], {
      parent: kernel.tree.root,
      ident,
      name: ident,
    });
    kernel.variables.update(variable, value, Date.now());
    return variable;
  };
  const temperature = make('temperature', 'float', -21.5);
  const count = make('count', 'integer', 100_000);
  make('name', 'string', 'Plant 1');
  make('flag', 'boolean', true);
  const pump = fixture.devices.create('Relay', { ident: 'pump' }, { Line: 'RELAY1', MinOnS: 3600 });
  await fixture.waitForLink(pump, 'online');
  const parent = await fixture.add(io[0], io[1]);
  const server = await fixture.add('ModBus Server', { Map: 'plant', UnitID: UNIT, Protocol }, parent);
  await fixture.waitForLink(server, 'online');
  return { fixture, kernel, temperature, count, pump, server };
}

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
  const made = await makeServer(['Server Socket', { Port: port }], 'TCP');
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
    await using pair = await openPtyPair(directory);
    const made = await makeServer(['Serial Port', { Port: pair.near, BaudRate: '19200' }], 'RTU');
    await using _fixture = made.fixture;
    const client = new Client();
    await client.connectRTUBuffered(pair.far, { baudRate: 19_200 });
    await clientContract(t, client, made);
    await new Promise<void>((resolve) => client.close(() => resolve()));
  },
);

await t.test('hostile clients are bounded, and do not disturb others', async (t) => {
  const port = await reservePort();
  const { fixture } = await makeServer(['Server Socket', { Port: port }], 'TCP');
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
