/** The Line Protocol Bridge at a database that comes and goes, and rejects lines. */
import t, { type Test } from 'tap';
import { lineBridge } from '../../../drivers/bridge/lines/line-bridge.js';
import { systemClock } from '../../../src/base/clock.js';
import type { ModuleDefinition } from '../../../src/device/module.js';
import { systemResolver } from '../../../src/device/toolkit/system-resolver.js';
import { BridgeFixture, environmentIn } from '../../tools/bridge/bridge-fixture.js';
import { LineServer } from '../../tools/bridge/line-server.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const moduleIn = (directory: string): ModuleDefinition =>
  lineBridge(systemResolver(systemClock()), environmentIn(directory)) as unknown as ModuleDefinition;

async function opened(t: Test, server: LineServer, properties: Record<string, unknown> = {}) {
  const fixture = new BridgeFixture([moduleIn(await tempDirectory(t))]);
  t.teardown(() => fixture[Symbol.asyncDispose]());
  const bridge = await fixture.add('Line Protocol Bridge', {
    Url: server.url,
    Paths: [{ Path: 'hall', Priority: 'normal' }],
    SendInterval: 0,
    WriteInterval: 1,
    ResendRate: 10_000,
    ...properties,
  });
  await fixture.waitForLink(bridge, 'online');
  return { fixture, bridge };
}

const valueOf = (line: string): number => Number(/ value=([^,]+),/.exec(line)?.[1]);

t.test('values are posted with tags and a login', async (t) => {
  await using server = await LineServer.start();
  const { fixture, bridge } = await opened(t, server, {
    Token: 'secret',
    Measurement: 'home',
    Tags: [{ Name: 'site', Value: 'north' }],
  });
  fixture.set('TEMPERATURE', 21.5);
  fixture.set('LIGHT', true);
  await fixture.waitForValue(bridge, 'CONNECTED', true);
  await until('both values', () => server.stored.length === 2);
  t.match(server.stored[0], /^home,site=north,path=hall\/TEMPERATURE value=21.5,quality=0i \d{19}$/);
  t.match(server.stored[1], /path=hall\/LIGHT value=1,/);
  t.match(server.requests[0], { path: '/write?db=home', headers: { authorization: 'Token secret' } });
});

t.test('a database that comes and goes misses nothing', async (t) => {
  await using server = await LineServer.start();
  const { fixture, bridge } = await opened(t, server, { UserName: 'me', Password: 'pw' });
  let count = 0;
  const change = async () => {
    for (let n = 0; n < 100; n++) {
      fixture.set('COUNT', ++count);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await change();
  await fixture.waitForValue(bridge, 'CONNECTED', true);
  await server.stop();
  await change();
  await fixture.waitForValue(bridge, 'CONNECTED', false);
  t.match(fixture.status(bridge), /values wait in the queue/);
  await server.start();
  await fixture.waitForValue(bridge, 'CONNECTED', true);
  server.statusOf = () => 503;
  server.retryAfter = '1';
  await change();
  await fixture.waitForValue(bridge, 'CONNECTED', false);
  server.statusOf = () => 204;
  await until('all values', () => new Set(server.stored.map(valueOf)).size === count);
  t.match(server.requests[0]?.headers.authorization, /^Basic /);
  await fixture.waitForValue(bridge, 'WAITING', 0);
  t.equal(fixture.value(bridge, 'DROPPED'), 0);
});

t.test('lines that the database rejects are found, counted, and do not stop the others', async (t) => {
  await using server = await LineServer.start();
  const { fixture, bridge } = await opened(t, server);
  server.statusOf = (lines) => (lines.some((line) => valueOf(line) % 50 === 0) ? 400 : 204);
  for (let n = 1; n <= 200; n++) fixture.set('COUNT', n);
  await until('the others', () => new Set(server.stored.map(valueOf)).size === 196);
  await fixture.waitForValue(bridge, 'DROPPED', 4);
  const known = fixture.devices.knownDevices(bridge.id);
  t.match(known[1], { Priority: 'normal', Sent: 196, Dropped: { rejected: 4 } });
});

t.test('a request that is too large is divided', async (t) => {
  await using server = await LineServer.start();
  const { fixture, bridge } = await opened(t, server);
  server.statusOf = (lines) => (lines.length > 30 ? 413 : 204);
  for (let n = 1; n <= 100; n++) fixture.set('COUNT', n);
  await until('all values', () => new Set(server.stored.map(valueOf)).size === 100);
  t.equal(fixture.value(bridge, 'DROPPED'), 0);
});

t.test('a rejected login is a problem, not a loss', async (t) => {
  await using server = await LineServer.start();
  server.statusOf = () => 401;
  const { fixture, bridge } = await opened(t, server, { Token: 'wrong-token' });
  fixture.set('COUNT', 1);
  await until('the problem', () => /rejected the login/.test(fixture.status(bridge)));
  t.notMatch(fixture.status(bridge), /wrong-token/);
  server.statusOf = () => 404;
  await until('the next problem', () => /no database at this address/.test(fixture.status(bridge)));
  server.statusOf = () => 204;
  await until('the value', () => server.stored.length === 1);
});

t.test('an address that the database rejects is a problem, not a loss', async (t) => {
  await using server = await LineServer.start();
  server.statusOf = () => 400;
  const { fixture, bridge } = await opened(t, server);
  for (let n = 1; n <= 10; n++) fixture.set('COUNT', n);
  await until('the problem', () => /no database at this address \(400\)/.test(fixture.status(bridge)));
  t.equal(fixture.value(bridge, 'CONNECTED'), false);
  const figures = () =>
    fixture.devices.knownDevices(bridge.id)[1] as { Waiting: number; Dropped: { rejected: number } };
  const rejections = (count: number) =>
    until(`${count} rejected`, () => figures().Dropped.rejected === count);
  t.match(figures(), { Waiting: 10, Sent: 0, Dropped: { rejected: 0 } });
  // Now the address is right, but it rejects each of these lines.
  server.statusOf = (lines) => (lines.some((line) => valueOf(line) <= 10) ? 400 : 204);
  await rejections(10);
  await fixture.waitForValue(bridge, 'CONNECTED', true);
  fixture.set('COUNT', 11);
  await until('the next value', () => server.stored.some((line) => valueOf(line) === 11));
  server.statusOf = () => 400;
  fixture.set('COUNT', 12);
  await rejections(11);
});

t.test('a server that does not run is a problem that says what to do', async (t) => {
  await using server = await LineServer.start();
  await server.stop();
  const { fixture, bridge } = await opened(t, server);
  fixture.set('COUNT', 1);
  await until('the problem', () => /no program listens there; .*correct Url/.test(fixture.status(bridge)));
});

t.test('properties that cannot work are rejected', async (t) => {
  const module = lineBridge(systemResolver(systemClock()), environmentIn(await tempDirectory(t)));
  const rejected = (Url: string, SendInterval = 1): string =>
    String(module.check?.({ Url, SendInterval, WriteInterval: 10 } as never));
  t.equal(rejected('http://a/write'), 'undefined');
  t.equal(rejected('https://a/api/v3/write_lp?db=x&precision=nanosecond'), 'undefined');
  t.match(rejected(''), /Url is empty/);
  t.match(rejected('mqtt://a'), /is not an address/);
  t.match(rejected('http://u:p@a/write'), /must not contain a user name/);
  t.match(rejected('http://a/write?precision=ms'), /remove precision=ms/);
  t.match(rejected('http://a/write', 10), /must be shorter/);
});
