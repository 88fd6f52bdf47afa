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
