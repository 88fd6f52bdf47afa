import t from 'tap';
import type { Caller } from '../../../src/device/declare.js';
import { scriptLimits } from '../../../src/script/script-limits.js';
import { QUEUED_RUNS_LIMIT, QUEUED_RUNS_PER_FRONT } from '../../../src/script/run-queue.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { owner, scriptFixture } from '../../tools/gateway/script-fixture.js';
import { until } from '../../tools/until.js';

t.test('scripts that wait for each other continue', async (t) => {
  const { script, runId } = await scriptFixture(t);
  const leaf = await script('print("leaf")');
  const median = await script(`print("<", RunWait(${leaf.id}), ">")`);
  const all = await Promise.all(Array.from({ length: scriptLimits.concurrent * 3 }, () => runId(median.id)));
  t.ok(all.every((output) => output === '<leaf>'));
});

t.test('even through a device, when it is unknown which script waits for which', async (t) => {
  const { script, runId } = await scriptFixture(t, { concurrent: 2 });
  const leaf = await script('print("leaf")');
  const median = await script(`print("<", Act(${leaf.id}), ">")`);
  const all = await Promise.all(Array.from({ length: 5 }, () => runId(median.id)));
  t.ok(all.every((output) => output === '<leaf>'));
});

t.test('a semaphore has one owner at a time, in order of arrival', async (t) => {
  const { script, runId, functions } = await scriptFixture(t);
  let inside = 0;
  let most = 0;
  functions['Inside'] = ([by]) => {
    inside += Number(by);
    most = Math.max(most, inside);
  };
  const careful = await script(`
    print(Enter("sum", 60000));
    Inside(1); Sleep(1); Inside(-1);
    print(Leave("sum"), Leave("sum"));`);
  const all = await Promise.all(Array.from({ length: 12 }, () => runId(careful.id)));
  t.ok(all.every((output) => output === 'truetruefalse'));
  t.equal(most, 1);
});

t.test('a semaphore is released with its owner, however that ends', async (t) => {
  const { script, runs, runId, engine } = await scriptFixture(t, { timeMs: 120_000 });
  t.equal(await runs('print(Enter("a", 0), Enter("a", 0))'), 'truetrue', 'its owner enters again');
  t.equal(await runs('print(Enter("a", 0))'), 'true', 'released by its end');
  await t.rejects(runs('Enter("a", 0); throw new Error("x")'));
  t.equal(await runs('print(Enter("a", 0))'), 'true', 'released by its failure');
  const holder = await script('Enter("a", 0); Double(1); for (;;);');
  const held = t.rejects(runId(holder.id), { message: /was aborted/ });
  await until('it is held', async () => (await runs('print(Enter("a", 0)); Leave("a")')) === 'false');
  t.equal(await runs('print(Enter("a", 50))'), 'false', 'not within that time');
  const waits = runs('print(Enter("a", 60000))');
  t.equal(engine.abort(holder.id), true);
  await held;
  t.equal(await waits, 'true', 'released by its death');
  t.throws(() => engine.enter('a', 0, owner), { code: 'NOT_ALLOWED' });
  t.throws(() => engine.leave('a', owner), { code: 'NOT_ALLOWED' });
  await t.rejects(runs('for (let i = 0; ; i++) Enter("n" + i, 0)'), { message: /Too many semaphores/ });
  t.equal(await runs('print(Enter("b", 0))'), 'true');
});

t.test('a script is aborted in every state, with everything that it waits for', async (t) => {
  const { script, runId, engine, loud } = await scriptFixture(t, { concurrent: 2 });
  const loop = await script('Double(1);\nfor (;;);');
  const sleeps = await script('\nSleep(1e6)');
  const caller = await script(`\n\nRunWait(${sleeps.id})`);
  const timer = await script('setTimeout(() => {}, 1e6); Double(2)');
  t.equal(engine.abort(loop.id), false, 'it does not run');
  t.throws(() => engine.abort(1), { code: 'NOT_OF_TYPE' });
  const isRun = async (id: number) =>
    until('it runs', async () => (await engine.threads()).some((thread) => thread.ScriptID === id));
  const looping = t.rejects(runId(loop.id), {
    message: /\.js:2:1: the script was aborted|\.js: the script was/,
  });
  await isRun(loop.id);
  const calling = t.rejects(runId(caller.id), { message: /\.js:3:1: the script was aborted/ });
  await isRun(sleeps.id);
  const waiting = t.rejects(runId(timer.id), { message: /the script was aborted/ });
  t.equal(engine.abort(timer.id), true, 'before it has started');
  await waiting;
  t.equal(engine.abort(caller.id), true);
  await calling;
  t.equal(engine.abort(loop.id), true);
  await looping;
  await until('all are idle', async () => (await engine.threads()).every(({ StartTime }) => StartTime === 0));
  t.equal(loud.length, 2, 'each is reported once, but no script that was waited for');
  t.equal(await runId((await script('print(1)')).id), '1');
  const self = await script('print(1);\nAbort(SELF);\nprint(2)');
  await t.rejects(runId(self.id), { message: /\.js:2:1: the script was aborted/ });
});

t.test('threads list their current and last script', async (t) => {
  const { script, runId, engine } = await scriptFixture(t, { concurrent: 3 });
  const idle = await engine.threads();
  t.strictSame(
    idle.map(({ ThreadID, StartTime, ExecuteCount, PeakMemoryUsage }) => [
      ThreadID,
      StartTime,
      ExecuteCount,
      PeakMemoryUsage,
    ]),
    [1, 2, 3].map((id) => [id, 0, 0, 0]),
    'no process exists before the first script',
  );
  const made = await script('Sleep(20)');
  const run = runId(made.id);
  const busy = await until('it is listed', async () =>
    (await engine.threads()).find((thread) => thread.ScriptID === made.id),
  );
  t.match(busy, { ThreadID: 1, FilePath: made.data.file, Sender: 'Test' });
  t.ok(busy.StartTime > 1e9);
  await run;
  await runId(made.id);
  const [first] = await engine.threads();
  t.match(first, {
    ThreadID: 1,
    StartTime: 0,
    ExecuteCount: 2,
    MemoryCleanups: 0,
    ScriptID: 0,
    FilePath: '',
    Sender: '',
  });
  t.ok(first && first.ExecutionMin >= 19 && first.ExecutionMax >= first.ExecutionAvg);
  t.ok(first && first.ExecutionAvg >= first.ExecutionMin && first.PeakMemoryUsage > 20 * 1024 * 1024);
  await t.rejects(runId((await script('Abort(SELF)')).id));
  await until('its process was replaced', async () => (await engine.threads())[0]?.MemoryCleanups === 1);
});

t.test('a process is kept however much memory the gateway uses', async (t) => {
  const { script, runId, engine } = await scriptFixture(t);
  // In resident memory while the process is started.
  const memory = Buffer.alloc(1.5 * scriptLimits.residentMiB * 1024 * 1024, 1);
  const made = await script('print(1)');
  for (let n = 0; n < 3; n++) await runId(made.id);
  const [first] = await engine.threads();
  t.match(first, { ThreadID: 1, ExecuteCount: 3, MemoryCleanups: 0 });
  t.ok(first && first.PeakMemoryUsage < memory.length / 2);
});

t.test('scripts above the queue limit are rejected', async (t) => {
  const { script, engine, runs } = await scriptFixture(t, { concurrent: 1, calls: 5000 });
  const { id } = await script('Sleep(100)');
  const messages = await runs(
    `let n = 0; try { for (;;) { Run(${id}); n++ } } catch (e) { print(e.code, " ", n) }`,
  );
  const [code, count] = messages.split(' ');
  t.equal(code, 'BUSY');
  t.ok(Number(count) >= QUEUED_RUNS_LIMIT - 1 && Number(count) < 2 * QUEUED_RUNS_LIMIT, messages);
  await engine.close();
  await t.rejects(runs('print(1)'), { code: 'STOPPING' });
});

const seed = fuzzSeed();
t.test(`scripts that call and abort each other at random all end (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const { script, runId, kernel, engine } = await scriptFixture(t, { concurrent: 3, timeMs: 120_000 });
  const made = await Promise.all(Array.from({ length: 8 }, () => script('')));
  const [leaf = 0, ...ids] = made.map(({ id }) => id);
  const waits = () =>
    random.pick([
      () => `Enter("${random.pick(['a', 'b'])}", ${random.below(50)});`,
      () => `Leave("${random.pick(['a', 'b'])}");`,
      () => `Sleep(${random.below(20)});`,
      () => 'Double(1);',
    ])();
  // One other each: all paths through more would take too long.
  const another = () =>
    random.pick([
      () => `RunWait(${random.pick(ids)});`,
      () => `RunWait(${random.pick(ids)});`,
      () => `Run(${random.pick(ids)});`,
      () => `Act(${leaf});`,
      () => 'throw new Error("by chance");',
    ])();
  await engine.setContent(leaf, waits());
  for (const id of ids) await engine.setContent(id, [waits(), another(), waits()].join('\n'));
  const all = await Promise.allSettled(Array.from({ length: 12 }, () => runId(random.pick(ids))));
  const reasons = all.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  const known = /by chance|levels deep|wait for each other/;
  t.strictSame(
    reasons.filter((reason) => !known.test(reason)),
    [],
  );
  const free = await script('print(Enter("a", 60000), Enter("b", 60000))');
  t.equal(await runId(free.id), 'truetrue', 'and no semaphore is held');
  t.equal(kernel.scripts.get(free.id).data.broken, false);
});

t.test('however many scripts a web front starts, those of the owner and of events run', async (t) => {
  const atOnce = 2;
  const { script, engine } = await scriptFixture(t, { timeMs: 120_000, concurrent: atOnce });
  const [loop, short] = [await script('for (;;);'), await script('print("done")')];
  const run = (id: number, caller: Caller) => engine.run({ id, parameters: {}, sender: 'Test', caller });
  const front = (configurator: number): Caller => ({
    role: 'webfront',
    user: 'webfront',
    remote: '10.0.0.9',
    configurator,
  });
  let rejected = 0;
  for (let n = 0; n < QUEUED_RUNS_PER_FRONT + 10; n++)
    run(loop.id, front(50_001)).catch(
      (thrown: { code: string }) => (rejected += Number(thrown.code === 'BUSY')),
    );
  const event: Caller = { role: 'owner', user: 'event 20000', remote: 'local' };
  const person: Caller = { role: 'owner', user: 'owner', remote: '10.0.0.1' };
  t.equal(await run(short.id, event), 'done');
  t.equal(await run(short.id, person), 'done');
  t.equal(rejected, 10 - atOnce / 2, 'only the web front is rejected');
  const nested = await script(`print(RunWait(${short.id}))`);
  run(nested.id, front(50_002)).catch(() => undefined);
  t.equal(await run(nested.id, event), 'done', 'even a script that runs another');
});
