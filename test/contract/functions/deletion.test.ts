import t from 'tap';
import { Deletions } from '../../../src/functions/deletion/deletions.js';
import { walkSubtree } from '../../../src/kernel/area.js';
import { objectType } from '../../../src/kernel/object.js';
import { FunctionFixture, owner } from '../../tools/gateway/function-fixture.js';
import { createObjects, referToEachOther } from '../../tools/gateway/random-objects.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import { Replica, snapshotOf, type Entry } from '../../tools/client/replica.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';
import { until } from '../../tools/until.js';

interface DeletionRecord {
  readonly ID: number;
  readonly User: string;
  readonly ObjectID: number;
  readonly Name: string;
  readonly Location: string;
  readonly Count: number;
}

const deletionsOf = (fixture: FunctionFixture) =>
  fixture.call('GW_GetDeleted') as Promise<readonly DeletionRecord[]>;

/** A snapshot without what devices report. */
function withoutReports(entries: Record<string, Entry>): Record<string, unknown> {
  const reported = (entry: Entry) => entry.type === 2 && ['LINK', 'STATUS'].includes(entry.ident);
  return Object.fromEntries(
    Object.entries(entries)
      .filter(([, entry]) => !reported(entry))
      .map(([key, { data, ...entry }]) => {
        const { quality: _quality, status: _status, nextRun: _next, ...kept } = data;
        return [key, { ...entry, data: kept }];
      }),
  );
}

/** All objects with their data, which snapshots show only in part. */
const detailsOf = ({ kernel }: FunctionFixture) =>
  [...kernel.tree.all()]
    .toSorted((a, b) => a.id - b.id)
    .map((object) => {
      if (object.is(1)) return [object.id, object.data.properties, object.data.connectionId];
      if (object.is(2)) return [object.id, object.data.logging];
      if (!object.is(4)) return [object.id];
      const { nextRun: _next, ...data } = object.data;
      return [object.id, data];
    });

const seed = fuzzSeed();

t.test(`a deleted subtree returns as it was (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  for (let round = 0; round < 12; round++) {
    await using fixture = new FunctionFixture([], await tempDirectory(t));
    const { kernel } = fixture;
    const outside = await createObjects(fixture, random, { parent: kernel.tree.root, count: 8 });
    const top = kernel.tree.create(objectType.category, {}, { name: 'Branch', ident: 'branch' });
    const inside = await createObjects(fixture, random, { parent: top, count: 25 });
    await referToEachOther(fixture, random, [...outside, ...inside]);
    for (const variable of kernel.tree.objectsOfType(objectType.variable)) {
      if (variable.readOnly || random.chance(0.3)) continue;
      fixture.clock.advance(1000);
      kernel.variables.update(variable, variable.data.value, fixture.clock.nowMs());
      const [other] = [true, 7, 0.5, 'another text'].slice(variable.data.type);
      if (random.chance(0.5)) kernel.variables.update(variable, other ?? 0, fixture.clock.nowMs());
      if (random.chance(0.3))
        kernel.variables.setLogging(variable, {
          active: true,
          counter: false,
          ignoreZeros: false,
          graph: true,
          compaction: [],
        });
    }
    const before = withoutReports(snapshotOf(kernel));
    const details = detailsOf(fixture);
    const logged = new Set(kernel.variables.logged().map(({ id }) => id));
    const replica = new Replica(snapshotOf(kernel));
    const { counter } = kernel.changes;
    const loggedInside = [...walkSubtree(top)].map(({ id }) => id).filter((id) => logged.has(id));
    const id = await fixture.call('GW_DeleteObject', top.id, false);
    t.equal(kernel.tree.find(top.id), undefined);
    const [deletion] = await deletionsOf(fixture);
    t.match(deletion, { ID: id, ObjectID: top.id, Name: 'Branch', Location: 'Branch' });
    t.notMatch(JSON.stringify(await deletionsOf(fixture)), /secret/);
    t.strictSame(await fixture.call('GW_RestoreDeleted', id), [top.id]);
    t.strictSame(withoutReports(snapshotOf(kernel)), before, `round ${round}`);
    t.strictSame(detailsOf(fixture), details, 'with all data');
    t.strictSame(new Set(kernel.variables.logged().map((one) => one.id)), logged);
    const recordings = kernel.changes
      .since(counter)
      .filter((one) => one.Message === messageNumber.GW_RECORDING);
    t.strictSame(
      recordings.map(({ SenderID, Data }) => [SenderID, Data]).toSorted(([a], [b]) => Number(a) - Number(b)),
      loggedInside.toSorted((a, b) => a - b).map((one) => [one, [true]]),
      'clients learn which values are recorded',
    );
    for (const change of kernel.changes.since(counter)) replica.apply(change as never);
    t.strictSame(Object.fromEntries([...replica.objects].map(([key, entry]) => [`ID${key}`, entry])), {
      ...snapshotOf(kernel),
    });
    t.strictSame(await deletionsOf(fixture), [], 'a restored deletion is no longer listed');
    t.notMatch(JSON.stringify(kernel.changes.since(counter)), /secret\d/);
  }
});

t.test('a restored instance opens again, and its variables trigger nothing', async (t) => {
  await using fixture = new FunctionFixture();
  const { kernel, scripts } = fixture;
  const lamp = await fixture.lamp();
  const bus = kernel.instances.get(lamp).data.connectionId;
  const state = fixture.idOf(lamp, 'STATE');
  await fixture.call('RequestAction', state, true);
  const event = (await fixture.call('SVC_CreateEvent', 0)) as number;
  await fixture.call('SVC_SetEventTrigger', event, 0, state);
  await fixture.call('SVC_SetEventScript', event, 'print(1)');
  await fixture.call('SVC_SetEventActive', event, true);
  await fixture.call('SVC_DeleteInstance', lamp);
  await until('the event lost its trigger', () => kernel.events.get(event).data.trigger?.variableId === 0);
  await fixture.call('SVC_DeleteInstance', bus);
  const [ofBus, ofLamp] = await deletionsOf(fixture);
  t.match(
    [ofBus, ofLamp],
    [
      { ObjectID: bus, User: 'owner@example.org' },
      { ObjectID: lamp, Count: 1 + 4 },
    ],
  );
  await fixture.call('GW_RestoreDeleted', ofBus?.ID);
  const sent = await fixture.messagesOfCall('GW_RestoreDeleted', ofLamp?.ID);
  t.ok(sent.some(([sender, message]) => sender === lamp && message === messageNumber.IM_CHANGESETTINGS));
  await until('the lamp is online', () => kernel.instances.get(lamp).data.status === 102);
  t.equal(kernel.variables.get(state).data.value, true, 'it keeps its last value');
  t.equal(kernel.events.get(event).data.trigger?.variableId, state);
  t.strictSame(scripts.runs, [], 'the event did not run');
  await fixture.call('RequestAction', state, false);
  await until('the event runs', () => scripts.runs.length > 0);
});

t.test('a variable that returns without its instance is not good until its device reports it', async (t) => {
  await using fixture = new FunctionFixture();
  const { variables } = fixture.kernel;
  const lamp = await fixture.lamp();
  const [state, level] = [fixture.idOf(lamp, 'STATE'), fixture.idOf(lamp, 'LEVEL')];
  await fixture.call('RequestAction', state, true);
  const plain = variables.create(0).id;
  for (const id of [state, level, plain]) {
    await fixture.call('SVC_DeleteVariable', id);
    await fixture.call('GW_RestoreDeleted', (await deletionsOf(fixture))[0]?.ID);
  }
  t.match(variables.get(state).data, {
    value: true,
    qualityProblem: { reason: 'NOT_REPORTED' },
  });
  t.match(variables.get(level).data, { qualityProblem: { reason: 'NO_VALUE' } });
  t.equal(variables.get(plain).data.qualityProblem, undefined, 'no device reports it');
  await fixture.call('RequestAction', state, false);
  t.match(variables.get(state).data, { value: false, qualityProblem: undefined });
});

t.test('an I/O instance returns with the instances that were connected to it', async (t) => {
  await using fixture = new FunctionFixture();
  const lamp = await fixture.lamp();
  const { kernel } = fixture;
  const bus = kernel.instances.get(lamp).data.connectionId;
  await fixture.call('SVC_DeleteInstance', bus);
  t.equal(kernel.instances.get(lamp).data.connectionId, 0);
  await fixture.call('GW_RestoreDeleted', (await deletionsOf(fixture))[0]?.ID);
  t.equal(kernel.instances.get(lamp).data.connectionId, bus);
  await until('the lamp is online', () => kernel.instances.get(lamp).data.status === 102);
});

t.test('each way to delete an object can be undone', async (t) => {
  await using fixture = new FunctionFixture([], await tempDirectory(t));
  const control = fixture.devices.create('Utility Control').id;
  const functions: [create: [string, ...unknown[]], remove: (id: number) => [string, ...unknown[]]][] = [
    [['SVC_CreateCategory'], (id) => ['SVC_DeleteCategory', id]],
    [['SVC_CreateInstance', 'Lamp'], (id) => ['SVC_DeleteInstance', id]],
    [['SVC_CreateVariable', 3], (id) => ['SVC_DeleteVariable', id]],
    [['SVC_CreateScript', 0], (id) => ['SVC_DeleteScript', id, true]],
    [['SVC_CreateEvent', 2], (id) => ['SVC_DeleteEvent', id]],
    [['SVC_CreateMedia', 1], (id) => ['SVC_DeleteMedia', id, true]],
    [['SVC_CreateLink'], (id) => ['SVC_DeleteLink', id]],
    [['SVC_CreateCategory'], (id) => ['UC_DeleteObjects', control, [id]]],
    [['SVC_CreateCategory'], (id) => ['GW_DeleteObject', id, true]],
  ];
  for (const [create, remove] of functions) {
    const id = (await fixture.call(...create)) as number;
    await fixture.call('SVC_SetName', id, 'Old name');
    await fixture.call(...remove(id));
    t.equal(fixture.kernel.tree.find(id), undefined);
    const [deletion] = await deletionsOf(fixture);
    t.match(deletion, { ObjectID: id, Name: 'Old name' });
    t.strictSame(await fixture.call('GW_RestoreDeleted', deletion?.ID), [id]);
    t.equal(await fixture.call('SVC_GetName', id), 'Old name', remove(id)[0]);
  }
});

t.test('the file of a media object returns with it', async (t) => {
  await using fixture = new FunctionFixture([], await tempDirectory(t));
  const id = (await fixture.call('SVC_CreateMedia', 1)) as number;
  const content = Buffer.from('a picture').toString('base64');
  await fixture.call('SVC_SetMediaFile', id, `media/${id}.png`, false);
  await fixture.call('SVC_SetMediaContent', id, content);
  await fixture.call('SVC_DeleteMedia', id, true);
  await fixture.call('GW_RestoreDeleted', (await deletionsOf(fixture))[0]?.ID);
  t.equal(await fixture.call('SVC_GetMediaContent', id), content);
  t.match(await fixture.call('SVC_GetMedia', id), { MediaFile: `media/${id}.png` });
});

t.test('a rejected deletion of a media object does not read its file', async (t) => {
  await using fixture = new FunctionFixture([], await tempDirectory(t));
  const [id, other] = [await fixture.call('SVC_CreateMedia', 1), await fixture.call('SVC_CreateMedia', 1)];
  await fixture.call('SVC_SetMediaFile', id, 'media/a.png', false);
  await fixture.call('SVC_SetMediaFile', other, 'media/a.png', false);
  await fixture.call('SVC_SetMediaContent', other, Buffer.from('a picture').toString('base64'));
  await fixture.call('SVC_SetParent', await fixture.call('SVC_CreateCategory'), id);
  const before = snapshotOf(fixture.kernel);
  await t.rejects(fixture.call('SVC_DeleteMedia', id, true), { code: 'HAS_CHILDREN' });
  t.strictSame(snapshotOf(fixture.kernel), before);
});

t.test('a deletion that cannot be undone says why, changes nothing, and stays in the list', async (t) => {
  await using fixture = new FunctionFixture();
  const { tree } = fixture.kernel;
  const above = tree.create(objectType.category, {}, { ident: 'above' });
  const below = tree.create(objectType.category, {}, { parent: above, ident: 'below' });
  const ofBelow = (await fixture.call('GW_DeleteObject', below.id, false)) as number;
  const restore = () => fixture.call('GW_RestoreDeleted', ofBelow);
  const rejects = async (message: RegExp) => {
    const { counter } = fixture.kernel.changes;
    await t.rejects(restore(), { code: 'RESTORE_IMPOSSIBLE', message });
    t.equal(fixture.kernel.changes.counter, counter, 'nothing changed');
    t.ok((await deletionsOf(fixture)).some(({ ID }) => ID === ofBelow));
  };
  const other = tree.create(objectType.category, {}, { parent: above, ident: 'below' });
  await rejects(/has the ident below now/);
  tree.delete(other);
  const ofAbove = (await fixture.call('GW_DeleteObject', above.id, false)) as number;
  await rejects(new RegExp(`#${above.id}, which it was below, does not exist`));
  await fixture.call('GW_RestoreDeleted', ofAbove);
  const reused = tree.create(objectType.variable, { ...variableData }, { id: below.id });
  await rejects(new RegExp(`the ID ${below.id} belongs to another object now`));
  tree.delete(reused);
  t.strictSame(await restore(), [below.id]);
  await t.rejects(restore(), { code: 'DELETION_MISSING' });
});

const variableData = {
  type: 0,
  value: false,
  role: 'main',
  profile: '',
  customProfile: '',
  action: 0,
  customAction: 0,
  updated: 0,
  changed: 0,
} as const;

t.test('the oldest deletions are dropped, by number and by size', async (t) => {
  await using fixture = new FunctionFixture();
  const { variables } = fixture.kernel;
  const start = fixture.clock.nowMs();
  for (let i = 0; i < 60; i++) await fixture.call('SVC_DeleteVariable', variables.create(0).id);
  const names = (await deletionsOf(fixture)).map(({ ID }) => ID);
  t.strictSame(
    names,
    Array.from({ length: 50 }, (_, i) => start + 60 - i),
    'newest first',
  );
  const large = variables.create(3, { value: 'x'.repeat(17 * 1024 * 1024) });
  t.equal(await fixture.call('GW_DeleteObject', large.id, false), 0, 'it cannot be undone');
  t.strictSame(
    (await deletionsOf(fixture)).map(({ ID }) => ID),
    names,
    'and displaces no other',
  );
});

t.test('a deletion has no ID of one before a restart', async (t) => {
  await using fixture = new FunctionFixture();
  const { kernel, clock, ports } = fixture;
  const idOfDeletion = () => {
    const deletions = new Deletions(ports);
    const object = kernel.tree.create(objectType.category, {});
    deletions.deleteOne(owner, object);
    return deletions.idOf(object.id);
  };
  const before = idOfDeletion();
  clock.advance(1000);
  const after = idOfDeletion();
  t.ok(after > before && before > 0, `${before}, ${after}`);
  t.ok(Number.isSafeInteger(after), 'exact in JSON');
  await t.rejects(fixture.call('GW_RestoreDeleted', before), { code: 'DELETION_MISSING' });
});

t.test('files beyond the limit are lost, but the deletion and those before it can be undone', async (t) => {
  await using fixture = new FunctionFixture();
  const { kernel, scripts, ports } = fixture;
  const start = fixture.clock.nowMs();
  const deleted = async (mebibytes: readonly number[], value = '') => {
    const parent = kernel.tree.create(objectType.category, {});
    kernel.variables.create(3, { parent, value });
    for (const size of mebibytes)
      await scripts.setContent(kernel.scripts.create(0, { parent }).id, 'x'.repeat(size * 1024 * 1024));
    return fixture.call('GW_DeleteObject', parent.id, true);
  };
  const kept = () =>
    ports.deletions.all().map(({ id, records, contents }) => [id - start, records.length, contents.size]);
  let reads = 0;
  const content = scripts.content;
  scripts.content = (id) => {
    reads++;
    return content(id);
  };
  t.equal(await deleted([]), start + 1);
  t.equal(await deleted([3, 3, 3, 3, 3, 3, 3, 3]), start + 2);
  t.strictSame(kept(), [
    [2, 10, 5],
    [1, 2, 0],
  ]);
  t.equal(reads, 6, 'no file is read after the first that cannot be kept');
  t.equal(await deleted([2], 'x'.repeat(15 * 1024 * 1024)), start + 3);
  t.strictSame(kept(), [[3, 3, 0]]);
});

t.test('a restored base of a front, and the target of a link, require a snapshot', async (t) => {
  const { AreaFilter } = await import('../../../src/api/socket/change-filter.js');
  await using fixture = new FunctionFixture();
  const { tree, links } = fixture.kernel;
  const base = tree.create(objectType.category, {});
  const target = tree.create(objectType.category, {});
  links.create({ parent: base }, target.id);
  for (const deleted of [target, base]) {
    const id = await fixture.call('GW_DeleteObject', deleted.id, false);
    const filter = new AreaFilter(tree, base.id);
    const verdicts: string[] = [];
    fixture.kernel.changes.listen((change) => verdicts.push(filter.filter(change)));
    await fixture.call('GW_RestoreDeleted', id);
    t.ok(verdicts.includes('lost'), deleted === base ? 'base' : 'target');
  }
});
