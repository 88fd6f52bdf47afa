import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock, systemClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import {
  ADDRESS_CACHE_MS,
  LOOKUP_TIMEOUT_MS,
  CONCURRENT_LOOKUPS,
  NameResolver,
  CONCURRENT_SLOW_LOOKUPS,
} from '../../../src/device/toolkit/name-resolver.js';
import { addressesIn, systemSources } from '../../../src/device/toolkit/system-resolver.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

/** A resolver whose lookups a test settles. */
function openResolver() {
  const clock = new ManualClock();
  const requests: string[] = [];
  const waiting = new Map<string, PromiseWithResolvers<readonly string[]>>();
  const stopped: string[] = [];
  const names = new NameResolver(clock, {
    local: async (name) => (name === 'printer' ? ['192.168.1.9'] : []),
    system: (name, signal) => {
      requests.push(name);
      const reply = Promise.withResolvers<readonly string[]>();
      waiting.set(name, reply);
      signal.addEventListener('abort', () => stopped.push(name));
      return reply.promise;
    },
  });
  const failing = (name: string) => names.addressesOf(name).catch(({ code }: NodeJS.ErrnoException) => code);
  return { clock, names, requests, waiting, stopped, failing };
}

await t.test('the hosts file and localhost do not wait for a hanging lookup', async (t) => {
  const { names, requests, failing } = openResolver();
  for (let n = 0; n < 20; n++) void failing(`dead${n}.test`);
  await until('lookups', () => requests.length === CONCURRENT_LOOKUPS);
  t.same(await names.addressesOf('Printer.'), ['192.168.1.9']);
  t.same(await names.addressesOf('localhost'), ['127.0.0.1', '::1']);
  t.equal(requests.length, CONCURRENT_LOOKUPS);
});

await t.test('one lookup serves concurrent callers, and later ones from the cache', async (t) => {
  const { clock, names, requests, waiting } = openResolver();
  const all = [names.addressesOf('broker'), names.addressesOf('BROKER'), names.addressesOf('broker')];
  await until('the lookup', () => waiting.has('broker'));
  waiting.get('broker')?.resolve(['10.0.0.1']);
  t.same(await Promise.all(all), [['10.0.0.1'], ['10.0.0.1'], ['10.0.0.1']]);
  clock.advance(ADDRESS_CACHE_MS - 1);
  t.same(await names.addressesOf('broker'), ['10.0.0.1']);
  t.same(requests, ['broker']);
  clock.advance(1);
  void names.addressesOf('broker');
  await until('the next lookup', () => requests.length === 2);
});

await t.test('a hanging lookup times out, and waits behind the others from then on', async (t) => {
  const { clock, names, requests, waiting, stopped, failing } = openResolver();
  const dead = Array.from({ length: CONCURRENT_LOOKUPS }, (_, n) => `dead${n}.test`);
  const first = dead.map(failing);
  await until('lookups', () => requests.length === CONCURRENT_LOOKUPS);
  const good = names.addressesOf('good.test');
  await yieldToEventLoop();
  t.notOk(requests.includes('good.test'), 'all slots are taken');
  clock.advance(LOOKUP_TIMEOUT_MS);
  t.same(
    await Promise.all(first),
    dead.map(() => 'EAI_AGAIN'),
  );
  t.same(stopped, dead, 'their programs are killed');
  await until('the good one', () => waiting.has('good.test'));
  waiting.get('good.test')?.resolve(['10.0.0.2']);
  t.same(await good, ['10.0.0.2']);
  t.equal(await failing('dead0.test'), 'EAI_AGAIN', 'cached for a while, without another lookup');
  t.equal(requests.length, CONCURRENT_LOOKUPS + 1);
  clock.advance(1000);
  for (const name of dead) void failing(name);
  await until('two of them', () => requests.length === CONCURRENT_LOOKUPS + 1 + CONCURRENT_SLOW_LOOKUPS);
  const other = names.addressesOf('other.test');
  await until('the other one', () => waiting.has('other.test'));
  waiting.get('other.test')?.resolve(['10.0.0.3']);
  t.same(await other, ['10.0.0.3']);
});

await t.test('an unknown name has increasing backoff', async (t) => {
  const { clock, requests, waiting, failing } = openResolver();
  const unknown = async () => {
    const failure = failing('typo.test');
    const before = requests.length;
    await until('the lookup', () => requests.length > before || waiting.has('typo.test'));
    waiting.get('typo.test')?.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    waiting.delete('typo.test');
    t.equal(await failure, 'ENOTFOUND');
  };
  await unknown();
  for (const [waitMs, lookups] of [
    [499, 1],
    [1, 2],
    [999, 2],
    [1, 3],
  ] as const) {
    clock.advance(waitMs);
    if (lookups > requests.length) await unknown();
    else t.equal(await failing('typo.test'), 'ENOTFOUND');
    t.equal(requests.length, lookups);
  }
});

await t.test('an internationalised name is looked up in its ASCII form', async (t) => {
  const { names, waiting } = openResolver();
  const found = names.addressesOf('Küche.local');
  await until('the lookup', () => waiting.size === 1);
  waiting.get('xn--kche-0ra.local')?.resolve(['10.0.0.4']);
  t.same([...waiting.keys()], ['xn--kche-0ra.local']);
  t.same(await found, ['10.0.0.4']);
});

await t.test('a hosts file', (t) => {
  const text =
    '# 1.2.3.4 no\n127.0.0.1\tlocalhost\n::1 localhost ip6-localhost\n10.0.0.5 Meter.lan meter # 2\nnonsense\n';
  t.same(addressesIn(text, 'localhost'), ['127.0.0.1', '::1']);
  t.same(addressesIn(text, 'meter.lan'), ['10.0.0.5']);
  t.same(addressesIn(text, 'no'), []);
  t.end();
});

await t.test('the system resolver runs in a program that can be killed', async (t) => {
  const directory = await tempDirectory(t);
  // The programs do not keep the process alive, and nothing else does here.
  const alive = setInterval(() => undefined, 60_000);
  t.teardown(() => clearInterval(alive));
  const [hosts, program] = [join(directory, 'hosts'), join(directory, 'getent')];
  await writeFile(hosts, '127.0.0.1 here\n');
  const script = (text: string) => writeFile(program, `#!/bin/sh\n${text}\n`);
  await script('exec sleep 1000');
  await chmod(program, 0o700);
  const sources = systemSources(hosts, program);
  t.same(await sources.local('here'), ['127.0.0.1']);
  const stop = new AbortController();
  const hanging = sources.system('hangs.test', stop.signal);
  stop.abort();
  await t.rejects(hanging, { name: 'AbortError' });
  const { signal } = new AbortController();
  await script(
    '[ "$1 $2" = "-- ahosts" ] && echo "127.0.0.1 STREAM $3" && echo "127.0.0.1 DGRAM" && echo "::1 STREAM"',
  );
  t.same(await sources.system('x', signal), ['127.0.0.1', '::1']);
  await script('exit 2');
  await t.rejects(sources.system('x', signal), { code: 'ENOTFOUND' });
});

await t.test('a socket with `lookup` connects to the resolved address', async (t) => {
  const names = new NameResolver(systemClock(), { local: async () => ['127.0.0.1'], system: async () => [] });
  const socket = connect({ host: 'here.test', port: 1, lookup: names.lookup });
  const error = await new Promise((resolve) => socket.once('error', resolve));
  t.match(error, { code: 'ECONNREFUSED', address: '127.0.0.1' });
  const only6 = connect({ host: 'here.test', port: 1, family: 6, lookup: names.lookup });
  t.match(await new Promise((resolve) => only6.once('error', resolve)), { code: 'ENOTFOUND' });
});
