import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { meterModules } from '../../../drivers/meter/index.js';
import { smlTelegram } from '../../../drivers/meter/simulation/sml-telegram.js';
import { socketModules } from '../../../drivers/socket/index.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { recordedTelegrams } from '../../tools/meters/recorded-telegrams.js';
import { dataBlock } from '../../tools/meters/simulated-iec-meter.js';
import { TcpPeer } from '../socket/tcp-peer.js';

const IDENTIFICATION = '/ISk5MT174-0001\r\n';

/** CRC-16/ARC, bit by bit (DSMR 5.0.2 P1, 6.2). */
function arc(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}

/** Meters that send by themselves: a telegram with this number of kilowatt-hours. */
const listening: readonly (readonly [module: string, telegram: (kWh: number) => Buffer])[] = [
  [
    'SML Meter',
    (kWh) => smlTelegram([{ obis: [1, 0, 1, 8, 0, 255], number: kWh * 1000, scaler: 0, unit: 30 }]),
  ],
  [
    'DSMR Meter',
    (kWh) => {
      const energy = `1-0:1.8.0(${String(kWh).padStart(6, '0')}.000*kWh)`;
      const text = `/ISK5\\2M550T-1012\r\n\r\n1-3:0.2.8(50)\r\n${energy}\r\n!`;
      const crc = arc(Buffer.from(text)).toString(16).toUpperCase().padStart(4, '0');
      return Buffer.from(`${text}${crc}\r\n`);
    },
  ],
  [
    'IEC 62056-21 Meter',
    (kWh) => Buffer.concat([Buffer.from(IDENTIFICATION), dataBlock([`1.8.0(${kWh}.000*kWh)`])]),
  ],
];

for (const [module, telegram] of listening)
  t.test(`${module} behind a socket: torn, doubled and after a reconnect`, async (t) => {
    await using peer = await TcpPeer.start();
    await using fixture = new DeviceFixture([...socketModules(), ...meterModules()]);
    const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: peer.port });
    const meter = await fixture.add(module, { Values: ['ENERGY_IN'], Learn: false }, socket);
    await fixture.waitForLink(meter, 'online');
    await peer.connected();
    const seen = fixture.watch(meter, 'ENERGY_IN');
    peer.say(telegram(100));
    await fixture.waitForValue(meter, 'ENERGY_IN', 100);

    const second = telegram(101);
    peer.say(second.subarray(0, second.length / 2));
    await peer.unplug();
    await fixture.waitForLink(meter, 'waiting');
    t.equal(fixture.value(meter, 'ENERGY_IN'), 100);
    await peer.plug();
    await fixture.waitForLink(meter, 'online');
    await peer.connected();
    // The second half of a telegram must not complete the first half of the other connection.
    peer.say(second.subarray(second.length / 2));
    peer.say(telegram(102));
    await fixture.waitForValue(meter, 'ENERGY_IN', 102);
    t.strictSame(seen, [100, 102], 'half a telegram is no value');
    t.equal(fixture.quality(meter, 'ENERGY_IN'), 'good');

    const third = telegram(103);
    peer.say(Buffer.concat([third, third, third.subarray(0, 12)]));
    peer.say(telegram(104));
    await fixture.waitForValue(meter, 'ENERGY_IN', 104);
    t.strictSame(seen.slice(2), [103, 103, 104], 'both of a doubled telegram, and the one after a torn one');
    t.equal(fixture.value(meter, 'LINK'), 'online');
  });

interface Replier {
  /** Called for each request, with the number of its connection. */
  reply(socket: Socket, request: Buffer, connection: number): void;
  /** Sent at the beginning of the second connection: the rest of a reply that was cut. */
  readonly rest: Buffer;
}

/** A meter that replies to requests; returns its port. */
async function startReplier(t: Test, { reply, rest }: Replier): Promise<number> {
  let connections = 0;
  const server = createServer((socket) => {
    const connection = (connections += 1);
    socket.on('error', () => undefined);
    socket.on('data', (request) => reply(socket, request, connection));
    if (connection === 2) socket.write(rest);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

const firstHalf = (data: Buffer) => data.subarray(0, data.length / 2);
const secondHalf = (data: Buffer) => data.subarray(data.length / 2);

t.test('M-Bus Meter behind a socket: a reply that is cut off is requested again', async (t) => {
  const hex = recordedTelegrams('MBUS').find(({ id }) => id === 'mbus/kamstrup_multical_601')?.hex ?? '';
  const data = Buffer.from(hex, 'hex');
  const requests: string[] = [];
  const port = await startReplier(t, {
    rest: secondHalf(data),
    reply(socket, request, connection) {
      requests.push(`${connection}: ${request.toString('hex')}`);
      if (request[1] === 0x40) socket.write(Buffer.from([0xe5]));
      else if (connection === 1) socket.end(firstHalf(data));
      else socket.write(Buffer.concat([data, data]));
    },
  });
  await using fixture = new DeviceFixture([...socketModules(), ...meterModules()]);
  const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: port });
  const properties = { Address: 17, Values: ['ENERGY'], Learn: false };
  const meter = await fixture.add('M-Bus Meter', properties, socket);
  await fixture.waitForValue(meter, 'ENERGY', 37_351);
  t.equal(fixture.quality(meter, 'ENERGY'), 'good');
  t.equal(requests[0], '1: 1040115116');
  const again = requests.some((one) => one.startsWith('2: '));
  t.ok(again, 'the halves of two connections are no reply');
});

t.test('IEC 62056-21 Meter behind a socket: a readout that is cut off is repeated', async (t) => {
  const cut = dataBlock(['1.8.0(0008000.000*kWh)']);
  const complete = dataBlock(['1.8.0(0008048.375*kWh)']);
  const requests: string[] = [];
  const port = await startReplier(t, {
    rest: secondHalf(cut),
    reply(socket, request, connection) {
      requests.push(`${connection}: ${JSON.stringify(request.toString('latin1'))}`);
      if (request[0] === 0x2f) socket.write(IDENTIFICATION);
      else if (connection === 1) socket.end(firstHalf(cut));
      else socket.write(Buffer.concat([complete, complete]));
    },
  });
  await using fixture = new DeviceFixture([...socketModules(), ...meterModules()]);
  const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: port });
  const properties = { Mode: 'request', EveryS: 5, Values: ['ENERGY_IN'], Learn: false };
  const meter = await fixture.add('IEC 62056-21 Meter', properties, socket);
  await fixture.waitForLink(meter, 'online');
  const seen = fixture.watch(meter, 'ENERGY_IN');
  await fixture.waitForValue(meter, 'ENERGY_IN', 8048.375);
  t.strictSame(seen, [8048.375], 'the halves of two connections are no readout');
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'good');
  t.ok(requests.includes(String.raw`2: "\u0006000\r\n"`), 'the baud rate does not change behind a socket');
});
