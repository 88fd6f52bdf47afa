import t, { type Test } from 'tap';
import { hasProgram } from '../../tools/program.js';
import { until } from '../../tools/until.js';
import { buildKeeper, KeeperFixture } from './kept/keeper-fixture.js';
import { AFTER, reopenLost, threeOutputs } from './kept/three-outputs.js';

const skip = hasProgram('gcc') ? false : 'needs gcc';
const skipService =
  skip === false && !hasProgram('python3') ? 'needs python3, which plays systemd here' : skip;
const built = await (skip === false ? buildKeeper() : undefined);
const makeFixture = (t: Test) => KeeperFixture.make(t, built as NonNullable<typeof built>);

await t.test('a stalled gateway loses its outputs, notices it and drives nothing', { skip }, async (t) => {
  const box = await makeFixture(t);
  const keeper = await box.keeper();
  const gateway = await threeOutputs(t, box, 'onDeath');
  gateway.process.kill('SIGSTOP');
  await box.become(AFTER);
  await keeper.waitFor(/the gateway missed its deadline: 1 outputs held, 1 inactive, 1 active/);
  const before = (await box.history()).length;
  // A command that was sent while it was stalled comes first when it resumes.
  const reply = gateway.send({ set: 2, active: true });
  gateway.process.kill('SIGCONT');
  t.match(await reply, /failed: .*the line keeper has taken over its outputs; the output is reopened/);
  t.same(
    await reopenLost(gateway),
    ['true', 'false', 'true'],
    'it finds the levels that the keeper has driven',
  );
  t.equal((await box.history()).length, before, 'it has driven nothing until then');
  await gateway.send({ set: 2, active: true });
  t.same(await box.levels(2), [true], 'commands work again');
});

await t.test('a blocked event loop matters only beyond the deadline', { skip }, async (t) => {
  const box = await makeFixture(t);
  const keeper = await box.keeper();
  const gateway = await threeOutputs(t, box, 'onDeath');
  const before = (await box.history()).length;
  await gateway.send({ block: 300 });
  await gateway.send({ set: 1, active: true });
  t.equal((await box.history()).length, before + 1);
  await gateway.send({ block: 3000 });
  await gateway.waitFor(/^lost 1 /m);
  await box.become(AFTER);
  await keeper.waitFor(/missed its deadline/);
});

await t.test('no policy is applied if the keeper ends while the gateway is stalled', { skip }, async (t) => {
  const box = await makeFixture(t);
  const keeper = await box.keeper();
  const gateway = await threeOutputs(t, box, 'onDeath');
  const before = (await box.history()).length;
  // From now on the keeper applies nothing.
  keeper.process.kill('SIGSTOP');
  const blocked = gateway.send({ block: 3000 });
  await gateway.waitFor(/^blocked$/m);
  await keeper.end('SIGKILL');
  await box.keeper();
  await blocked;
  t.same(await reopenLost(gateway), ['true', 'true', 'false'], 'the keeper has the lines, as they were');
  t.equal((await box.history()).length, before, 'nothing drove a line');
  await gateway.send({ set: 2, active: false });
  t.same(await box.levels(2), [false], 'commands work again');
});

await t.test(
  'the policies of a keeper that was restarted while the gateway was stalled are not undone',
  { skip: skipService },
  async (t) => {
    const box = await makeFixture(t);
    const service = await box.service();
    const gateway = await threeOutputs(t, box, 'onDeath');
    const [, pid] = await service.waitFor(/^started (\d+)/m);
    gateway.process.kill('SIGSTOP');
    process.kill(Number(pid), 'SIGKILL');
    await box.become(AFTER);
    const before = (await box.history()).length;
    const reply = gateway.send({ set: 2, active: true });
    gateway.process.kill('SIGCONT');
    t.match(await reply, /failed: .*the line keeper has taken over its outputs; the output is reopened/);
    for (const offset of [1, 2, 3]) await gateway.waitFor(new RegExp(`^lost ${offset} `, 'm'));
    t.equal((await box.history()).length, before, 'the command drives nothing');
    t.same(await box.levels(1, 2, 3), [true, false, true]);
  },
);

await t.test(
  'a killed keeper gets its lines back, and the gateway continues meanwhile',
  { skip: skipService },
  async (t) => {
    const box = await makeFixture(t);
    const service = await box.service();
    const gateway = await threeOutputs(t, box, 'onDeath');
    const before = (await box.history()).length;
    const started = (times: number) =>
      service.waitFor(new RegExp(`(?:^started (\\d+) with \\d+\n[^]*){${times}}`, 'm'));
    for (const round of [1, 2, 3]) {
      const [, pid] = await started(round);
      process.kill(Number(pid), 'SIGKILL');
      await gateway.send({ set: 1, active: true });
      await started(round + 1);
      await until('all to be guarded again', async () =>
        /3 guarded/.test(await gateway.send({ health: true })),
      );
    }
    await service.waitFor(/started \d+ with 3/);
    t.equal((await box.history()).length, before + 3, 'only commands drove lines');

    await gateway.end('SIGKILL');
    await box.become(AFTER);
  },
);

await t.test('a hanging keeper is noticed, and used again when it resumes', { skip }, async (t) => {
  const box = await makeFixture(t);
  const keeper = await box.keeper();
  const gateway = await threeOutputs(t, box, 'onDeath');
  const before = (await box.history()).length;
  keeper.process.kill('SIGSTOP');
  const health = () => gateway.send({ health: true });
  await until('the log message', async () => /3 of 3 not guarded: .*does not reply/.test(await health()));
  await gateway.send({ set: 1, active: true });
  keeper.process.kill('SIGCONT');
  await until('all to be guarded again', async () => /3 guarded/.test(await health()));
  t.equal((await box.history()).length, before + 1, 'only the command drove a line');
  t.notMatch(keeper.output, /gateway is gone/);
});

await t.test(
  'keeper and gateway killed together: the restarted keeper applies the policies',
  { skip: skipService },
  async (t) => {
    const box = await makeFixture(t);
    const service = await box.service();
    const gateway = await threeOutputs(t, box, 'onDeath');
    const [, pid] = await service.waitFor(/^started (\d+)/m);
    process.kill(Number(pid), 'SIGSTOP');
    gateway.process.kill('SIGKILL');
    await gateway.ended();
    process.kill(Number(pid), 'SIGKILL');
    await box.become(AFTER);
    await service.waitFor(/its gateway did not reconnect/);
  },
);
