import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { walkSubtree } from '../../../src/kernel/area.js';
import type { Event } from '../../../src/kernel/events/events.js';
import { objectType, type TreeObject } from '../../../src/kernel/object.js';
import type { Variable } from '../../../src/kernel/variables.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { createObjects, referToEachOther } from '../../tools/gateway/random-objects.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';
import { Replica, snapshotOf } from '../../tools/client/replica.js';

/** A fixture with files, and a branch with objects of every type that refer to each other and out of it. */
async function makeFixture(t: { teardown(end: () => Promise<void>): void }, random: Random) {
  const directory = await tempDirectory(t);
  const fixture = new FunctionFixture([], directory);
  t.teardown(() => fixture[Symbol.asyncDispose]());
  const control = fixture.devices.create('Utility Control').id;
  const duplicate = (id: number, parent: number, recursive = true) =>
    fixture.call('UC_DuplicateObject', control, id, parent, recursive) as Promise<number>;
  const outside = await createObjects(fixture, random, { parent: fixture.kernel.tree.root, count: 8 });
  const top = fixture.kernel.tree.create(objectType.category, {}, { name: 'Branch', ident: 'branch' });
  const inside = await createObjects(fixture, random, { parent: top, count: 25 });
  await referToEachOther(fixture, random, [...outside, ...inside]);
  return { desk: fixture, directory, duplicate, top };
}

/** A branch with positions instead of the ids of its objects; ids outside of it are kept. */
async function picture(fixture: FunctionFixture, top: TreeObject): Promise<object[]> {
  const places = new Map([...walkSubtree(top)].map(({ id }, at) => [id, `object ${at}`]));
  const where = (id: number) => places.get(id) ?? id;
  const entries: object[] = [];
  for (const object of walkSubtree(top)) {
    const { name, ident, position, hidden, disabled, readOnly, icon, info, summary, parent, type } = object;
    const own = { ident, position, hidden, disabled, readOnly, icon, info, summary, type };
    const entry = { ...own, name, parent: object === top ? '' : where(parent?.id ?? 0) };
    entries.push({ ...entry, data: await dataOf(fixture, object, where) });
  }
  return entries;
}

async function dataOf(
  fixture: FunctionFixture,
  object: TreeObject,
  where: (id: number) => string | number,
): Promise<unknown> {
  if (object.is(6)) return where(object.data.targetId);
  if (object.is(1)) {
    const { moduleId, moduleName, moduleType, connectionId, properties } = object.data;
    return { moduleId, moduleName, moduleType, properties, connectionId: where(connectionId) };
  }
  if (object.is(2)) {
    const { type, value, profile, customProfile, action, customAction, residents } = object.data;
    const isDrivers = object.parent?.is(1) === true && action === object.parent.id;
    const isState = object.parent?.is(1) === true && ['LINK', 'STATUS'].includes(object.ident);
    const points = { action: isDrivers ? 'own' : 0, customAction: where(customAction) };
    return { type, profile, customProfile, residents, ...points, value: isDrivers || isState ? '' : value };
  }
  if (object.is(3))
    return { type: object.data.type, text: await fixture.call('SVC_GetScriptContent', object.id) };
  if (object.is(4)) return eventOf(object, where);
  if (!object.is(5)) return {};
  const { type, crc, size, cached, available, file } = object.data;
  const content = available && type !== 3 ? await fixture.call('SVC_GetMediaContent', object.id) : '';
  return { type, crc, size, cached, available, content, file: type === 3 ? file : '' };
}

function eventOf({ data }: Event, where: (id: number) => string | number): object {
  const { type, limit, script, actionId, cyclic, actionParameters, conditions, trigger, schedule } = data;
  const parameters = ({ TARGET, ...rest }: Readonly<Record<string, unknown>>) => ({
    ...rest,
    TARGET: where(Number(TARGET)),
  });
  return {
    type,
    limit,
    script,
    actionId,
    cyclic,
    actionParameters: parameters(actionParameters),
    trigger: trigger && { ...trigger, variableId: where(trigger.variableId) },
    rules: conditions.flatMap(({ rules }) =>
      rules.variable.map((one) => ({
        ...one,
        variableId: where(one.variableId),
        value: one.type === 1 ? where(Number(one.value)) : one.value,
      })),
    ),
    schedule: schedule?.actions.map((one) => ({
      ...one,
      actionParameters: parameters(one.actionParameters),
    })),
  };
}

const seed = fuzzSeed();

t.test(`a copy equals its original except for ids (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  for (let round = 0; round < 12; round++) {
    const { desk: fixture, duplicate, top } = await makeFixture(t, random);
    const { tree } = fixture.kernel;
    const before = await picture(fixture, top);
    const ids = new Set([...tree.all()].map(({ id }) => id));
    const replica = new Replica(snapshotOf(fixture.kernel));
    const { counter } = fixture.kernel.changes;
    const copy = tree.get(await duplicate(top.id, 0));
    const [root = {}, ...below] = before;
    // At the root its ident is taken.
    t.strictSame(await picture(fixture, copy), [{ ...root, ident: '' }, ...below], `round ${round}`);
    t.strictSame(await picture(fixture, top), before, 'the original is unchanged');
    t.strictSame(
      [...walkSubtree(copy)].filter(({ id }) => ids.has(id)),
      [],
      'all objects are new',
    );
    const files = (of: TreeObject) =>
      [...walkSubtree(of)].flatMap((one) =>
        one.is(3) || (one.is(5) && one.data.type !== 3) ? [one.data.file] : [],
      );
    const shared = files(copy).filter((file) => file !== '' && files(top).includes(file));
    t.strictSame(shared, [], 'each has its own files');
    t.strictSame(
      [...walkSubtree(copy)].filter((one) => one.is(4) && one.data.active),
      [],
      'no event is active',
    );
    for (const one of walkSubtree(copy)) if (one.is(1)) t.equal(one.data.status, 104, 'instances are closed');
    const again = tree.get(await duplicate(copy.id, top.id));
    t.strictSame(
      await picture(fixture, again),
      [{ ...root, ident: '' }, ...below],
      'a copy of the copy, in the original',
    );
    for (const frame of fixture.kernel.changes.since(counter)) replica.apply(frame as never);
    const followed = Object.fromEntries([...replica.objects].map(([id, entry]) => [`ID${id}`, entry]));
    t.strictSame(followed, snapshotOf(fixture.kernel), 'clients that follow the changes have the same state');
  }
});

t.test('a copied lamp stays off until its changes are applied', async (t) => {
  const { desk: fixture, duplicate } = await makeFixture(t, new Random(1));
  const { tree, instances } = fixture.kernel;
  const lamp = await fixture.lamp();
  await fixture.call('HW_WriteValueBoolean', lamp, 'STATE', true);
  await fixture.call('SVC_SetName', fixture.idOf(lamp, 'STATE'), 'Light');
  const script = (await fixture.call('SVC_CreateScript', 0)) as number;
  await fixture.call('SVC_SetVariableCustomAction', fixture.idOf(lamp, 'LEVEL'), script);
  const copy = await duplicate(lamp, 0);
  const value = (id: number, ident: string) => (tree.get(fixture.idOf(id, ident)) as Variable).data;
  t.equal(instances.get(copy).data.connectionId, instances.get(lamp).data.connectionId);
  t.equal(tree.get(fixture.idOf(copy, 'STATE')).name, 'Light');
  t.match(
    value(copy, 'STATE'),
    { value: false, updated: 0, action: copy },
    'reported values belong to the original',
  );
  t.equal(value(copy, 'LEVEL').customAction, script);
  t.match(value(copy, 'STATUS').value, /^closed since .*a copy.*SVC_ApplyChanges/);
  await t.rejects(fixture.call('HW_WriteValueBoolean', copy, 'STATE', true), { code: 'DEVICE_OFFLINE' });
  // Its bus comes and goes, and it is connected elsewhere: it stays closed.
  await fixture.call('SVC_ApplyChanges', instances.get(lamp).data.connectionId);
  await fixture.call('SVC_ConnectInstance', copy, instances.get(lamp).data.connectionId);
  t.equal(value(copy, 'LINK').value, 'closed');
  await fixture.call('SVC_ApplyChanges', copy);
  await fixture.call('HW_WriteValueBoolean', copy, 'STATE', true);
  t.equal(value(copy, 'STATE').value, true);
  const plain = await duplicate(fixture.idOf(lamp, 'STATE'), 0);
  t.match(tree.get(plain).data, { value: true, action: 0 }, 'a copied variable has no instance');
  await fixture.call('SetValue', plain, false);
  t.match(tree.get(plain).data, { value: false }, 'and can be set');
  const neighbour = await duplicate(fixture.idOf(lamp, 'LEVEL'), lamp);
  await fixture.call('SetValue', neighbour, 5);
  t.match(tree.get(neighbour).data, { value: 5, action: 0 }, 'also next to the original');
  await fixture.call('SVC_DeleteVariable', neighbour);
  const bare = await duplicate(lamp, 0, false);
  t.equal(
    tree.get(bare).children?.size,
    tree.get(lamp).children?.size,
    'a module creates its variables itself',
  );
});

t.test('a failed copy leaves nothing behind', async (t) => {
  const { desk: fixture, directory, duplicate, top } = await makeFixture(t, new Random(2));
  const { tree, scripts, media } = fixture.kernel;
  for (const [id, parent, code] of [
    [0, 0, 'ROOT_FIXED'],
    [9999, 0, 'OBJECT_MISSING'],
    [top.id, 9999, 'OBJECT_MISSING'],
  ] as const)
    await t.rejects(duplicate(id, parent), { code });
  media.create(1, { parent: top });
  const broken = scripts.create(0, { parent: top });
  const count = tree.size;
  const files = await readdir(join(directory, 'media')).catch(() => []);
  const content = fixture.scripts.content;
  fixture.scripts.content = async (id) => {
    if (id === broken.id) throw new Error('the disk is gone');
    return content(id);
  };
  await t.rejects(duplicate(top.id, 0), { code: 'INTERNAL' });
  t.equal(tree.size, count);
  t.strictSame(await readdir(join(directory, 'media')).catch(() => []), files);
  t.strictSame(fixture.errors, ['function failed with an internal error'], 'and without a second error');
});

t.test('a copy below an object that is deleted meanwhile fails and leaves nothing behind', async (t) => {
  const { desk: fixture, duplicate } = await makeFixture(t, new Random(3));
  const { tree, scripts } = fixture.kernel;
  const script = scripts.create(0);
  const place = tree.create(objectType.category, {});
  const count = tree.size;
  const create = fixture.scripts.create;
  fixture.scripts.create = async () => {
    tree.delete(place);
    return create();
  };
  await t.rejects(duplicate(script.id, place.id), {
    code: 'OBJECT_MISSING',
    message: `Object #${place.id} does`,
  });
  t.equal(tree.size, count - 1);
  fixture.scripts.create = create;
  fixture.scripts.content = async () => {
    const copy = [...tree.all()].at(-1);
    if (copy?.is(objectType.script)) tree.delete(copy);
    throw new Error('the disk is gone');
  };
  await t.rejects(duplicate(script.id, 0), { code: 'INTERNAL' });
  t.equal(tree.size, count - 1);
  const errors = ['function failed with an internal error'];
  t.strictSame(fixture.errors, errors, 'no attempt to delete a copy that is gone');
});

t.test('copies that are deleted meanwhile are skipped', async (t) => {
  const { desk: fixture, duplicate } = await makeFixture(t, new Random(4));
  const { tree, variables, links, events, scripts, changes } = fixture.kernel;
  const top = tree.create(objectType.category, {});
  const parent = top;
  const variable = variables.create(0, { parent, ident: 'variable' });
  links.create({ parent, ident: 'to_variable' }, variable.id);
  links.create({ parent, ident: 'to_top' }, top.id);
  const event = events.create(0, fixture.clock.nowMs(), { parent, ident: 'event' });
  events.setTrigger(event.id, { variableId: variable.id });
  scripts.create(0, { parent, ident: 'script', position: 1 });
  const content = fixture.scripts.content;
  const deleted: number[] = [];
  let { counter } = changes;
  fixture.scripts.content = async (id) => {
    const copy = [...tree.all()].findLast((one) => one.is(objectType.category));
    for (const ident of ['variable', 'to_top']) {
      const one = copy?.children?.byIdent(ident);
      if (one === undefined || copy === top) continue;
      deleted.push(one.id);
      tree.delete(one);
    }
    ({ counter } = changes);
    return content(id);
  };
  const copy = tree.get(await duplicate(top.id, 0));
  t.equal(deleted.length, 2);
  t.match(copy.children?.byIdent('to_variable')?.data, { targetId: 0 });
  t.match(copy.children?.byIdent('event')?.data, { trigger: { variableId: 0 } });
  t.strictSame(
    changes.since(counter).filter(({ SenderID }) => deleted.includes(SenderID)),
    [],
  );
});
