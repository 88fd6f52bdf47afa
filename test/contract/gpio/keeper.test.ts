import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { parseTable, formatTable } from '../../../drivers/gpio/keeper/output-table.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { hasProgram } from '../../tools/program.js';
import { withinPatience, until } from '../../tools/until.js';
import { buildKeeper, type Gateway, KeeperFixture } from './kept/keeper-fixture.js';
import { AFTER, HOLD, threeOutputs } from './kept/three-outputs.js';

const skip = hasProgram('gcc') ? false : 'needs gcc';
const skipService =
  skip === false && !hasProgram('python3') ? 'needs python3, which plays systemd here' : skip;
const built = await (skip === false ? buildKeeper() : undefined);
const makeFixture = (t: Test) => KeeperFixture.make(t, built as NonNullable<typeof built>);

const ENTRY = 'kept 0 3 LINE3 high push-pull hold inactive hold active 120';

const seed = fuzzSeed();

await t.test('at boot each line is requested together with its value, once', { skip }, async (t) => {
  const box = await makeFixture(t);
  const boot = (offset: number, how: string) =>
    `kept 0 ${offset} L${offset} low push-pull ${how} hold hold hold 0`;
  const away = 'gone 0 1 AWAY low push-pull active hold hold hold 0';
  await writeFile(box.table, formatTable([boot(1, 'active'), boot(2, 'inactive'), boot(3, 'hold'), away]));
  const first = await box.keeper();
  const seen = async () => (await box.history()).map(({ offset, level }) => [offset, level]);
  const booted = [
    [1, false],
    [2, true],
    [3, false],
  ];
  t.same(
    await seen(),
    booted,
    'active low is applied; each line is driven once; a held line keeps its level',
  );
  await first.waitFor(/AWAY is not available yet/);
  await writeFile(join(box.devices, 'gpiochip7'), 'gone');
  await box.become({ 1: false });
  await until('the late chip to have its value', async () => (await seen()).length === 4);

  // Killed while nothing stores its descriptors: the lines are released, and the levels that the chip makes
  // of them are not held.
  await first.end('SIGKILL');
  await writeFile(join(box.devices, 'gpiochip0.2'), '');
  const again = await box.keeper();
  await again.waitFor(/restarted: 4 outputs are guarded/);
  t.same(
    (await seen())
      .slice(4)
      .map(([, level]) => level)
      .sort(),
    [false, false, false, true],
  );
  await again.end();

  await writeFile(box.table, 'stellwerk outputs 1\n');
  await writeFile(join(box.runtime, 'state'), 'torn');
  const without = await box.keeper();
  await without.waitFor(/state is unusable.*[^]*outputs.table is rejected: its last line is missing/);
});

await t.test(
  'policies are applied when the gateway is killed and when it says goodbye',
  { skip },
  async (t) => {
    const box = await makeFixture(t);
    const keeper = await box.keeper();
    const pid = keeper.process.pid;
    for (const [on, end] of [
      ['onDeath', (gateway) => gateway.end('SIGKILL')],
      ['onStop', (gateway) => gateway.send({ goodbye: 'stop' })],
      ['onUpdate', (gateway) => gateway.send({ goodbye: 'update' })],
    ] as const satisfies [string, (gateway: Gateway) => Promise<unknown>][]) {
      const gateway = await threeOutputs(t, box, on);
      const before = (await box.history()).length;
      await end(gateway);
      await box.become(AFTER);
      const driven = (await box.history()).slice(before);
      t.same(
        driven.map((one) => [one.pid, one.offset, one.level]).sort(),
        [
          [pid, 2, false],
          [pid, 3, true],
        ],
        `${on}: the keeper drove what its policy drives, once, and nothing else`,
      );
      await gateway.end('SIGKILL');
    }
    await keeper.waitFor(/the gateway is gone: 1 outputs held, 1 inactive, 1 active, after \d+ us/);
    await keeper.waitFor(/the gateway stopped: 1 outputs held/);
    await keeper.waitFor(/the gateway is being updated: 1 outputs held/);
    await keeper.end();
    t.notMatch(keeper.output, /Sanitizer|runtime error/);
  },
);

await t.test('a gateway that returns takes its lines over without driving them', { skip }, async (t) => {
  const box = await makeFixture(t);
  await box.keeper();
  const one = await threeOutputs(t, box, 'onDeath');
  await one.end('SIGKILL');
  await box.become(AFTER);
  const before = (await box.history()).length;
  const two = box.gateway();
  const found = [];
  for (const offset of [1, 2, 3])
    found.push(await two.send({ requestOutput: { offset, boot: 'hold', guard: HOLD } }));
  t.same(found, ['true', 'false', 'true']);
  t.equal((await box.history()).length, before);
  const other = box.gateway();
  t.match(
    await other.send({ requestOutput: { offset: 1, boot: 'hold', guard: HOLD } }),
    /keeps this line for another gateway/,
  );

  // Changing the polarity does not change the level.
  await two.send({ close: 1 });
  t.equal(
    await two.send({ requestOutput: { offset: 1, activeLow: true, boot: 'hold', guard: HOLD } }),
    'false',
  );
  t.same(await box.levels(1), [true]);
});

await t.test('a hold ends inactive unless a gateway claims the line in time', { skip }, async (t) => {
  const box = await makeFixture(t);
  const keeper = await box.keeper();
  const guard = { ...HOLD, holdForS: 2 };
  const one = box.gateway();
  for (const offset of [1, 2]) await one.send({ requestOutput: { offset, boot: 'active', guard } });
  // It runs before the hold begins: its start may take longer than that.
  const two = box.gateway();
  await two.send({ health: true });
  await one.end('SIGKILL');
  await keeper.waitFor(/2 outputs held/);
  t.equal(await two.send({ requestOutput: { offset: 1, boot: 'hold', guard } }), 'true');
  await box.become({ 2: false });
  t.same(await box.levels(1), [true], 'the claimed line is still held');
  await keeper.waitFor(/LINE%202 was held for 2 s and no gateway claimed it: inactive/);
});

await t.test(
  'a gateway works without a keeper, and gives it its lines when it starts',
  { skip },
  async (t) => {
    const box = await makeFixture(t);
    const gateway = box.gateway();
    await gateway.send({
      requestOutput: { offset: 2, boot: 'active', guard: { ...HOLD, onDeath: 'inactive' } },
    });
    t.match(await gateway.send({ health: true }), /1 of 1 not guarded: .* can't be reached: ENOENT/);
    const before = (await box.history()).length;
    await box.keeper();
    await until('the line to be guarded', async () => /1 guarded/.test(await gateway.send({ health: true })));
    t.equal((await box.history()).length, before);
    await gateway.end('SIGKILL');
    await box.become({ 2: false });
  },
);

await t.test('a reopened line is not released; one that is no longer used is', { skip }, async (t) => {
  const box = await makeFixture(t);
  await box.keeper();
  const gateway = box.gateway();
  await gateway.send({ requestOutput: { offset: 2, boot: 'active', guard: HOLD } });
  await gateway.send({ close: 2 });
  t.equal(await gateway.send({ requestOutput: { offset: 2, boot: 'hold', guard: HOLD } }), 'true');
  await until('the table to be written', async () => {
    const entries = parseTable(await readFile(box.table, 'utf8').catch(() => ''));
    return entries.join() === 'kept 0 2 LINE%202 high push-pull hold hold hold hold 0';
  });
  const twice = { requestOutput: { offset: 2, boot: 'hold', guard: HOLD } };
  t.match(await gateway.send(twice), /LINE 2 is in use by stellwerk/, 'a line belongs to one instance');

  // An input gets the line immediately.
  await gateway.send({ close: 2 });
  t.match(
    await gateway.send({ input: 2 }),
    /does not support that/,
    'refused by the stand-in, which has no inputs',
  );
  await gateway.send({ requestOutput: { offset: 4, boot: 'active', guard: HOLD } });
  await gateway.send({ close: 4 });
  const state = join(box.runtime, 'state');
  await until('the line to be released', async () => !/kept 0 [24] /.test(await readFile(state, 'utf8')));
  await until('the table to be empty', async () => /end 0 /.test(await readFile(box.table, 'utf8')));
  const other = box.gateway();
  t.equal(await other.send({ requestOutput: { offset: 4, boot: 'hold', guard: HOLD } }), 'true');
});

const skipUsers =
  skipService === false && process.getuid?.() !== 0 ? 'needs root, to become another user' : skipService;
/** Says hello as another user, and prints what comes back. */
const INTRUDER = `import os, socket, sys
os.chdir(sys.argv[1])
os.setgroups([])
os.setuid(int(sys.argv[2]))
link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
link.connect('socket')
try:
  link.send(b'hello 1 5000')
  print('reply', link.recv(100))
except OSError as error:
  print('rejected', error.strerror)`;
await t.test(
  'another user is rejected, even if the socket’s mode lets them in',
  { skip: skipUsers },
  async (t) => {
    const box = await makeFixture(t);
    await box.keeper();
    await chmod(box.runtime, 0o755);
    await chmod(box.socket, 0o777);
    const answer = async (uid: string) =>
      (await promisify(execFile)('python3', ['-c', INTRUDER, box.runtime, uid])).stdout;
    t.match(await answer('0'), /^reply b'\w/);
    t.match(await answer('65534'), /^(rejected|reply b'')/);
  },
);

await t.test(`no message crashes the keeper or drives a line (${seedLabel(seed)})`, { skip }, async (t) => {
  const box = await makeFixture(t);
  const keeper = await box.keeper();
  const gateway = await threeOutputs(t, box, 'onDeath');
  const before = (await box.history()).length;
  const random = new Random(seed);
  const words = [
    'hello',
    'take',
    'give',
    'release',
    'goodbye',
    'alive',
    '1',
    '5000',
    ENTRY,
    'kept/0/2',
    'stop',
    '%',
    '-1',
  ];
  for (let n = 0; n < 200; n++) {
    const link = await box.stranger();
    try {
      if (random.chance(0.7)) link.send('hello 1 5000');
      for (let m = random.below(8); m > 0; m--) {
        const text = random.chance(0.3)
          ? random
              .bytes(1 + random.below(900))
              .toString('latin1')
              .replaceAll('\0', '.')
          : random.some(4, () => random.pick(words)).join(' ');
        if (text !== '') link.send(text);
      }
    } catch (thrown) {
      // Disconnected, or rejected because of what it sent.
      t.match((thrown as NodeJS.ErrnoException).code ?? 'TypeError', /EPIPE|EAGAIN|ECONNRESET|TypeError/);
    }
    link.close();
  }
  t.same((await box.history()).slice(before), [], 'no line was driven');
  t.ok(keeper.isRunning);
  await gateway.send({ set: 1, active: false });
  t.match(await gateway.send({ health: true }), /3 guarded/);

  const crowd = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const ended = Promise.withResolvers<string>();
      return { link: await box.stranger(ended.resolve), ended: ended.promise };
    }),
  );
  await Promise.all(crowd.map(({ ended }) => withinPatience('the end of a silent client', ended)));
  for (const { link } of crowd) link.close();
  t.match(await gateway.send({ health: true }), /3 guarded/, 'the gateway is still connected');
  await keeper.end();
  t.notMatch(keeper.output, /Sanitizer|runtime error/);
});
