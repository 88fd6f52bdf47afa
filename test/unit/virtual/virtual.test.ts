import t from 'tap';
import { SENT_BYTES_LIMIT, SENT_ENTRIES_LIMIT } from '../../../drivers/virtual/sent-log.js';
import { virtualModules } from '../../../drivers/virtual/index.js';
import { REPLY_BYTES_LIMIT, REPLIES_LIMIT, encodeEvent } from '../../../drivers/virtual/http-replies.js';
import { CLIENTS_LIMIT } from '../../../drivers/virtual/virtual-stream.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { message } from '../../../src/kernel/messages.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

const MODULES = [...virtualModules(), ...serialModules(new SimulatedPorts())];

const DEVICE = {
  Rules: [{ Pattern: '^T=(-?[0-9.]+)$', Ident: 'T', Type: 'float' }],
  Commands: [
    { Ident: 'LEVEL', Type: 'integer', Send: 'LEVEL {value}\\r\\n' },
    { Ident: 'ASK', Type: 'string', Send: 'GET {value} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' },
  ],
};

interface Tried {
  readonly io: Instance;
  readonly device: Instance;
  /** Calls a function on it. */
  call(name: string, ...args: unknown[]): Promise<unknown>;
  /** The last frames of the device, newest first. */
  frames(): string[];
}

async function tried(fixture: DeviceFixture, properties: object = DEVICE): Promise<Tried> {
  const io = await fixture.add('Virtual I/O', {});
  const device = await fixture.add('Serial Device', { ...properties }, io);
  await fixture.waitForLink(device, 'online');
  return {
    io,
    device,
    call: (name, ...args) => fixture.call(name, io.id, ...args),
    frames: () => fixture.devices.knownDevices(device.id).map((frame) => (frame as { Frame: string }).Frame),
  };
}

await t.test('a device receives pushed data, and its sends are logged', async (t) => {
  const clock = new ManualClock(1_700_000_000_000);
  await using fixture = new DeviceFixture(MODULES, clock);
  const { device, call } = await tried(fixture);
  t.equal(await call('VIO_PushText', 'T=2'), true);
  t.equal(fixture.value(device, 'T'), 0, 'a line has an end');
  await call('VIO_PushText', '1.5\r\n');
  t.equal(fixture.value(device, 'T'), 21.5);
  await call('VIO_PushTextHEX', '54 3d 2D 34 0a');
  t.equal(fixture.value(device, 'T'), -4);
  await fixture.devices.write(device.id, 'LEVEL', 7);
  clock.advance(2000);
  await call('VIO_SendText', 'by hand ÿ');
  t.same(await call('VIO_GetTextList'), [
    { TimeStamp: 1_700_000_000, Text: 'LEVEL 7\r\n' },
    { TimeStamp: 1_700_000_002, Text: 'by hand ÿ' },
  ]);
  t.same(await call('VIO_GetPacketList'), []);
  await call('VIO_SendPacket', 'to one', '10.0.0.5', 4001);
  t.same(await call('VIO_GetPacketList'), [
    { TimeStamp: 1_700_000_002, Text: 'to one', ClientIP: '10.0.0.5', ClientPort: 4001 },
  ]);
});

await t.test(
  'concurrent clients are kept apart, and their incomplete data is discarded when they leave',
  async (t) => {
    const clock = new ManualClock(1_700_000_000_000);
    await using fixture = new DeviceFixture(MODULES, clock);
    const { io, call, frames } = await tried(fixture);
    const [one, two] = [
      ['10.0.0.5', 4001],
      ['fe80::1', 4001],
    ];
    await call('VIO_Connect', ...one);
    await call('VIO_Connect', ...two);
    t.same(fixture.devices.knownDevices(io.id), [
      { ClientIP: '10.0.0.5', ClientPort: 4001, Since: 1_700_000_000 },
      { ClientIP: 'fe80::1', ClientPort: 4001, Since: 1_700_000_000 },
    ]);
    await t.rejects(call('VIO_Connect', ...one), { code: 'DEVICE_REFUSED', message: /is already connected/ });
    await call('VIO_PushPacket', 'T=1', ...one);
    await call('VIO_PushPacketHEX', '543d320a', ...two);
    await call('VIO_PushPacket', '5\n', ...one);
    t.same(frames(), ['T=15', 'T=2']);
    await call('VIO_PushPacket', 'T=9', ...one);
    t.equal(await call('VIO_Disconnect', ...one), true);
    await t.rejects(call('VIO_Disconnect', ...one), {
      code: 'DEVICE_OFFLINE',
      message: /no client 10\.0\.0\.5:4001/,
    });
    await call('VIO_Connect', ...one);
    await call('VIO_PushPacket', 'T=3\n', ...one);
    t.same(frames()[0], 'T=3', 'its incomplete data was discarded');
    for (let port = 1; port <= CLIENTS_LIMIT - 2; port += 1) await call('VIO_Connect', '10.0.0.6', port);
    await t.rejects(call('VIO_Connect', '10.0.0.7', 1), { code: 'DEVICE_REFUSED', message: /256 clients/ });
  },
);

await t.test('requests get the configured replies, once one is set', async (t) => {
  await using fixture = new DeviceFixture(MODULES, new ManualClock());
  const { device, call, frames } = await tried(fixture);
  const ask = async (route: string) => {
    await fixture.devices.write(device.id, 'ASK', route);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await ask('/state');
  t.same(frames(), [], 'not a web server yet');
  t.equal(await call('VIO_HTTPResponse', '/state', 'get', 'T=8\nÿ\n'), true);
  await ask('/state');
  t.same(frames().reverse(), ['HTTP/1.1 200 OK', 'Content-Length: 6', '', 'T=8', 'ÿ']);
  t.equal(fixture.value(device, 'T'), 8);
  await call('VIO_HTTPResponse', '/state', 'GET', 'T=9\n');
  await ask('/state');
  t.equal(fixture.value(device, 'T'), 9, 'the later reply applies');
  await ask('/other');
  t.same(frames().slice(0, 3).reverse(), ['HTTP/1.1 404 Not Found', 'Content-Length: 0', '']);
  const before = frames();
  await fixture.devices.write(device.id, 'LEVEL', 1);
  await call('VIO_SendText', 'GET /state HTTP/1.1\r\n');
  await new Promise((resolve) => setImmediate(resolve));
  t.same(frames(), before, 'an incomplete request gets no reply');
  for (const wrong of [
    ['state', 'GET', ''],
    ['/a b', 'GET', ''],
    ['/', 'G T', ''],
    ['/', '', ''],
  ])
    await t.rejects(call('VIO_HTTPResponse', ...wrong), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(call('VIO_HTTPResponse', '/', 'GET', '€'), { code: 'CANNOT_CONVERT' });
  await t.rejects(call('VIO_HTTPResponse', '/', 'GET', 'x'.repeat(REPLY_BYTES_LIMIT + 1)), {
    code: 'TEXT_TOO_LONG',
  });
  for (let n = 1; n < REPLIES_LIMIT; n += 1) await call('VIO_HTTPResponse', `/${n}`, 'GET', '');
  await t.rejects(call('VIO_HTTPResponse', '/more', 'GET', ''), { code: 'BUSY' });
  await call('VIO_HTTPResponse', '/state', 'GET', '');
});

await t.test('a server-sent event is received in its wire format', async (t) => {
  await using fixture = new DeviceFixture(MODULES, new ManualClock());
  const { call, frames } = await tried(fixture);
  t.equal(await call('VIO_PushData', 'state', 'T=1\r\nT=2', '3000', '17'), true);
  t.same(frames().reverse(), ['id: 17', 'event: state', 'retry: 3000', 'data: T=1', 'data: T=2', '']);
  t.equal(encodeEvent({ event: '', data: 'Küche', retry: '', id: '' }).toString(), 'data: Küche\n\n');
  await t.rejects(call('VIO_PushData', 'a\nb', '', '', ''), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(call('VIO_PushData', '', '', 'soon', ''), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(call('VIO_PushData', '', '', '', 'a\0'), { code: 'PARAMETER_BOUNDS' });
});

await t.test('invalid arguments are rejected, and nothing is received', async (t) => {
  await using fixture = new DeviceFixture(MODULES, new ManualClock());
  const { io, device, call, frames } = await tried(fixture);
  await t.rejects(call('VIO_PushText', '€'), { code: 'CANNOT_CONVERT' });
  await t.rejects(call('VIO_SendText', '€'), { code: 'CANNOT_CONVERT' });
  for (const digits of ['5', '5g', '0x54', '5 4 3'])
    await t.rejects(call('VIO_PushTextHEX', digits), {
      code: 'CANNOT_CONVERT',
      message: /complete hexadecimal bytes/,
    });
  await t.rejects(call('VIO_PushText', ''), { code: 'PARAMETER_BOUNDS' });
  for (const [address, port] of [
    ['', 1],
    ['host', 1],
    ['10.0.0.1', 0],
    ['10.0.0.1', 65_536],
  ]) {
    await t.rejects(call('VIO_PushPacket', 'x', address, port), { code: 'PARAMETER_BOUNDS' });
    await t.rejects(call('VIO_SendPacket', 'x', address, port), { code: 'PARAMETER_BOUNDS' });
    await t.rejects(call('VIO_Connect', address, port), { code: 'PARAMETER_BOUNDS' });
  }
  t.same(frames(), []);
  t.same(await call('VIO_GetPacketList'), []);
  await t.rejects(fixture.call('VIO_PushText', device.id, 'x'), { code: 'WRONG_MODULE' });
  await fixture.devices.disconnect(device.id);
  await t.rejects(call('VIO_PushText', 'x'), {
    code: 'DEVICE_OFFLINE',
    message: /no device is connected; connect one/,
  });
  await fixture.change(io, { Open: false });
  t.match(fixture.status(io), /switched off/);
  await t.rejects(call('VIO_GetTextList'), { code: 'DEVICE_OFFLINE', message: /switched off/ });
  await fixture.change(io, { Open: true });
  await fixture.waitForLink(io, 'online');
  t.same(await call('VIO_GetTextList'), [], 'it starts again');
});

await t.test('the log of sent texts is limited', async (t) => {
  await using fixture = new DeviceFixture(MODULES, new ManualClock());
  const { call } = await tried(fixture);
  const texts = async () => ((await call('VIO_GetTextList')) as { Text: string }[]).map(({ Text }) => Text);
  for (let n = 1; n <= SENT_ENTRIES_LIMIT + 5; n += 1) await call('VIO_SendText', String(n));
  t.same([(await texts()).length, (await texts())[0]], [SENT_ENTRIES_LIMIT, '6'], 'the newest');
  await call('VIO_SendText', 'x'.repeat(SENT_BYTES_LIMIT));
  t.same(
    (await texts()).map(({ length }) => length),
    [SENT_BYTES_LIMIT],
    'a large one displaces the others',
  );
  await t.rejects(call('VIO_SendText', 'x'.repeat(SENT_BYTES_LIMIT + 1)), { code: 'TEXT_TOO_LONG' });
});

await t.test('the debug output shows both directions', async (t) => {
  await using fixture = new DeviceFixture(MODULES, new ManualClock());
  const { io, call } = await tried(fixture);
  const messages: unknown[] = [];
  fixture.kernel.changes.listen(({ SenderID, Message, Data }) => {
    if (SenderID === io.id && Message === message.KL_DEBUG) messages.push(Data.slice(0, 2));
  });
  fixture.debug.enable(io.id, 60);
  await call('VIO_PushText', 'in');
  await call('VIO_PushPacket', 'in', '10.0.0.5', 1);
  await call('VIO_SendText', 'out');
  await call('VIO_SendPacket', 'out', '10.0.0.5', 1);
  t.same(messages, [
    ['received', '696e'],
    ['received 10.0.0.5:1', '696e'],
    ['sent', '6f7574'],
    ['sent 10.0.0.5:1', '6f7574'],
  ]);
});
