import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { TaskList, type TaskState } from '../../../src/base/tasks/task-list.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

t.test('long work is listed while it runs, and cancelled by its ID', async (t) => {
  await using fixture = new FunctionFixture();
  const begun = Promise.withResolvers<void>();
  const work = fixture.tasks.run('backup', 'anna', async ({ signal, report }) => {
    report(1, 3);
    const cancelled = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => cancelled.resolve());
    begun.resolve();
    await cancelled.promise;
    signal.throwIfAborted();
  });
  const failed = t.rejects(work, { code: 'CANCELLED' });
  await begun.promise;
  const [task] = (await fixture.call('GW_GetTasks')) as { ID: number }[];
  t.match(task, { Kind: 'backup', User: 'anna', Done: 1, Total: 3 });
  t.equal(await fixture.call('GW_CancelTask', task?.ID), true);
  await failed;
  t.strictSame(await fixture.call('GW_GetTasks'), []);
  t.equal(await fixture.call('GW_CancelTask', task?.ID), false, 'it has ended');
});

t.test('progress is reported at the start, at the end, and at most every 250 ms', async (t) => {
  const clock = new ManualClock();
  const tasks = new TaskList(clock);
  const reported: [number, TaskState['state'], string][] = [];
  tasks.changed.on(({ done, state, text }) => reported.push([done, state, text]));
  await tasks.run('search', 'anna', async ({ report }) => {
    for (let done = 1; done <= 6; done++) {
      clock.advance(100);
      report(done, 6);
    }
  });
  await t.rejects(
    tasks.run('search', 'anna', () => Promise.reject(new Error('the bus is broken'))),
    { message: 'the bus is broken' },
  );
  t.strictSame(reported, [
    [0, 'running', ''],
    [1, 'running', ''],
    [4, 'running', ''],
    [6, 'done', ''],
    [0, 'running', ''],
    [0, 'failed', 'the bus is broken'],
  ]);
});

t.test('a re-aggregation is a task that reports its summaries', async (t) => {
  await using fixture = new FunctionFixture();
  const variable = fixture.kernel.variables.create(2).id;
  const archive = fixture.devices.create('{43192F0B-135B-4CE7-A0A7-1475603F3060}').id;
  await fixture.call('AC_SetLoggingStatus', archive, variable, true);
  const reported: TaskState[] = [];
  fixture.tasks.changed.on((task) => reported.push(task));
  await fixture.call('AC_ReAggregateVariable', archive, variable);
  t.strictSame(
    reported.map(({ kind, state }) => [kind, state]),
    [
      ['reaggregation', 'running'],
      ['reaggregation', 'running'],
      ['reaggregation', 'done'],
    ],
  );
});

t.test('clients list their own long work, which is cancelled like any other', async (t) => {
  await using fixture = new FunctionFixture();
  const ended: (readonly [string, number, TaskState['state'], string])[] = [];
  fixture.tasks.changed.on(({ kind, done, state, text }) => {
    if (state !== 'running') ended.push([kind, done, state, text]);
  });
  const begin = (kind: string, total = 0) => fixture.call('GW_BeginTask', kind, total);
  const [first, second, third] = [await begin('import', 100), await begin('export'), await begin('export')];
  t.equal(await fixture.call('GW_ReportTask', first, 40), true);
  t.match(await fixture.call('GW_GetTasks'), [
    { ID: first, Kind: 'import', Done: 40, Total: 100 },
    { ID: second, Kind: 'export', Done: 0, Total: 0 },
    { ID: third },
  ]);
  t.equal(await fixture.call('GW_EndTask', first), true);
  t.equal(await fixture.call('GW_EndTask', second, 'the disk is full'), true);
  t.equal(await fixture.call('GW_CancelTask', third), true);
  t.equal(await fixture.call('GW_ReportTask', third, 1), false, 'the client must stop');
  t.equal(await fixture.call('GW_EndTask', third), false);
  t.equal(await fixture.call('GW_ReportTask', first, 50), false);
  t.strictSame(await fixture.call('GW_GetTasks'), []);
  t.strictSame(ended, [
    ['import', 40, 'done', ''],
    ['export', 0, 'failed', 'the disk is full'],
    ['export', 0, 'cancelled', ''],
  ]);
  await t.rejects(begin('backup'), { code: 'PARAMETER_TYPE' });
  await t.rejects(begin('import', -1), { code: 'PARAMETER_BOUNDS' });
});

t.test('the work of a client that stops reporting has failed, and there is a limit', async (t) => {
  await using fixture = new FunctionFixture();
  const ended: string[] = [];
  fixture.tasks.changed.on(
    ({ state, text }) => void (state !== 'running' && ended.push(`${state}: ${text}`)),
  );
  const id = await fixture.call('GW_BeginTask', 'import', 0);
  fixture.clock.advance(50_000);
  t.equal(await fixture.call('GW_ReportTask', id, 1), true);
  fixture.clock.advance(50_000);
  t.equal(await fixture.call('GW_ReportTask', id, 2), true);
  fixture.clock.advance(60_000);
  t.equal(await fixture.call('GW_ReportTask', id, 3), false);
  t.strictSame(ended, ['failed: the client is gone']);
  for (let n = 0; n < 20; n++) await fixture.call('GW_BeginTask', 'export', 0);
  await t.rejects(fixture.call('GW_BeginTask', 'export', 0), { code: 'BUSY' });
});
