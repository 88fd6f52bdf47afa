import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { walkSubtree } from '../../../src/kernel/area.js';
import type { Event } from '../../../src/kernel/events/events.js';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { objectType, type TreeObject } from '../../../src/kernel/object.js';
import type { Variable } from '../../../src/kernel/variables.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';
import { Replica, snapshotOf } from '../../tools/client/replica.js';

/** A fixture with files, and a branch with objects of every type that refer to each other and out of it. */
async function bench(t: { teardown(end: () => Promise<void>): void }, random: Random) {
  const directory = await tempDirectory(t);
  const fixture = new FunctionFixture([], directory);
  t.teardown(() => fixture[Symbol.asyncDispose]());
  const control = fixture.devices.create('Utility Control').id;
  const duplicate = (id: number, parent: number, recursive = true) =>
    fixture.call('UC_DuplicateObject', control, id, parent, recursive) as Promise<number>;
  const outside = await someObjects(fixture, random, { parent: fixture.kernel.tree.root, count: 8 });
  const top = fixture.kernel.tree.create(objectType.category, {}, { name: 'Branch', ident: 'branch' });
  const inside = await someObjects(fixture, random, { parent: top, count: 25 });
  await pointAbout(fixture, random, [...outside, ...inside]);
  return { desk: fixture, directory, duplicate, top };
}

async function someObjects(
  fixture: FunctionFixture,
  random: Random,
  { parent, count }: { parent: TreeObject; count: number },
): Promise<TreeObject[]> {
  const { kernel, devices } = fixture;
  const made: TreeObject[] = [];
  for (let i = 0; i < count; i++) {
    const place = { parent: random.pick([parent, ...made]), ident: random.chance(0.5) ? `i${i}` : '' };
    const type = random.pick([0, 1, 2, 2, 3, 4, 5, 6] as const);
    let object: TreeObject;
    if (type === 0) object = kernel.tree.create(type, {}, place);
    else if (type === 1) {
      const properties = { Place: `place ${i}`, Password: `secret ${i}` };
      object = random.chance(0.5) ? devices.create('Bus', place) : devices.create('Lamp', place, properties);
    } else if (type === 2) {
      const kind = random.pick([0, 1, 2, 3] as const);
      const value = [true, random.below(9), random.next(), `text ${i}`][kind] ?? 0;
      object = kernel.variables.create(kind, { ...place, value, profile: kind === 0 ? '~Switch' : '' });
    } else if (type === 3) {
      object = kernel.scripts.create(0, place);
      await fixture.call('SVC_SetScriptContent', object.id, `print(${i})`);
    } else if (type === 4) {
      object = kernel.events.create(random.below(3), fixture.clock.nowMs(), place);
    } else if (type === 5) {
      const kind = random.pick([1, 3, 4] as const);
      object = kernel.media.create(kind, place);
      if (kind === 3) await fixture.call('SVC_SetMediaFile', object.id, `rtsp://me:secret${i}@camera`, false);
      else if (random.chance(0.8)) {
        await fixture.call('SVC_SetMediaFile', object.id, `media/${object.id}.png`, false);
        await fixture.call('SVC_SetMediaContent', object.id, Buffer.from(`content ${i}`).toString('base64'));
      }
      if (random.chance(0.5)) await fixture.call('SVC_SetMediaCached', object.id, true);
    } else object = kernel.links.create(place);
    for (const [key, value] of [
      ['name', random.chance(0.7) ? `name ${i}` : ''],
      ['position', random.below(5)],
      ['hidden', random.chance(0.3)],
      ['disabled', random.chance(0.3)],
      ['readOnly', random.chance(0.3)],
      ['icon', random.pick(['', 'Sun'])],
      ['info', random.pick(['', 'notes'])],
      ['summary', random.pick(['', 'short'])],
    ] as const)
      kernel.tree.set(object, key, value);
    made.push(object);
  }
  return made;
}

async function pointAbout(
  { kernel, devices }: FunctionFixture,
  random: Random,
  objects: readonly TreeObject[],
): Promise<void> {
  const all = objects.flatMap((object) => [object, ...(object.children ?? [])]);
  const of = (expected: (object: TreeObject) => boolean) => random.pick(all.filter(expected));
  const isBus = (object: TreeObject) => object.is(1) && object.data.moduleName === 'Bus';
  for (const object of all) {
    if (object.is(4)) pointEvent(kernel, object, [random.pick(all), of((one) => one.is(2))]);
    if (object.is(6) && random.chance(0.8)) kernel.links.setTarget(object, random.pick(all).id);
    if (object.is(2)) {
      if (random.chance(0.3))
        kernel.variables.setCustomAction(object, of((one) => one.is(3) || one.is(1))?.id ?? 1);
      if (random.chance(0.1)) kernel.variables.setCustomAction(object, 1);
      if (random.chance(0.3) && object.data.type === 1)
        kernel.variables.setCustomProfile(object, '~Battery.100');
      if (random.chance(0.3) && !object.readOnly) kernel.variables.setResidentAccess(object, 'set');
    }
    const bus = object.is(1) && object.data.moduleName === 'Lamp' ? of(isBus) : undefined;
    if (bus !== undefined) await devices.connect(object.id, bus.id);
  }
}

/** Makes a variable’s change trigger an event with a condition and an action. */
function pointEvent(
  { events }: Kernel,
  event: Event,
  [target, variable]: [TreeObject, TreeObject | undefined],
): void {
  events.set(event, {
    actionId: '{0}',
    actionParameters: { TARGET: target.id, VALUE: 12_345 },
    active: true,
  });
  if (variable === undefined) return;
  const rules = {
    variable: [rule(1, variable.id), rule(0, target.id)],
    date: [],
    time: [],
    dayOfTheWeek: [],
  };
  events.set(event, { conditions: [{ id: 1, parentId: 1, operation: 0, rules }] });
  if (event.data.trigger !== undefined) events.setTrigger(event.id, { variableId: variable.id });
  const action = { id: 1, name: 'on', color: 23_456, scriptText: '', actionId: '{0}' };
  if (event.data.schedule !== undefined)
    events.setSchedule(event.id, { actions: [{ ...action, actionParameters: { TARGET: target.id } }] });
}

/** Type 1 compares with another variable, whose id is its value. */
const rule = (type: 0 | 1, id: number) => ({
  id: type,
  comparison: 0,
  variableId: id,
  type,
  value: type === 1 ? id : 3,
});

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
    const { desk: fixture, duplicate, top } = await bench(t, random);
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
  const { desk: fixture, duplicate } = await bench(t, new Random(1));
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
  const bare = await duplicate(lamp, 0, false);
  t.equal(
    tree.get(bare).children?.size,
    tree.get(lamp).children?.size,
    'a module creates its variables itself',
  );
});

t.test('a failed copy leaves nothing behind', async (t) => {
  const { desk: fixture, directory, duplicate, top } = await bench(t, new Random(2));
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
