import { readdirSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { eventType } from '../../../src/kernel/events/event-data.js';
import { objectType } from '../../../src/kernel/object.js';
import { listBackups } from '../../../src/store/backup.js';
import { AUDIT_KEPT, BACKUPS_KEPT, COUNTER_BLOCK } from '../../../src/store/worker-protocol.js';
import { SAVE_EVERY_MS } from '../../../src/store/store.js';
import { checksumOf } from '../../../src/store/checksums.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';
import { furnish, openFixture, picture, type Fixture } from './open-store.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

t.test('everything exists again after a stop and a start', async (t) => {
  const directory = await tempDirectory(t);
  const first = await openFixture(directory);
  t.equal(first.findings.get('database')?.state, 'ok');
  furnish(first.kernel);
  await first.store.committed();
  first.store.setMeta('options', '{"a":1}');
  const before = picture(first.kernel);
  const { counter } = first.kernel.changes;
  await first.store.close();
  await first.store.close();

  const second = await openFixture(directory);
  t.equal(second.report.objects, before.length - 1);
  // An instance's status is determined again.
  const expected = before.map((text) => text.replace(/"status":\d+/, '"status":101'));
  t.strictSame(picture(second.kernel).sort(), expected.sort());
  t.equal(second.kernel.profiles.get('Watt.Mine').suffix, ' W');
  t.equal(second.store.meta('options'), '{"a":1}');
  t.equal(second.kernel.changes.counter, counter, 'after a clean stop the counter continues from its value');
  await second.store.close();
});

t.test(
  'events exist again, with their last run; a run is written with the values, not separately',
  async (t) => {
    const directory = await tempDirectory(t);
    const first = await openFixture(directory);
    const { kernel } = first;
    const trigger = kernel.events.create(eventType.trigger, 1_700_000_000_000, { name: 'Trigger' });
    kernel.events.setTrigger(trigger.id, { variableId: kernel.variables.create(3).id, value: 'on' });
    const plan = kernel.events.create(eventType.schedule, 1_700_000_000_000);
    const start = { hour: 6, minute: 0, second: 0 };
    kernel.events.setSchedule(plan.id, {
      actions: [
        { id: 1, name: 'A', color: -1, scriptText: 'a', actionId: '', actionParameters: { VALUE: 1 } },
      ],
      groups: [{ id: 1, days: 127, points: [{ id: 1, start, actionId: 1 }] }],
    });
    const rules = {
      variable: [],
      date: [],
      time: [{ id: 1, comparison: 2, value: start }],
      dayOfTheWeek: [],
    };
    kernel.events.set(plan, { active: true, conditions: [{ id: 0, parentId: 0, operation: 3, rules }] });
    kernel.events.create(eventType.cyclic, 1_700_000_000_000);
    await first.store.committed();
    const { version } = kernel.journal;
    kernel.events.recordRun(plan, 1_700_000_100_500, { actionId: 1 });
    kernel.events.setNextRun(plan, 1_700_000_200);
    t.equal(kernel.journal.version, version, 'a run is no change of the configuration');
    const before = picture(kernel);
    await first.store.close();

    const second = await openFixture(directory);
    t.strictSame(
      picture(second.kernel),
      before.map((text) => text.replace(/"nextRun":\d+/, '"nextRun":0')),
    );
    t.match(second.kernel.events.get(plan.id).data, { lastRun: 1_700_000_100, lastActionId: 1, nextRun: 0 });
    second.kernel.tree.delete(second.kernel.events.get(plan.id));
    await second.store.close();

    const third = await openFixture(directory);
    t.equal([...third.kernel.tree.objectsOfType(objectType.event)].length, 2);
    await third.store.close();
  },
);

t.test('older siblings precede younger ones of the same name, even after a restart', async (t) => {
  const directory = await tempDirectory(t);
  const first = await openFixture(directory);
  const ids = Array.from({ length: 50 }, () => first.kernel.variables.create(1, { name: 'Same' }).id);
  await first.store.committed();
  for (const id of ids.slice(0, 20)) first.kernel.tree.set(first.kernel.tree.get(id), 'position', 1);
  await first.store.close();
  const second = await openFixture(directory);
  t.strictSame(
    Array.from(second.kernel.tree.root.children?.byName('Same') ?? [], ({ id }) => id),
    ids,
  );
  await second.store.close();
});

t.test('a deleted object stays deleted, and its id unused, after a stop and after a power cut', async (t) => {
  const directory = await tempDirectory(t);
  const given: number[] = [];
  const first = await openFixture(directory);
  const use = async ({ kernel, store }: Fixture) => {
    for (let n = 0; n < 200; n++) {
      const object = kernel.tree.create(objectType.category, {});
      given.push(object.id);
      if (n > 0) kernel.tree.delete(object);
    }
    await store.committed();
  };
  await use(first);
  const cut = await tempDirectory(t);
  await cp(directory, cut, { recursive: true });
  await first.store.close();
  for (const place of [directory, cut]) {
    const before = [...given];
    const fixture = await openFixture(place);
    t.equal(fixture.report.objects, 1);
    await use(fixture);
    await fixture.store.close();
    const again = await openFixture(place);
    t.equal(again.kernel.tree.ids.isUnsure, true, 'the previous content was not searched');
    await use(again);
    await again.store.close();
    t.equal(new Set(given).size, given.length);
    given.splice(0, given.length, ...before);
  }
});

t.test('objects with ids of six digits are stored like all others', async (t) => {
  const directory = await tempDirectory(t);
  const first = await openFixture(directory);
  first.kernel.tree.ids.restore('7:50000');
  const parent = first.kernel.tree.create(objectType.category, {});
  const variable = first.kernel.variables.create(1, { parent, value: 7 });
  t.ok(Math.min(parent.id, variable.id) >= 100_000);
  await first.store.committed();
  await first.store.close();
  const second = await openFixture(directory);
  t.strictSame(picture(second.kernel), picture(first.kernel));
  t.equal(second.kernel.tree.ids.state, '7:50002');
  await second.store.close();
});

t.test('a program that reads the runtime directory delays the values, and loses none', async (t) => {
  const [directory, runtimeDirectory] = [await tempDirectory(t), await tempDirectory(t)];
  const clock = new ManualClock();
  const { store, kernel } = await openFixture(directory, { runtimeDirectory, clock });
  const variable = kernel.variables.create(2, { value: 1 });
  await store.committed();
  const path = join(runtimeDirectory, 'values.db');
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN; SELECT count(*) FROM last_values');
  kernel.variables.update(variable, 2, clock.nowMs());
  clock.advance(1000);
  await until('a commit that waits for the reader', () => statSync(`${path}-journal`).size > 0);
  reader.exec('COMMIT');
  await store.ping();
  t.match(reader.prepare('SELECT value FROM last_values').all(), [{ value: 2 }]);
  reader.close();
  await store.close();
});

t.test('values are stored in the runtime directory each second, on the disk every ten', async (t) => {
  const directory = await tempDirectory(t);
  const runtimeDirectory = await tempDirectory(t);
  const clock = new ManualClock();
  const { store, kernel } = await openFixture(directory, { runtimeDirectory, clock });
  const variable = kernel.variables.create(2, { value: 1 });
  await store.committed();
  kernel.variables.update(variable, 2, clock.nowMs());
  clock.advance(1000);
  await store.ping();
  const inRuntime = new DatabaseSync(join(runtimeDirectory, 'values.db'), { readOnly: true });
  t.match(inRuntime.prepare('SELECT value FROM last_values').all(), [{ value: 2 }]);
  const onDisk = new DatabaseSync(join(directory, 'stellwerk.db'), { readOnly: true });
  const stored = () => onDisk.prepare('SELECT value FROM last_values').all();
  t.match(stored(), [{ value: 1 }], 'its initial value was written with its configuration');
  clock.advance(SAVE_EVERY_MS);
  await store.audit(1);
  t.match(stored(), [{ value: 2 }]);
  t.strictSame(
    inRuntime.prepare('SELECT value FROM last_values').all(),
    [],
    'what is on the disk is removed from the runtime directory',
  );
  inRuntime.close();
  onDisk.close();
  await store.close();
});

t.test('an idle gateway writes nothing', async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock();
  const { store, kernel } = await openFixture(directory, { clock });
  kernel.variables.create(2, { value: 1 });
  await store.committed();
  clock.advance(SAVE_EVERY_MS);
  // Waits for the commit, too.
  await store.audit(1);
  const { mtimeMs, size } = statSync(join(directory, 'stellwerk.db-wal'));
  clock.advance(10 * SAVE_EVERY_MS);
  await store.audit(1);
  t.match(statSync(join(directory, 'stellwerk.db-wal')), { mtimeMs, size });
  await store.close();
});

t.test('the counter never decreases', async (t) => {
  const directory = await tempDirectory(t);
  let last = 0;
  for (let start = 0; start < 3; start++) {
    const { store, kernel } = await openFixture(directory);
    t.ok(kernel.changes.counter >= last, `start ${start}`);
    for (let i = 0; i < 3 * COUNTER_BLOCK; i++) kernel.changes.emit(0, messageNumber.KL_MESSAGE, []);
    last = kernel.changes.counter;
    await store.ping();
    await store.close();
  }
});

t.test('the audit log has who did what, newest first', async (t) => {
  const directory = await tempDirectory(t);
  const { store } = await openFixture(directory);
  const record = { at: 1, user: 'owner', remote: '::1', method: 'SetValue', params: [1, 2], ok: true };
  store.recordAudit(record);
  store.recordAudit({ ...record, at: 2 });
  t.match(await store.audit(10), [{ at: 2 }, { at: 1 }]);
  t.match(await store.audit(1), [{ at: 2 }]);
  await store.close();
  const again = await openFixture(directory);
  t.match(await again.store.audit(10), [{ at: 2 }, record]);
  await again.store.close();
});

t.test('each audit ring keeps its own records, even while no commit succeeds', async (t) => {
  const directory = await tempDirectory(t);
  const { store } = await openFixture(directory);
  const record = { at: 1, user: 'owner', remote: '::1', method: 'SetValue', params: [], ok: true };
  store.recordAudit({ ...record, role: 'owner' });
  store.recordAudit({ ...record, role: 'inside', user: 'script 12345' });
  await store.audit(1);
  for (let n = 0; n < 3; n++) {
    for (let i = 0; i < AUDIT_KEPT; i++)
      store.recordAudit({ ...record, role: 'webfront', user: `${n} ${i}` });
    if (n > 0) await store.audit(1);
  }
  t.match(await store.audit(5, 'owner'), [{ user: 'owner' }]);
  t.match(await store.audit(5, 'inside'), [{ user: 'script 12345' }]);
  const front = await store.audit(4 * AUDIT_KEPT, 'webfront');
  t.equal(front.length, AUDIT_KEPT);
  t.match(front[0], { user: `2 ${AUDIT_KEPT - 1}` }, 'newest first');
  t.equal((await store.audit(4 * AUDIT_KEPT)).length, AUDIT_KEPT + 2);
  await store.close();
});

t.test('a data directory that cannot be created is reported, immediately', async (t) => {
  await t.rejects(openFixture('/proc/nothing/here'), {
    code: 'STORE_UNUSABLE',
    message: /cannot be created.*proc/,
  });
});

t.test('two gateways cannot have the same data directory', async (t) => {
  const directory = await tempDirectory(t);
  const { store } = await openFixture(directory);
  await t.rejects(openFixture(directory), { code: 'STORE_UNUSABLE', message: /in use/ });
  await store.close();
  const { store: next } = await openFixture(directory);
  await next.close();
});

const path = (directory: string) => join(directory, 'stellwerk.db');

t.test('orphans and cycles are moved below the root, permanently', async (t) => {
  const directory = await tempDirectory(t);
  const first = await openFixture(directory);
  const above = first.kernel.tree.create(objectType.category, {}, { ident: 'above' });
  const orphan = first.kernel.variables.create(1, { parent: above, ident: 'lost', value: 9 });
  const a = first.kernel.tree.create(objectType.category, {}, { name: 'a' });
  const b = first.kernel.tree.create(objectType.category, {}, { name: 'b', parent: a });
  const taken = first.kernel.variables.create(1, { ident: 'lost' });
  await first.store.close();
  const db = new DatabaseSync(path(directory));
  db.exec(`DELETE FROM objects WHERE id = ${above.id}`);
  const row = db
    .prepare('SELECT born, id, type, parent, attributes, data FROM objects WHERE id = ?')
    .get(a.id);
  const sum = checksumOf(Object.values({ ...row, parent: b.id }));
  db.prepare('UPDATE objects SET parent = ?, sum = ? WHERE id = ?').run(b.id, sum, a.id);
  db.close();
  for (const start of [1, 2]) {
    const { store, kernel, report, findings } = await openFixture(directory);
    t.match(kernel.tree.get(orphan.id), { parentId: 0, ident: '', data: { value: 9 } });
    t.equal(kernel.tree.root.children?.byIdent('lost')?.id, taken.id);
    t.equal(kernel.tree.get(b.id).parentId, a.id);
    t.equal(report.orphans.length, start === 1 ? 2 : 0);
    t.equal(findings.get('database')?.state, start === 1 ? 'warning' : 'ok');
    await store.close();
  }
});

t.test(
  'there is a backup per day, seven are kept, and they include the files next to the database',
  async (t) => {
    const directory = await tempDirectory(t);
    const scripts = join(directory, 'scripts');
    const clock = new ManualClock();
    const { store, kernel } = await openFixture(directory, { clock, files: { scripts } });
    kernel.variables.create(1, {});
    await store.committed();
    for (let day = 1; day <= BACKUPS_KEPT + 3; day++) {
      // Firing all timers of a day takes seconds; the check for a new day is one of them.
      clock.stepWallClock(86_400_000 - 600_000);
      clock.advance(600_000);
      while (listBackups(directory)[0]?.number !== day) await store.ping();
      await store.audit(1);
    }
    t.equal(listBackups(directory).length, BACKUPS_KEPT);
    t.match(readdirSync(join(directory, 'backups')), BACKUPS_KEPT === 7 ? { length: 7 } : {});
    await store.close();
  },
);
