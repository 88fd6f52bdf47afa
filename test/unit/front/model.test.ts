import { effect } from '@preact/signals';
import t from 'tap';
import { formatVariable } from '../../../src/front/web/format.js';
import {
  PROFILE,
  PROFILE_CREATE,
  PROFILE_DELETE,
  PROFILE_TEXT,
} from '../../../src/front/web/message-numbers.js';
import { Model, type TreeNode } from '../../../src/front/web/model.js';
import type { ObjectEntry, Snapshot } from '../../../src/front/web/objects.js';

const entry = (changes: Partial<ObjectEntry>): ObjectEntry => ({
  position: 0,
  ident: '',
  hidden: false,
  disabled: false,
  type: 2,
  name: 'Lamp',
  info: '',
  icon: '',
  parentID: 10001,
  summary: '',
  data: { type: 0, value: false, lastUpdate: 5, lastChange: 4 },
  ...changes,
});

const snapshot = (objects: Record<string, ObjectEntry>): Snapshot => ({
  timestamp: 100,
  timezone: 'Europe/Berlin',
  server: { date: 1000, version: '1' },
  archive: { ID20001: {} },
  area: { configurator: 1, base: 10001, title: 'Home' },
  profiles: {},
  objects,
});

const room = entry({ type: 0, name: 'Room', parentID: 0, data: {} });

/** A model with a room and two lamps. */
function createModel(): Model {
  const model = new Model();
  model.replace(snapshot({ ID10001: room, ID20002: entry({ name: 'B' }), ID20001: entry({ name: 'A' }) }));
  return model;
}

const change = (SenderID: number, Message: number, Data: unknown[]) => ({
  TimeStamp: 101,
  SenderID,
  Message,
  Data,
});

t.test('siblings are ordered by position, then as in the snapshot', async (t) => {
  const model = createModel();
  const names = () => model.children(10001).map((node) => node.entry.value.name);
  t.strictSame(names(), ['B', 'A']);
  model.apply([change(20002, 10408, [1])]);
  t.strictSame(names(), ['A', 'B']);
});

t.test('an update changes the value, and the time of the change only with another value', async (t) => {
  const model = createModel();
  const node = model.find(20001);
  model.apply([change(20001, 10603, [true, true, false, 9, 0, 9])]);
  t.strictSame([node?.value.value, node?.updated.value, node?.changed.value], [true, 9, 9]);
  model.apply([change(20001, 10603, [true, false, true, 12, 0, 9])]);
  t.strictSame([node?.value.value, node?.updated.value, node?.changed.value], [true, 12, 9]);
});

t.test('the changes of a frame are seen together', async (t) => {
  const model = createModel();
  const seen: unknown[] = [];
  const stop = effect(() => void seen.push([model.find(20001)?.value.value, model.find(20002)?.value.value]));
  const on = [true, true, false, 9, 0, 9];
  model.apply([change(20001, 10603, on), change(20002, 10603, on)]);
  stop();
  t.strictSame(seen, [
    [false, false],
    [true, true],
  ]);
});

t.test('quality, rule and pending come and go', async (t) => {
  const model = createModel();
  const node = model.find(20001);
  model.apply([
    change(20001, 20400, [2, 'UNREACHABLE', 'the chip is gone']),
    change(20001, 20401, ['MIN_ON', 5000, '']),
    change(20001, 20402, [false, 6000, 'MAX_ON']),
  ]);
  t.match(node?.state.value, {
    quality: { state: 2, reason: 'UNREACHABLE' },
    rule: { code: 'MIN_ON', untilMs: 5000 },
    pending: { value: false, atMs: 6000, code: 'MAX_ON' },
  });
  model.apply([
    change(20001, 20400, [0, '', '']),
    change(20001, 20401, ['', 0, '']),
    change(20001, 20402, [false, 0, '']),
  ]);
  t.strictSame(node?.state.value, { quality: undefined, rule: undefined, pending: undefined });
});

t.test('a variable that is recorded from now on has a history', async (t) => {
  const model = createModel();
  const seen: boolean[] = [];
  const stop = effect(() => {
    seen.push(model.logged.value.has(20002));
  });
  model.apply([change(20002, 20409, [true])]);
  model.apply([change(20002, 20409, [false])]);
  stop();
  t.strictSame(seen, [false, true, false]);
});

t.test('objects come, are named and go', async (t) => {
  const model = createModel();
  model.apply([
    change(30001, 10401, [2]),
    change(30001, 10403, [10001]),
    change(30001, 10404, ['New']),
    change(30001, 10601, [3]),
  ]);
  t.match(model.find(30001)?.entry.value.data, { role: 'main', type: 3 }, 'as in a snapshot');
  model.apply([change(30001, 20406, ['detail'])]);
  t.match(model.find(30001)?.entry.value, {
    name: 'New',
    parentID: 10001,
    data: { role: 'detail', type: 3 },
  });
  t.equal(model.find(30001)?.value.value, '');
  model.apply([change(30001, 10402, [])]);
  t.equal(model.find(30001), undefined);
  t.equal(model.children(10001).length, 2);
});

t.test('another snapshot keeps the objects that still exist', async (t) => {
  const model = createModel();
  const node = model.find(20001);
  model.replace(snapshot({ ID10001: room, ID20001: entry({ name: 'A', data: { type: 0, value: true } }) }));
  t.equal(model.find(20001), node);
  t.equal(node?.value.value, true);
  t.equal(model.find(20002), undefined);
  t.ok(model.logged.value.has(20001));
});

t.test('a profile that was deleted is none, whatever its name is', async (t) => {
  for (const name of ['Mode', 'constructor', 'toString', '__proto__']) {
    const model = createModel();
    const node = model.find(20001) as TreeNode;
    const shown = () => formatVariable(model, node, 'a text');
    model.apply([change(20001, 10601, [3]), change(20001, PROFILE, [name, ''])]);
    t.equal(node.profileName, name);
    t.equal(model.profileOf(node), undefined, `${name}: not created yet`);
    t.equal(shown(), 'a text');
    model.apply([change(0, PROFILE_TEXT, [name, '<', '>'])]);
    t.equal(model.profileOf(node), undefined, `${name}: changed only where it exists`);
    model.apply([change(0, PROFILE_CREATE, [name, 3]), change(0, PROFILE_TEXT, [name, '<', '>'])]);
    t.match(model.profileOf(node), { type: 3, prefix: '<', suffix: '>' });
    t.equal(shown(), '<a text>');
    model.apply([change(0, PROFILE_DELETE, [name])]);
    t.equal(model.profileOf(node), undefined, `${name}: deleted`);
    t.equal(shown(), 'a text');
  }
});
