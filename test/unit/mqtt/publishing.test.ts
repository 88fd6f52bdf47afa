/** What the gateway announces is what its own discovery reads. */
import t, { type Test } from 'tap';
import { readAnnouncement } from '../../../drivers/mqtt/discovery/announcement.js';
import { buildDevice } from '../../../drivers/mqtt/discovery/device-model.js';
import { DeviceRegistry } from '../../../drivers/mqtt/discovery/device-registry.js';
import { deviceOf } from '../../../drivers/mqtt/publishing/announcement.js';
import { variableType } from '../../../src/device/module.js';
import type { TreeGroup, TreeVariable } from '../../../src/device/tree-view.js';
import { emptyProfile } from '../../../src/kernel/profiles/profile-data.js';

const NAMES = { node: 'stellwerk_1', prefix: 'homeassistant', topic: 'stellwerk', connection: undefined };

const variable = (ident: string, given: Partial<TreeVariable> = {}): TreeVariable => ({
  id: 20_000 + ident.length,
  parentId: 10_000,
  ident,
  path: `thing/${ident}`,
  name: ident.toLowerCase(),
  type: variableType.float,
  role: 'main',
  profile: undefined,
  hasAction: false,
  isCounter: false,
  ...given,
});

function published(t: Test, module: string, ...variables: TreeVariable[]) {
  const group: TreeGroup = { id: 10_000, path: 'thing', name: 'Thing', module, variables };
  const device = deviceOf(group, NAMES);
  const topic = { component: 'device', id: 'stellwerk_1_10000' };
  t.doesNotThrow(() => readAnnouncement(topic, device.payload));
  const registry = new DeviceRegistry();
  t.strictSame(registry.announce(device.topic, topic, device.payload) ?? [], []);
  const [id] = [...registry.ids()];
  const record = registry.record(id ?? '');
  t.ok(record);
  const model = buildDevice(record!);
  t.strictSame(model.problems, []);
  t.equal(model.entities.length, device.entities.length, 'every entity is read');
  const settings = device.entities.map((one) => one.settings);
  return { device, model, settings };
}

const profile = (type: TreeVariable['type'], given: object) => ({ ...emptyProfile('P', type), ...given });

t.test('a shutter is one cover, whose position is the other way round', async (t) => {
  const { device, settings, model } = published(
    t,
    'Shutter',
    variable('POSITION', { type: variableType.integer, hasAction: true }),
    variable('MOVE', { type: variableType.integer, hasAction: true }),
    variable('KNOWN', { type: variableType.boolean, role: 'state' }),
  );
  t.match(settings, [
    { p: 'cover', position_open: 0, position_closed: 100 },
    { p: 'binary_sensor', name: 'known' },
  ]);
  t.strictSame(
    model.entities[0]?.variables.map(({ part }) => part),
    ['POSITION', 'MOVE', 'STATE'],
  );
  const [states, commands] = [device.entities[0]?.states ?? [], device.entities[0]?.commands ?? []];
  t.strictSame(
    [0, 2, 4].map((move) => states[0]?.encode(move)),
    ['opening', 'stopped', 'closing'],
  );
  t.strictSame(
    ['OPEN', 'STOP', 'CLOSE', 'open', 'toString'].map((text) => commands[0]?.decode(text)),
    [0, 2, 4, undefined, undefined],
  );
  t.strictSame(
    ['0', '37.4', '100', '101', '-1', '', 'x', 'NaN'].map((text) => commands[1]?.decode(text)),
    [0, 37, 100, ...Array<undefined>(5).fill(undefined)],
  );
});

t.test('a dimmer is a light, a button has events', async (t) => {
  const { settings } = published(
    t,
    'PWM',
    variable('STATE', { type: variableType.boolean, hasAction: true }),
    variable('LEVEL', { hasAction: true }),
  );
  t.match(settings, [{ p: 'light', brightness_scale: 100 }]);
  const button = published(
    t,
    'Button',
    variable('STATE', { type: variableType.boolean }),
    variable('SINGLE', { type: variableType.integer, role: 'detail' }),
    variable('LONG', { type: variableType.integer, role: 'detail' }),
  );
  t.match(button.settings, [
    { p: 'event', event_types: ['single', 'long'] },
    { p: 'device_automation', type: 'button_short_press', payload: 'single' },
    { p: 'device_automation', type: 'button_long_press', payload: 'long' },
    { p: 'binary_sensor' },
  ]);
  t.equal(button.device.entities[0]?.states[1]?.encode(3), '{"event_type":"long"}');
});

t.test('single variables by type, profile and action', async (t) => {
  const choices = [
    { value: 0, name: 'Off', icon: '', color: -1 },
    { value: 1, name: 'Eco', icon: '', color: -1 },
  ];
  const { settings, device, model } = published(
    t,
    '',
    variable('S', { type: variableType.boolean, hasAction: true }),
    variable('BB', { type: variableType.boolean, profile: profile(variableType.boolean, { name: '~Lock' }) }),
    variable('NNN', { profile: profile(variableType.float, { suffix: ' l/h', digits: 2 }) }),
    variable('CCCC', { profile: profile(variableType.float, { name: '~Electricity', suffix: ' kWh' }) }),
    variable('SETPO', {
      hasAction: true,
      profile: profile(variableType.float, { min: 5, max: 30, step: 0.5 }),
    }),
    variable('CHOOSE', {
      type: variableType.integer,
      hasAction: true,
      profile: profile(variableType.integer, { associations: choices }),
    }),
    variable('SHOWING', {
      type: variableType.integer,
      profile: profile(variableType.integer, { associations: choices }),
    }),
    variable('A_SECRET', { type: variableType.string, role: 'diagnostic' }),
    variable('WRITEABLE', { type: variableType.string, hasAction: true, role: 'detail' }),
  );
  t.match(settings, [
    { p: 'switch' },
    { p: 'binary_sensor', device_class: 'lock' },
    { p: 'sensor', unit_of_measurement: 'l/h', state_class: 'measurement', suggested_display_precision: 2 },
    { p: 'sensor', device_class: 'energy', unit_of_measurement: 'kWh', state_class: 'total_increasing' },
    { p: 'number', min: 5, max: 30, step: 0.5 },
    { p: 'select', options: ['Off', 'Eco'] },
    { p: 'sensor', device_class: 'enum', options: ['Off', 'Eco'] },
    { p: 'sensor', entity_category: 'diagnostic' },
    { p: 'text', entity_category: 'config' },
  ]);
  const entity = (n: number) => device.entities[n]!;
  t.equal(entity(1).states[0]?.encode(true), 'OFF', 'a lock is on when it is unlocked');
  t.equal(entity(5).states[0]?.encode(1), 'Eco');
  for (const n of [5, 6]) t.equal(entity(n).states[0]?.encode(7), 'None', 'a value without a name');
  t.equal(entity(5).commands[0]?.decode('Eco'), 1);
  t.equal(entity(5).commands[0]?.decode('Boost'), undefined);
  t.equal(entity(7).states[0]?.encode('ü'.repeat(300))?.length, 255);
  for (const { variables } of model.entities) t.equal(variables.length, 1);
  t.strictSame(
    model.entities.map(({ name }) => name).sort(),
    device.entities.map((one) => one.settings['name']).sort(),
  );
});

t.test('a time stamp of 0 is unknown', async (t) => {
  const { device } = published(
    t,
    '',
    variable('SEEN', {
      type: variableType.integer,
      profile: profile(variableType.integer, { name: '~UnixTimestamp' }),
    }),
  );
  const encode = device.entities[0]?.states[0]?.encode;
  t.strictSame(
    [1_700_000_000, 0, 1e300].map((value) => encode?.(value)),
    ['2023-11-14T22:13:20.000Z', 'None', 'None'],
  );
});

t.test('a value without a name is not published if an option is called None', async (t) => {
  const associations = ['Off', 'None'].map((name, value) => ({ value, name, icon: '', color: -1 }));
  const { device } = published(
    t,
    '',
    variable('CHOOSE', {
      type: variableType.integer,
      hasAction: true,
      profile: profile(variableType.integer, { associations }),
    }),
  );
  const encode = device.entities[0]?.states[0]?.encode;
  t.strictSame(
    [0, 1, 7].map((value) => encode?.(value)),
    ['Off', 'None', undefined],
  );
});

t.test('a profile may have the name of an inherited member', async (t) => {
  for (const name of ['constructor', 'toString', 'valueOf', '__proto__']) {
    const { settings } = published(
      t,
      '',
      variable('B', { type: variableType.boolean, profile: profile(variableType.boolean, { name }) }),
      variable('NN', { profile: profile(variableType.float, { name, suffix: ' l/h' }) }),
    );
    t.match(settings, [{ p: 'binary_sensor' }, { p: 'sensor', unit_of_measurement: 'l/h' }]);
  }
});
