import t from 'tap';
import { parseDiscoveryTopic } from '../../../../drivers/mqtt/discovery/announcement.js';
import { buildDevice, declareDevice } from '../../../../drivers/mqtt/discovery/device-model.js';
import { packRecord, unpackRecord } from '../../../../drivers/mqtt/discovery/device-record.js';
import { DeviceRegistry } from '../../../../drivers/mqtt/discovery/device-registry.js';

const DEVICE = { ids: ['d1'], cns: [['mac', 'AA:BB:CC:00:11:22']], name: 'Lamp' };

class Announcements {
  readonly registry = new DeviceRegistry();

  announce(path: string, payload: object | string): string[] {
    const topic = `homeassistant/${path}/config`;
    const parts = parseDiscoveryTopic('homeassistant', topic);
    if (parts === undefined) throw new Error(`${topic} is no discovery topic`);
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    this.registry.announce(topic, parts, text);
    return [...this.registry.takeChanged()];
  }

  /** The unique ids of the entities of a device. */
  entities(id: string): string[] | undefined {
    return this.registry.record(id)?.entities.map((one) => one.id);
  }
}

const sensor = (id: string, more: object = {}) => ({ uniq_id: id, stat_t: 's', dev: DEVICE, ...more });

t.test('entities that share a key are of one device', async (t) => {
  const all = new Announcements();
  t.strictSame(all.announce('sensor/d1/a', sensor('a')), ['id d1']);
  all.announce('sensor/d1/b', sensor('b', { dev: { cns: [['mac', 'aabbcc001122']] } }));
  t.strictSame(all.entities('id d1'), ['a', 'b'], 'addresses are compared without separators');
  all.announce('sensor/other', { uniq_id: 'c', stat_t: 's' });
  t.strictSame([...all.registry.ids()], ['id d1', 'entity other']);
  t.match(all.registry.record('id d1'), { name: 'Lamp', keys: ['id d1', 'mac aabbcc001122'] });
});

t.test('an announcement that is repeated changes nothing', async (t) => {
  const all = new Announcements();
  all.announce('sensor/d1/a', sensor('a'));
  t.strictSame(all.announce('sensor/d1/a', sensor('a')), []);
  t.strictSame(all.announce('sensor/d1/a', sensor('a', { name: 'New' })), ['id d1']);
});

t.test('an empty payload removes what its topic announced', async (t) => {
  const all = new Announcements();
  all.announce('sensor/d1/a', sensor('a'));
  all.announce('sensor/d1/b', sensor('b'));
  t.strictSame(all.announce('sensor/d1/a', ''), ['id d1']);
  t.strictSame(all.entities('id d1'), ['b']);
  t.strictSame(all.announce('sensor/d1/b', ''), ['id d1']);
  t.equal(all.registry.record('id d1'), undefined);
  t.strictSame(all.announce('sensor/d1/b', ''), []);
});

t.test('another unique id at a topic replaces the entity', async (t) => {
  const all = new Announcements();
  all.announce('sensor/d1/a', sensor('a'));
  all.announce('sensor/d1/a', sensor('z'));
  t.strictSame(all.entities('id d1'), ['z']);
});

const components = (more: object) => ({
  dev: DEVICE,
  o: { name: 'maker' },
  '~': 'base',
  stat_t: '~/state',
  cmps: { one: { p: 'sensor', uniq_id: 'a', val_tpl: '{{ value_json.a }}' }, ...more },
});

t.test('a device payload shares options, and removes components that have only a platform', async (t) => {
  const all = new Announcements();
  all.announce('device/d1', components({ two: { p: 'switch', uniq_id: 'b', cmd_t: 'c/~' } }));
  const settings = all.registry.record('id d1')?.entities.map((one) => one.settings);
  t.match(settings, [{ state_topic: 'base/state' }, { state_topic: 'base/state', command_topic: 'c/base' }]);
  all.announce('device/d1', components({}));
  t.strictSame(all.entities('id d1'), ['a', 'b'], 'a component that is left out stays');
  all.announce('device/d1', components({ two: { p: 'switch' } }));
  t.strictSame(all.entities('id d1'), ['a']);
  all.announce('device/d1', '');
  t.equal(all.registry.record('id d1'), undefined);
});

t.test('entities migrate to a device payload and back', async (t) => {
  const all = new Announcements();
  all.announce('sensor/d1/one', sensor('a'));
  t.strictSame(all.announce('sensor/d1/one', { migrate_discovery: true }), []);
  t.strictSame(all.entities('id d1'), ['a'], 'nothing is forgotten');
  all.announce('device/d1', components({}));
  t.strictSame(all.announce('sensor/d1/one', ''), [], 'the entity belongs to another topic');
  t.strictSame(all.entities('id d1'), ['a']);
  all.announce('device/d1', { migrate_discovery: true });
  all.announce('sensor/d1/one', sensor('a'));
  all.announce('device/d1', '');
  t.strictSame(all.entities('id d1'), ['a']);
});

t.test('invalid announcements change nothing and say why', async (t) => {
  const all = new Announcements();
  for (const payload of ['no', '[]', '{"dev":{}}', '1', `{"a":"${'x'.repeat(600_000)}"}`])
    t.throws(() => all.announce('sensor/d1/a', payload), { name: 'InvalidAnnouncement' });
  t.throws(() => all.announce('device/d1', { dev: DEVICE }), {
    message: 'a device payload needs components',
  });
  t.strictSame([...all.registry.ids()], []);
});

t.test('the nesting of an announcement is limited', async (t) => {
  const all = new Announcements();
  const payload = (levels: number) =>
    JSON.stringify(sensor('a', { other: null })).replace('null', '['.repeat(levels) + ']'.repeat(levels));
  for (const levels of [100, 100_000])
    t.throws(() => all.announce('sensor/d1/a', payload(levels)), { name: 'InvalidAnnouncement' });
  t.strictSame([...all.registry.ids()], []);
  all.announce(
    'sensor/d1/a',
    payload(10).replace('"a"', () => JSON.stringify(`${'['.repeat(100)}"{\\`)),
  );
  t.equal(all.entities('id d1')?.length, 1, 'brackets in a text are no levels');
});

t.test('a device without entities does not exist', async (t) => {
  const all = new Announcements();
  for (const cmps of [{}, { one: { p: 'sensor' } }, { one: 'no object' }])
    all.announce('device/d1', { dev: DEVICE, o: { name: 'maker' }, cmps });
  t.strictSame([...all.registry.ids()], []);
  t.equal(all.registry.find(['id d1']), undefined);
  all.announce('device/d1', components({}));
  const record = all.registry.record('id d1');
  if (record === undefined) throw new Error('there is no record');
  all.registry.restore({ ...record, keys: ['id other'] });
  t.strictSame([...all.registry.ids()], ['id d1'], 'its entities are those of another device');
  all.announce('device/d1', components({ one: { p: 'sensor' } }));
  t.strictSame([...all.registry.ids()], []);
});

t.test('an announcement with too many entities changes nothing', async (t) => {
  const all = new Announcements();
  const many = Object.fromEntries(
    Array.from({ length: 501 }, (_, at) => [`c${at}`, { p: 'sensor', uniq_id: `c${at}`, stat_t: 's' }]),
  );
  const announceMany = () => all.announce('device/d1', components(many));
  t.throws(announceMany, { name: 'InvalidAnnouncement' });
  t.strictSame([...all.registry.ids()], []);
  all.announce('device/d1', components({}));
  t.throws(announceMany, { name: 'InvalidAnnouncement' });
  t.strictSame(all.entities('id d1'), ['a']);
});

t.test('a device has a limit of entities', async (t) => {
  const all = new Announcements();
  for (let at = 0; at < 500; at += 1) all.announce(`sensor/d1/e${at}`, sensor(`e${at}`));
  t.throws(() => all.announce('sensor/d1/more', sensor('more')), { name: 'InvalidAnnouncement' });
  t.equal(all.entities('id d1')?.length, 500);
});

t.test('topics and keys are limited', async (t) => {
  const all = new Announcements();
  const rejected = { name: 'InvalidAnnouncement' };
  t.throws(() => all.announce(`sensor/d1/${'x'.repeat(1000)}`, sensor('a')), rejected);
  t.throws(() => all.announce(`sensor/d1/${'x'.repeat(1000)}`, ''), rejected);
  t.throws(() => all.announce('sensor/d1/a', sensor('a', { dev: { ids: ['x'.repeat(1000)] } })), rejected);
  const identifiers = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `k${from + n}`);
  t.throws(() => all.announce('sensor/d1/a', sensor('a', { dev: { ids: identifiers(0, 65) } })), rejected);
  t.strictSame([...all.registry.ids()], []);
  all.announce('sensor/k/a', sensor('k', { dev: { ids: identifiers(0, 64) } }));
  all.announce('sensor/k/a', sensor('k', { dev: { ids: ['k0', ...identifiers(64, 63)] } }));
  t.equal(all.registry.record('id k0')?.keys.length, 64, 'further keys are not added to a device');
  for (const n of identifiers(0, 10)) all.announce(`device/${n}`, { dev: { ids: ['none'] }, cmps: {} });
  for (let n = 1; n < 40_000; n++) all.announce(`sensor/d1/t${n}`, sensor('a'));
  t.throws(() => all.announce('sensor/d1/t40000', sensor('a')), {
    ...rejected,
    message: 'there are more than 40000 topics',
  });
  t.strictSame(all.announce('sensor/d1/t1', sensor('a', { name: 'New' })), ['id d1'], 'a known topic');
  all.announce('sensor/d1/t1', '');
  all.announce('sensor/d1/t40000', sensor('a'));
});

t.test('a record is stored as text, independent of the order of announcements', async (t) => {
  const [first, second] = [new Announcements(), new Announcements()];
  first.announce('sensor/d1/a', sensor('a'));
  first.announce('switch/d1/b', sensor('b', { cmd_t: 'c' }));
  second.announce('switch/d1/b', sensor('b', { cmd_t: 'c' }));
  second.announce('sensor/d1/a', sensor('a'));
  const [one, other] = [first.registry.record('id d1'), second.registry.record('id d1')];
  if (one === undefined || other === undefined) throw new Error('there is no record');
  const text = packRecord(one);
  t.equal(text, packRecord(other));
  const unpacked = unpackRecord(text);
  if (unpacked === undefined) throw new Error('the text is no record');
  t.equal(packRecord(unpacked), text);
  const declared = declareDevice(buildDevice(unpacked));
  t.match(declared, [{ ident: 'sensor_a' }, { ident: 'switch_b', action: true }]);
  for (const bad of ['', '{}', '{"keys":["x"],"entities":[{}]}', '{"keys":[],"entities":[]}'])
    t.equal(unpackRecord(bad), undefined, bad);
});

t.test('what an instance stored is completed by what is announced', async (t) => {
  const before = new Announcements();
  before.announce('sensor/d1/a', sensor('a'));
  before.announce('sensor/d1/b', sensor('b'));
  const record = before.registry.record('id d1');
  if (record === undefined) throw new Error('there is no record');
  const all = new Announcements();
  all.announce('sensor/d1/b', sensor('b', { name: 'New', dev: { ...DEVICE, sw: '2' } }));
  all.registry.restore({ ...record, software: '1', model: 'M' });
  t.match(all.registry.record('id d1'), { software: '2', model: 'M' }, 'what is announced is newer');
  t.strictSame(all.entities('id d1'), ['b', 'a']);
  t.match(all.registry.record('id d1')?.entities[0], { settings: { name: 'New' } });
  t.strictSame(all.announce('sensor/d1/a', ''), ['id d1'], 'its topics are known');
  t.strictSame(all.entities('id d1'), ['b']);
});

t.test('what was removed since is not restored, unless it is announced again', async (t) => {
  const all = new Announcements();
  all.announce('sensor/d1/a', sensor('a'));
  all.announce('sensor/d1/b', sensor('b'));
  const record = all.registry.record('id d1');
  if (record === undefined) throw new Error('there is no record');
  all.announce('sensor/d1/a', '');
  all.announce('sensor/d1/b', '');
  all.registry.restore(record);
  t.strictSame([...all.registry.ids()], []);
  all.announce('sensor/d1/b', sensor('b'));
  all.registry.restore(record);
  t.strictSame(all.entities('id d1'), ['b']);
});

t.test('idents are unique and stable', async (t) => {
  const all = new Announcements();
  for (const id of ['a-b', 'a_b', 'a b', 'a__b'])
    all.announce(`sensor/d1/x${id.length}${id.charCodeAt(1)}`, sensor(id));
  const record = all.registry.record('id d1');
  const idents = record === undefined ? [] : declareDevice(buildDevice(record)).map(({ ident }) => ident);
  t.strictSame(
    idents.sort(),
    ['sensor_a__b_63e5c1c4', 'sensor_a_b', 'sensor_a_b_d44362d6', 'sensor_a_b_c8687a08'].sort(),
  );
});

t.test('the code of an alarm panel is not stored', async (t) => {
  const all = new Announcements();
  all.announce('alarm_control_panel/d1/a', sensor('a', { cmd_t: 'c', code: '4711' }));
  const record = all.registry.record('id d1');
  t.match(record, { entities: [{ settings: { code: '***' } }] });
  t.notMatch(record === undefined ? '4711' : packRecord(record), /4711/);
});
