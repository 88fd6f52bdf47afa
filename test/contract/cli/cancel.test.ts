import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { asTask } from '../../../src/records/reported-task.js';
import { exportCommand } from '../../../src/cli/commands/export.js';
import { exportToFile } from '../../../src/cli/archive/export-to-file.js';
import { recordFormats } from '../../../src/records/record-format.js';
import { type MaintenanceJob, runMaintenance } from '../../../src/cli/maintenance/run-maintenance.js';
import { callWithProgress } from '../../../src/cli/output/call-with-progress.js';
import { ProgressLine } from '../../../src/cli/output/progress-line.js';
import { type AnyFunction, Client } from '../../../src/client/index.js';
import { RESTORE_STEPS, backupDirectory, restoreBackup } from '../../../src/store/restore.js';
import { startApi } from '../../tools/gateway/api-fixture.js';
import { addressOf, runCli } from '../../tools/gateway/run-cli.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openFixture } from '../store/open-store.js';

/** A data directory with a database. */
async function storedData(t: Test): Promise<string> {
  const directory = await tempDirectory(t);
  const { kernel, store } = await openFixture(directory);
  kernel.variables.create(2, { ident: 'v', value: 1.25 });
  await store.committed();
  await store.close();
  return directory;
}

t.test('an export that is cancelled with Ctrl-C leaves no file', async (t) => {
  const directory = await tempDirectory(t);
  const file = join(directory, 'records.csv');
  using progress = new ProgressLine(() => 0);
  const page = { Records: [{ TimeStamp: 1, Value: 21.5, ClockTrusted: true }], More: true };
  const gateway = { call: async () => page } as unknown as Client<AnyFunction>; // only calls are needed
  let pages = 0;
  const onRecords = async (count: number) => {
    pages += 1;
    if (pages === 3) process.emit('SIGINT');
    progress.update(`${count} records`);
  };
  const options = { ids: [12345], fromMs: 0, toMs: 0, format: recordFormats.csv, onRecords };
  await t.rejects(exportToFile(gateway, file, options), { name: 'AbortError' });
  t.equal(pages, 3, 'it ended with the page at which it was cancelled');
  t.strictSame(await readdir(directory), []);
});

t.test('a backup and a restore that are cancelled with Ctrl-C leave nothing', async (t) => {
  const directory = await tempDirectory(t);
  const data = await storedData(t);
  const backup = join(directory, 'backup.db');
  backupDirectory(data, { to: backup, config: undefined });
  const before = [await readdir(data), await readdir(directory)];
  const jobs: readonly MaintenanceJob[] = [
    { kind: 'backup', directory: data, to: join(directory, 'another.db'), config: undefined },
    { kind: 'restore', backup, directory: data, config: undefined, replace: true, nowMs: 0 },
  ];
  for (const job of jobs) {
    const running = runMaintenance(job, { textOf: String, cancelled: 'nothing was done' });
    process.emit('SIGINT');
    await t.rejects(running, { name: 'AbortError', message: 'cancelled: nothing was done' }, job.kind);
  }
  t.strictSame([await readdir(data), await readdir(directory)], before);
  t.match(await runMaintenance(jobs[0]!, { textOf: String, cancelled: '' }), { leftOut: [] });
  t.ok((await readdir(directory)).includes('another.db'), 'without Ctrl-C it is written');
});

t.test('an export that is cancelled with Ctrl-C leaves no copy of the data', async (t) => {
  const data = await storedData(t);
  const temporary = await tempDirectory(t);
  const { TMPDIR: before } = process.env;
  t.teardown(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  process.env['TMPDIR'] = temporary;
  const running = exportCommand.run(['--data', data]);
  t.equal((await readdir(temporary)).length, 1);
  process.emit('SIGINT');
  await t.rejects(running, { name: 'AbortError' });
  t.strictSame(await readdir(temporary), []);
});

t.test('a backup task that is cancelled with Ctrl-C is the one of the call', async (t) => {
  const task = (ID: number, Kind = 'backup') => ({ ID, Kind, Done: 0, Total: 0 });
  let tasks = [task(1), task(2, 'export')];
  const call = Promise.withResolvers<unknown>();
  const cancelled: number[] = [];
  const replies: Readonly<Record<string, (id: number) => unknown>> = {
    GW_GetTasks: () => tasks,
    GW_CancelTask: (id) => {
      cancelled.push(id);
      call.reject(new Error('cancelled'));
      return true;
    },
    GW_RunTargetBackup: () => {
      // The last one is of a schedule that began later.
      tasks = [task(1), task(2, 'export'), task(3, 'export'), task(4), task(5)];
      return call.promise;
    },
  };
  const reply = async (name: string, id: number) => replies[name]?.(id);
  // Only calls are needed.
  const gateway = { call: reply, callLong: reply } as unknown as Client<AnyFunction>;
  const running = callWithProgress(gateway, 'GW_RunTargetBackup', 'nas');
  process.emit('SIGINT');
  await t.rejects(running, { message: 'cancelled' });
  t.strictSame(cancelled, [4]);
});

t.test('a backup task that takes longer than a call may take ends with its result', async (t) => {
  const made = { Name: 'nas-1' };
  const run = Promise.withResolvers<unknown>();
  let polls = 0;
  const fixture = await startApi(t);
  fixture.functions
    .add('GW_GetTasks', () => {
      polls += 1;
      // The second one is later than the time limit.
      if (polls === 2) run.resolve(made);
      return [];
    })
    .add('GW_RunTargetBackup', () => run.promise);
  const gateway = new Client<AnyFunction>(addressOf(fixture), { timeoutMs: 300 });
  t.strictSame(await callWithProgress(gateway, 'GW_RunTargetBackup', 'nas'), made);
  t.equal(fixture.functions.calls.filter(({ method }) => method === 'GW_RunTargetBackup').length, 1);
});

t.test('a backup task over a connection without a valid password says so', async (t) => {
  const { port } = await startApi(t);
  const gateway = new Client<AnyFunction>(`http://owner%40example.org:wrong@127.0.0.1:${port}/api/`);
  const failure: unknown = await callWithProgress(gateway, 'GW_RunTargetBackup', 'nas').catch(
    (thrown: unknown) => thrown,
  );
  t.match(failure, { name: 'RpcError', reason: 'UNAUTHORIZED' });
});

t.test('a call that the gateway cancelled exits with 130', async (t) => {
  const error = { code: -32_000, message: 'Cancelled', data: { code: 'CANCELLED' } };
  const server = createServer((request, response) => {
    void json(request).then((given) => {
      const { id } = given as { id: number };
      response
        .setHeader('Content-Type', 'application/json')
        .end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    });
  });
  t.teardown(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
  t.match(await runCli(['call', '--url', url, 'GW_RunTargetBackup', 'nas']), {
    code: 130,
    stderr: /Cancelled/,
  });
});

t.test('a restore that ends before its last step changes nothing', async (t) => {
  const data = await storedData(t);
  const backup = join(await tempDirectory(t), 'backup.db');
  backupDirectory(data, { to: backup, config: undefined });
  const before = await readdir(data);
  for (let last = 0; last < RESTORE_STEPS.length; last++) {
    const onProgress = (step: number) => {
      if (step === last) throw new Error('enough');
    };
    t.throws(
      () =>
        restoreBackup({ backup, directory: data, config: undefined, replace: true, nowMs: 0, onProgress }),
      { message: 'enough' },
    );
    t.strictSame(await readdir(data), before, `step ${last}`);
  }
});

t.test('a command is listed while it runs, ends when it is cancelled there, and reports why', async (t) => {
  const calls: unknown[][] = [];
  let goesOn = true;
  const replies: Readonly<Record<string, () => unknown>> = {
    GW_BeginTask: () => 7,
    GW_ReportTask: () => goesOn,
  };
  const gateway = {
    call: async (...call: [string, ...unknown[]]) => {
      calls.push(call);
      return replies[call[0]]?.();
    },
  } as unknown as Client<AnyFunction>; // only calls are needed
  let now = 0;
  const run = () =>
    asTask(gateway, { kind: 'import', total: 30, nowMs: () => now }, async (report) => {
      for (const done of [10, 20, 30]) {
        now += 700;
        await report(done);
      }
      return 'imported';
    });
  t.equal(await run(), 'imported');
  t.strictSame(calls, [
    ['GW_BeginTask', 'import', 30],
    ['GW_ReportTask', 7, 20],
    ['GW_EndTask', 7, ''],
  ]);
  goesOn = false;
  await t.rejects(run(), { name: 'AbortError', message: 'cancelled in the console' });
});
