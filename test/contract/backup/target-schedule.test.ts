import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { recordOf } from '../../../src/base/codes/coded-text.js';
import { silentLog } from '../../../src/base/log.js';
import { TaskList } from '../../../src/base/tasks/task-list.js';
import {
  pendingRestore,
  placeFetched,
  restoreAtStart,
} from '../../../src/composition/backup/pending-restore.js';
import { TargetBackups } from '../../../src/composition/backup/target-backups.js';
import {
  isDue,
  isVerifyDue,
  lastScheduledMs,
  retryAfterMs,
  targetsFinding,
} from '../../../src/composition/backup/target-schedule.js';
import { TargetStates } from '../../../src/composition/backup/target-states.js';
import { locateConfig } from '../../../src/config/config-source.js';
import { Health } from '../../../src/service/health.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';
import { openFixture } from '../store/open-store.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (hour: number, day = 10) => new Date(2026, 5, day, hour, 15).getTime();

async function never(t: Parameters<typeof tempDirectory>[0]) {
  return new TargetStates(await tempDirectory(t)).of({ name: 'x', identity: '' });
}

t.test('a backup is due once a day, at its time of day or when the gateway runs again', async (t) => {
  const state = await never(t);
  t.equal(lastScheduledMs('03:15', at(4)), at(3));
  t.equal(lastScheduledMs('03:15', at(2)), at(3, 9));
  t.ok(isDue(state, '03:15', at(12)), 'there is none yet');
  t.notOk(isDue({ ...state, lastMs: at(3) }, '03:15', at(23)));
  t.ok(isDue({ ...state, lastMs: at(3) }, '03:15', at(3, 11)));
  t.ok(isDue({ ...state, lastMs: at(3, 20) }, '03:15', at(12)), 'the clock was set back');
});

t.test('a failed backup is retried later and later', async (t) => {
  const state = await never(t);
  t.notOk(isDue({ ...state, retryMs: at(12) + 1 }, '03:15', at(12)));
  t.ok(isDue({ ...state, retryMs: at(12) }, '03:15', at(12)));
  t.ok(isDue({ ...state, retryMs: at(12, 20) }, '03:15', at(12)), 'the clock was set back');
  const delays = [1, 2, 3, 4, 5, 6, 100].map((failures) => retryAfterMs(failures) / 60_000);
  t.strictSame(delays, [15, 30, 60, 120, 240, 360, 360]);
});

t.test('the newest backup is compared once a week', async (t) => {
  const state = await never(t);
  t.notOk(isVerifyDue(state, at(12)), 'there is none');
  t.ok(isVerifyDue({ ...state, lastMs: at(3) }, at(12)));
  t.notOk(isVerifyDue({ ...state, lastMs: at(3), verifiedMs: at(3, 8) }, at(12)));
  t.ok(isVerifyDue({ ...state, lastMs: at(3), verifiedMs: at(3, 3) }, at(12)));
  const failed = { ...state, lastMs: at(3), verifyRetryMs: at(12) };
  t.notOk(isVerifyDue(failed, at(11)), 'a failed one is retried a day later');
  t.ok(isVerifyDue(failed, at(12)));
  t.ok(isVerifyDue(failed, at(11, 9)), 'the clock was set back');
  t.notOk(isVerifyDue({ ...state, lastMs: at(3), failures: 1 }, at(12)), 'the target fails');
});

t.test('health reports a target that fails, is too old, or has a damaged backup', async (t) => {
  const state = await never(t);
  const now = { hasKey: true, isVerified: true, nowMs: at(12), sinceMs: at(0) };
  const finding = (change: object, when: object = now) =>
    targetsFinding([['nas', { ...state, lastMs: at(3), ...change }]], { ...now, ...when });
  t.match(targetsFinding([], now), { state: 'ok' });
  t.match(finding({}), { state: 'ok', text: { text: /stored on nas/ } });
  t.match(finding({}, { hasKey: false }), { state: 'warning', text: { text: /no recovery key/ } });
  t.match(finding({ failure: recordOf('no route') }), { state: 'warning', text: { text: 'nas: no route' } });
  t.match(finding({ verifyFailure: recordOf('cut') }), { state: 'failed', text: { text: 'nas: cut' } });
  t.match(finding({ verifyFailure: recordOf('cut') }, { isVerified: false }), { state: 'ok' }, 'verify: off');
  const late = { nowMs: at(12) + 4 * DAY_MS };
  t.match(finding({}, late), { state: 'failed', text: { text: /no new backup for 4 days/ } });
  t.match(finding({ lastMs: 0 }, { sinceMs: at(11), nowMs: at(12) }), { state: 'ok' }, 'not yet');
});

t.test('what is known of a target survives a restart', async (t) => {
  const directory = await tempDirectory(t);
  const states = new TargetStates(directory);
  const nas = { name: 'nas', identity: 'here' };
  await states.set(nas, { lastMs: 5, failures: 1 });
  const again = new TargetStates(directory);
  t.equal(again.of(nas).lastMs, 0);
  await again.load();
  t.match(again.of(nas), { lastMs: 5, failures: 1, verifiedMs: 0 });
  t.match(again.of({ ...nas, identity: 'elsewhere' }), { lastMs: 0, failures: 0 }, 'it is another one');
});

/** The backups of a gateway with a recovery key and two sticks. */
async function startBackups(t: Test) {
  const directory = await tempDirectory(t);
  const sticks = await tempDirectory(t);
  const clock = new ManualClock(at(12));
  const { store } = await openFixture(directory, { clock });
  await store.backup('daily');
  const tasks = new TaskList(clock);
  let ended = 0;
  tasks.changed.on(({ state }) => (ended += state === 'running' ? 0 : 1));
  const targets = ['one', 'two'].map((name) => ({ name, path: join(sticks, name) }));
  for (const { path } of targets) mkdirSync(path);
  const backups = await TargetBackups.start({
    foundation: {
      store,
      directory,
      clock,
      health: new Health(clock, silentLog),
      configSource: () => locateConfig(join(directory, 'gateway.yaml'), directory),
    },
    config: () => ({ targets }),
    tasks,
    log: silentLog,
  });
  await backups.createKey();
  t.teardown(async () => {
    backups.close();
    await store.close();
  });
  const listed = (name: string) => backups.list().Targets.find(({ Name }) => Name === name);
  const indexes = (name: string, keyId: string) => join(sticks, name, keyId, 'indexes');
  const pull = (name: string) => rmSync(join(sticks, name), { recursive: true });
  /** Waits until that number of tasks has ended since the start. */
  const tasksEnded = (count: number) => until(`${count} tasks end`, () => ended >= count);
  return { backups, clock, indexes, listed, pull, store, targets, tasks, tasksEnded };
}

const progress = { signal: new AbortController().signal, report: () => undefined };
const MINUTE_MS = 60_000;

t.test('a verification that fails is not repeated soon, and stops no other target', async (t) => {
  const { backups, clock, listed, pull, tasks, tasksEnded } = await startBackups(t);
  await backups.run('one', progress);
  pull('one');
  clock.advance(MINUTE_MS);
  await tasksEnded(3);
  t.match(listed('one'), { VerifiedMs: 0, VerifyProblem: /no such file/i });
  t.ok((listed('two')?.VerifiedMs ?? 0) > 0, 'the other one has a backup, which was compared');
  clock.advance(MINUTE_MS);
  t.strictSame(tasks.all(), [], 'nothing is due');
});

t.test('retries make no new backup in the data directory each time', async (t) => {
  const { clock, pull, store, tasksEnded } = await startBackups(t);
  pull('one');
  clock.advance(MINUTE_MS);
  await tasksEnded(3);
  t.equal((await store.backups()).length, 1);
  clock.advance(120 * MINUTE_MS);
  await tasksEnded(4);
  t.equal((await store.backups()).length, 1, 'the one of two hours ago is used');
});

t.test('an upload succeeds if another backup on the target cannot be read, and reports that', async (t) => {
  const { backups, clock, indexes, listed } = await startBackups(t);
  const folder = indexes('one', backups.list().KeyID);
  await backups.run('one', progress);
  const [index = ''] = readdirSync(folder);
  writeFileSync(join(folder, index), '');
  clock.stepWallClock(DAY_MS);
  const { Name } = await backups.run('one', progress);
  const problem = `the backup ${index.replace('.sealed', '')} cannot be read`;
  t.match(listed('one'), { LastName: Name, Problem: new RegExp(problem) });
  rmSync(join(folder, index));
  await backups.run('one', progress);
  t.match(listed('one'), { Problem: '' });
});

t.test('a fetched backup is restored only if its files are in place', async (t) => {
  const directory = await tempDirectory(t);
  const fetched = async () => {
    const state = join(await tempDirectory(t), 'state.db');
    writeFileSync(state, '');
    return { name: '20260601t031500z', state };
  };
  const folder = join(directory, 'restore.new');
  await t.rejects(placeFetched(directory, { ...(await fetched()), folder }), { code: 'ENOENT' });
  t.equal(await pendingRestore(directory), undefined, 'the files could not be moved');
  mkdirSync(join(directory, 'restore-files'));
  const source = locateConfig(join(directory, 'gateway.yaml'), directory);
  t.equal(await restoreAtStart(directory, { source, nowMs: 0, log: silentLog }), undefined);
  t.strictSame(readdirSync(directory), ['backups'], 'files without a backup are removed');
  mkdirSync(folder);
  const name = await placeFetched(directory, { ...(await fetched()), folder });
  t.equal(await pendingRestore(directory), name);
  t.strictSame(readdirSync(directory).sort(), ['backups', 'restore-at-start', 'restore-files']);
});

t.test('a cancelled upload is no failure of the target, and is made up for soon', async (t) => {
  const { backups, clock, listed, tasks, tasksEnded } = await startBackups(t);
  for (let i = 0; i < 3; i++)
    await t.rejects(backups.run('one', { ...progress, signal: AbortSignal.abort() }), { code: 'CANCELLED' });
  t.match(listed('one'), { Problem: '', NextMs: clock.nowMs() + 15 * MINUTE_MS });
  clock.advance(MINUTE_MS);
  t.equal(tasks.all().length, 1, 'only that of the other target');
  await tasksEnded(2);
  clock.advance(15 * MINUTE_MS);
  await tasksEnded(4);
  t.equal(listed('one')?.LastMs, clock.nowMs());
});

t.test('with a new recovery key or at another place, a target has no backup yet', async (t) => {
  const { backups, listed, targets } = await startBackups(t);
  await backups.run('one', progress);
  await backups.run('two', progress);
  const [one = { name: '', path: '' }, two = one] = targets;
  targets.splice(0, 2, { ...one, path: join(one.path, 'elsewhere') }, two);
  t.match(listed('one'), { LastMs: 0, LastName: '' });
  t.match(listed('two'), { LastName: /z$/ });
  await backups.createKey();
  t.match(listed('two'), { LastMs: 0, LastName: '' });
});
