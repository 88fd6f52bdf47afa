import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { variableRoles } from '../../../src/base/codes/stable-codes.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { Area } from '../../../src/kernel/area.js';
import { convertValue, settableValue } from '../../../src/kernel/convert.js';
import { formatValue } from '../../../src/kernel/profiles/format-value.js';
import { Changes } from '../../../src/kernel/changes.js';
import { SnapshotReader } from '../../../src/kernel/snapshot.js';
import type { TreeObject } from '../../../src/kernel/object.js';
import { Replica, snapshotOf, type Frame } from '../../tools/client/replica.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

function fresh(seed = 1): Kernel {
  const random = new Random(seed);
  return new Kernel({ counter: 1000, random: () => random.next() });
}

function frames(kernel: Kernel, since: number): Frame[] {
  return kernel.changes.since(since).map((change) => JSON.parse(change.frame) as Frame);
}

t.test('a new object is published in the documented order, with differences from the defaults', async (t) => {
  const kernel = fresh();
  const parent = kernel.tree.create(0, {}, { name: 'House', ident: 'house' });
  const before = kernel.changes.counter;
  const variable = kernel.variables.create(2, {
    parent,
    name: 'Setpoint',
    ident: 'setpoint',
    profile: '~Temperature',
    position: 3,
  });
  t.same(
    frames(kernel, before).map(({ SenderID, Message, Data }) => [SenderID, Message, Data]),
    [
      [variable.id, messageNumber.OM_REGISTER, [2]],
      [variable.id, messageNumber.VM_CREATE, [2]],
      [variable.id, messageNumber.OM_CHANGENAME, ['Setpoint']],
      [variable.id, messageNumber.OM_CHANGEIDENT, ['setpoint']],
      [variable.id, messageNumber.OM_CHANGEPOSITION, [3]],
      [variable.id, messageNumber.VM_CHANGEPROFILENAME, ['', '~Temperature']],
      [variable.id, messageNumber.OM_CHANGEPARENT, [parent.id]],
      [parent.id, messageNumber.OM_CHILDADDED, [variable.id]],
    ],
  );
  const deleting = kernel.changes.counter;
  kernel.tree.delete(variable);
  t.same(
    frames(kernel, deleting).map(({ SenderID, Message }) => [SenderID, Message]),
    [
      [parent.id, messageNumber.OM_CHILDREMOVED],
      [variable.id, messageNumber.VM_DELETE],
      [variable.id, messageNumber.OM_UNREGISTER],
    ],
  );
});

t.test('a change that a listener emits reaches all others after the one it follows', (t) => {
  const changes = new Changes(0);
  const seen: number[][] = [[], []];
  changes.listen(({ TimeStamp }) => {
    seen[0]?.push(TimeStamp);
    if (TimeStamp <= 2) changes.emit(0, 1, []);
  });
  changes.listen(({ TimeStamp }) => seen[1]?.push(TimeStamp));
  changes.emit(0, 1, []);
  t.strictSame(seen, [
    [1, 2, 3],
    [1, 2, 3],
  ]);
  changes.emit(0, 1, []);
  t.equal(seen[1]?.at(-1), 4);
  t.end();
});

t.test('rules of idents, names, positions and deletion', async (t) => {
  const { tree, variables } = fresh();
  const gateway = tree.create(0, {}, { name: 'House', ident: 'house' });
  const hall = tree.create(0, {}, { name: 'Hall', ident: '1_hall', parent: gateway });
  const lamp = variables.create(0, { parent: hall, name: 'Lamp' });
  t.throws(() => tree.create(0, {}, { ident: 'house' }), { code: 'IDENT_TAKEN' });
  t.throws(() => tree.set(lamp, 'ident', 'a b'), { code: 'IDENT_INVALID' });
  t.throws(() => tree.delete(hall), { code: 'HAS_CHILDREN' });
  t.throws(() => tree.delete(tree.root), { code: 'ROOT_FIXED' });
  t.throws(() => tree.set(tree.root, 'name', 'x'), { code: 'ROOT_FIXED' });
  t.throws(() => tree.move(gateway, hall), { code: 'PARENT_LOOP' });
  t.throws(() => tree.move(gateway, gateway), { code: 'PARENT_LOOP' });
  t.equal(tree.location(lamp), 'House\\Hall\\Lamp');
  tree.set(lamp, 'name', '');
  t.equal(lamp.displayName, `Unnamed Object (ID: ${lamp.id})`);
  tree.set(lamp, 'ident', 'lamp');
  tree.set(lamp, 'ident', '');
  t.equal(hall.children?.byIdent('lamp'), undefined);
  t.same([...(hall.children?.byName(lamp.displayName) ?? [])], [lamp]);
  tree.move(lamp, gateway);
  t.same([...(hall.children?.byName(lamp.displayName) ?? [])], []);
  t.same(gateway.children?.sorted(), [hall, lamp]);
  tree.set(lamp, 'position', -1);
  t.same(gateway.children?.sorted(), [lamp, hall]);
  tree.delete(hall);
  const { size } = tree;
  t.throws(() => tree.create(0, {}, { parent: hall }), { code: 'OBJECT_MISSING' });
  t.throws(() => tree.move(lamp, hall), { code: 'OBJECT_MISSING' });
  t.equal(tree.size, size);
  t.equal(lamp.parent, gateway);
});

t.test('every write sets Updated, another value also sets Changed, and neither ever decreases', async (t) => {
  const { variables, changes } = fresh();
  const variable = variables.create(1);
  variables.update(variable, 7, 1_000_000);
  variables.update(variable, 7, 2_000_000);
  t.match(variable.data, { value: 7, updated: 2000, changed: 1000 });
  variables.update(variable, 8, 1_500_000);
  t.match(variable.data, { value: 8, updated: 2000, changed: 2000 });
  t.same(changes.since(changes.counter - 1)[0]?.Data, [8, true, 7, 2000, 2000, 1000]);
  t.throws(() => variables.update(variable, 1.5, 0), { code: 'VARIABLE_TYPE' });
  t.throws(() => variables.update(variable, 'x', 0), { code: 'VARIABLE_TYPE' });
});

t.test('values are converted unambiguously', async (t) => {
  for (const [type, given, value] of [
    [1, 23.5, 24],
    [1, -23.5, -24],
    [1, '3.0', 3],
    [1, true, 1],
    [1, -0.2, 0],
    [2, '1e3', 1000],
    [2, ' 20.5 ', 20.5],
    [0, 'false', false],
    [0, 'TRUE', true],
    [0, 1, true],
    [3, 20.5, '20.5'],
    [3, false, 'false'],
  ] as const) {
    t.equal(convertValue(type, given), value, `${JSON.stringify(given)} for type ${type}`);
  }
  for (const [type, given] of [
    [1, '0x10'],
    [1, 'abc'],
    [1, ''],
    [1, []],
    [1, {}],
    [1, 2 ** 53],
    [1, '9007199254740993'],
    [1, NaN],
    [2, Infinity],
    [2, 'NaN'],
    [2, '1e999'],
    [0, 2],
    [0, 'yes'],
    [0, ''],
    [0, 'constructor'],
    [3, ['x']],
    [3, undefined],
    [0, null],
    [1, null],
    [3, null],
  ] as const) {
    t.throws(
      () => convertValue(type, given),
      { code: 'CANNOT_CONVERT', rpc: -32602 },
      `${String(given)} for type ${type}`,
    );
  }
  t.strictSame(
    ([0, 1, 2, 3] as const).map((type) => settableValue(type, null)),
    [false, 0, 0, ''],
  );
  t.throws(() => convertValue(3, 'x'.repeat(1024 * 1024)), { code: 'TEXT_TOO_LONG' });
  t.throws(() => convertValue(3, '€'.repeat(350_000)), { code: 'TEXT_TOO_LONG' });
  t.equal(String(convertValue(3, 'x'.repeat(1024 * 1024 - 1))).length, 1024 * 1024 - 1);
});

t.test('values are formatted by their profiles (§5)', async (t) => {
  const { profiles } = fresh();
  const show = (value: boolean | number | string, type: 0 | 1 | 2 | 3, name: string) =>
    formatValue(value, { type, profile: name }, profiles);
  profiles.create('Level', 1);
  profiles.setText('Level', '', ' %');
  profiles.setValues('Level', { min: 0, max: 255, step: 1 });
  profiles.create('Wind', 2);
  profiles.setDigits('Wind', 1);
  profiles.setAssociation('Wind', { value: 5, name: 'breeze %.1f', icon: '', color: -1 });
  profiles.setAssociation('Wind', { value: 0, name: 'calm', icon: '', color: -1 });
  profiles.create('Word', 3);
  profiles.setText('Word', '<', '>');
  profiles.setAssociation('Word', { value: 'b', name: 'second', icon: '', color: -1 });
  profiles.setAssociation('Word', { value: 'a', name: 'first', icon: '', color: -1 });
  t.equal(show(21.456, 2, '~Temperature'), '21.5 °C');
  t.equal(show(20, 2, ''), '20');
  t.equal(show(-0.04, 2, '~Temperature'), '0.0 °C');
  t.equal(show(true, 0, '~Switch'), 'On');
  t.equal(show(128, 1, 'Level'), '50 %');
  t.equal(show(4.94, 2, 'Wind'), 'calm');
  t.equal(show(4.96, 2, 'Wind'), 'breeze 5.0');
  t.equal(show(-1, 2, 'Wind'), '-');
  t.equal(show('a', 3, 'Word'), '<first>');
  t.equal(show('c', 3, 'Word'), '-');
  t.equal(show(1, 1, 'constructor'), 'Invalid profile');
  t.equal(show(1, 1, 'Wind'), 'Invalid profile type');
  t.equal(show(255, 1, '~HexColor'), '');
  t.match(show(0, 1, '~UnixTimestamp'), /^\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d$/);
  for (const name of ['~UnixTimestamp', '~UnixTimestampDate', '~UnixTimestampTime'])
    t.equal(show(2 ** 53 - 1, 1, name), '-');
  t.throws(() => profiles.setAssociation('Word', { value: 'x', name: '', icon: '', color: -1 }), {
    code: 'ASSOCIATION_MISSING',
  });
  t.throws(() => profiles.create('Word', 1), { code: 'PROFILE_EXISTS' });
  t.throws(() => profiles.create('~Own', 1), { code: 'PROFILE_NAME' });
  t.throws(() => profiles.setDigits('~Switch', 1), { code: 'PROFILE_BUILT_IN' });
});

t.test('the change buffer keeps the newest within both limits and reports what is lost', async (t) => {
  const changes = new Changes(10, { messages: 100, bytes: 50_000 });
  for (let i = 0; i < 250; i++) changes.emit(1, messageNumber.VM_UPDATE, [i]);
  t.equal(changes.buffered.messages, 100);
  t.same(
    changes.since(258).map((c) => c.TimeStamp),
    [259, 260],
  );
  t.same(changes.since(260), []);
  t.equal(changes.since(160).length, 100);
  t.throws(() => changes.since(159), { code: 'CHANGES_LOST' });
  t.throws(() => changes.since(261), { code: 'CHANGES_LOST' });
  for (let i = 0; i < 20; i++) changes.emit(1, messageNumber.VM_UPDATE, ['x'.repeat(1000)]);
  t.ok(changes.buffered.bytes <= 50_000);
  t.ok(changes.buffered.messages < 20);
  t.throws(() => changes.since(262), { code: 'CHANGES_LOST' });
});

t.test('a snapshot read in slices is the tree at the time it was begun', async (t) => {
  const kernel = fresh();
  const { tree, variables } = kernel;
  const all = Array.from({ length: 30 }, (_, i) => variables.create(1, { name: `V${i}` }));
  const before = snapshotOf(kernel);
  const reader = new SnapshotReader(tree);
  const parts = [reader.read(5)];
  for (const variable of all) variables.update(variable, 5, 5000);
  tree.delete(all[20] as TreeObject);
  tree.set(all[21] as TreeObject, 'name', 'other');
  variables.create(1);
  for (let part = reader.read(5); part !== undefined; part = reader.read(5)) parts.push(part);
  t.same(JSON.parse(`{${parts.join(',')}}`), before);
  t.notSame(snapshotOf(kernel), before);
});

t.test('the snapshot and the changes after it give the next snapshot, whatever happens', async (t) => {
  const seed = fuzzSeed();
  t.comment(seedLabel(seed));
  const random = new Random(seed);
  const kernel = fresh(seed);
  const { tree, variables, instances, links, scripts } = kernel;
  const any = () => random.pick([...tree.all()]);
  const anyVariable = () => random.pick([...tree.objectsOfType(2)]);
  const word = () => random.pick(['', 'a', 'b', 'c', 'Ö_"x', '\u2028']);
  const steps: (() => void)[] = [
    () => void tree.create(0, {}, { parent: any(), name: word(), hidden: random.chance(0.5) }),
    () =>
      void variables.create(random.pick([0, 1, 2, 3]), {
        parent: any(),
        name: word(),
        ident: random.pick(['', 'x', 'y']),
      }),
    () => void links.create({ parent: any() }, any().id),
    () => void scripts.create(0, { parent: any() }),
    () => void instances.create({ id: '{A}', name: 'M', kind: 3 }, {}, { parent: any(), nowMs: 1e6 }),
    () => tree.delete(any()),
    () => tree.move(any(), any()),
    () => tree.set(any(), 'name', word()),
    () => tree.set(any(), 'position', random.below(5)),
    () => tree.set(any(), 'info', word()),
    () => tree.set(any(), 'ident', random.pick(['', 'x', 'y'])),
    () =>
      variables.update(
        random.pick([...tree.objectsOfType(2)]),
        random.pick([true, 1, 2.5, 'x']),
        random.next() * 1e9,
      ),
    () =>
      variables.setCustomProfile(
        random.pick([...tree.objectsOfType(2)]),
        random.pick(['', '~Switch', '~Temperature']),
      ),
    () => variables.setCustomAction(random.pick([...tree.objectsOfType(2)]), random.pick([0, 1])),
    () => variables.setRole(anyVariable(), random.pick(variableRoles)),
    () =>
      variables.setRule(
        anyVariable(),
        random.pick([
          undefined,
          { code: 'MIN_ON', untilMs: random.below(3), group: '' },
          { code: 'INTERLOCK', untilMs: 0, group: word() },
        ]),
      ),
    () =>
      variables.setPending(
        anyVariable(),
        random.pick([undefined, { value: random.below(2), atMs: random.below(3), code: 'MAX_ON' }]),
      ),
    () => links.setTarget(random.pick([...tree.objectsOfType(6)]), any().id),
    () => instances.setStatus(random.pick([...tree.objectsOfType(1)]), random.pick([102, 201])),
    () => instances.connect(random.pick([...tree.objectsOfType(1)]), random.pick([0, 12345])),
  ];
  // tap's own comparison takes a hundred times as long; it shows the difference if there is one.
  const check = (own: unknown, real: unknown) => isDeepStrictEqual(own, real) || t.same(own, real);
  const replica = new Replica(snapshotOf(kernel));
  let counter = kernel.changes.counter;
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < 10; i++) {
      try {
        random.pick(steps)();
      } catch (thrown) {
        // Rejected, or no object of that type yet: then nothing may have changed, which the comparison
        // shows.
        if (!(thrown instanceof Error) || !(thrown.name === 'Fault' || thrown instanceof TypeError))
          throw thrown;
      }
    }
    for (const frame of frames(kernel, counter)) replica.apply(frame);
    counter = kernel.changes.counter;
    const snapshot = snapshotOf(kernel);
    check(Object.fromEntries([...replica.objects].map(([id, entry]) => [`ID${id}`, entry])), snapshot);
    const sorted = (ids: Iterable<number>) => [...ids].sort((a, b) => a - b);
    const kept = [...tree.all()].map(({ id }) => [id, sorted(replica.children.get(id) ?? [])]);
    const real = [...tree.all()].map(({ id, children }) => [
      id,
      sorted([...(children ?? [])].map((child) => child.id)),
    ]);
    check(kept, real);
    if (!t.passing()) break;
  }
  t.ok(counter > 2000, `${counter} messages`);
});

t.test(
  'an area has its base, everything below it, link targets, and the path to it by name only',
  async (t) => {
    const kernel = fresh();
    const { tree, variables, links } = kernel;
    const gateway = tree.create(0, {}, { name: 'House', info: 'secret' });
    const floor = tree.create(0, {}, { name: 'Floor', parent: gateway });
    const lamp = variables.create(0, { name: 'Lamp', parent: floor });
    const cellar = tree.create(0, {}, { name: 'Cellar', parent: gateway });
    const boiler = variables.create(2, { name: 'Boiler', parent: cellar, profile: '~Temperature' });
    const below = variables.create(3, { name: 'Below', parent: boiler });
    const link = links.create({ parent: floor }, boiler.id);
    const area = new Area(tree, floor.id);
    const snapshot = snapshotOf(kernel, area.objects());
    t.same(
      Object.keys(snapshot)
        .map((key) => snapshot[key]?.name)
        .sort(),
      ['Boiler', 'Cellar', 'Floor', 'House', 'Lamp', link.displayName, 'stellwerk'].sort(),
    );
    t.equal(snapshot[`ID${gateway.id}`]?.info, '');
    for (const entry of Object.values(snapshot))
      t.ok(snapshot[`ID${entry.parentID}`], 'every parent is there');
    t.ok(area.contains(lamp.id) && area.contains(boiler.id) && area.contains(floor.id));
    t.notOk(
      area.contains(below.id) || area.contains(cellar.id) || area.contains(gateway.id) || area.contains(0),
    );
    t.same([...area.profiles()], ['~Temperature']);
    const admitted: number[] = [];
    kernel.changes.listen((change) => void (area.admits(change) && admitted.push(change.Message)));
    variables.update(boiler, 60, 1000);
    variables.update(below, 'x', 1000);
    tree.set(cellar, 'name', 'Basement');
    tree.set(gateway, 'name', 'Home');
    t.same(admitted, [messageNumber.VM_UPDATE]);
    links.setTarget(link, 0);
    variables.update(boiler, 61, 1000);
    t.notOk(area.contains(boiler.id));
  },
);
