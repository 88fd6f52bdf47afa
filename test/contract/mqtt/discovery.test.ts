import t, { type Test } from 'tap';
import { mqttModules } from '../../../drivers/mqtt/index.js';
import type { HardwareItem } from '../../../src/device/hardware-search.js';
import type { Instance } from '../../../src/kernel/instances.js';
import type { Variable } from '../../../src/kernel/variables.js';
import { objectType } from '../../../src/kernel/object.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { hasProgram } from '../../tools/program.js';
import { until } from '../../tools/until.js';
import { fakeTestBroker, mosquittoTestBroker, type TestBroker } from './brokers.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

const DEVICE = { identifiers: ['plug-1'], name: 'Plug', manufacturer: 'Acme', model: 'P1' };
const AVAILABILITY = { availability: [{ topic: 'plug/online' }] };

const announcements = {
  'homeassistant/switch/plug-1/relay/config': {
    name: null,
    unique_id: 'plug-1_relay',
    state_topic: 'plug/state',
    value_template: '{{ value_json.state }}',
    command_topic: 'plug/set',
    device: DEVICE,
    ...AVAILABILITY,
  },
  'homeassistant/sensor/plug-1/power/config': {
    dev_cla: 'power',
    unit_of_meas: 'W',
    uniq_id: 'plug-1_power',
    '~': 'plug',
    stat_t: '~/state',
    val_tpl: '{{ value_json.power | float }}',
    dev: DEVICE,
    ...AVAILABILITY,
  },
  'homeassistant/binary_sensor/plug-1/alarm/config': {
    name: 'Overload',
    entity_category: 'diagnostic',
    unique_id: 'plug-1_alarm',
    state_topic: 'plug/alarm',
    payload_on: true,
    payload_off: false,
    value_template: '{{ value_json.overload }}',
    device: DEVICE,
    ...AVAILABILITY,
  },
};

async function announce(broker: TestBroker): Promise<void> {
  for (const [topic, payload] of Object.entries(announcements))
    await broker.publish(topic, JSON.stringify(payload), true);
}

async function discover(fixture: DeviceFixture, broker: TestBroker, more: Record<string, unknown> = {}) {
  const client = await fixture.add('MQTT Client', { Url: broker.url, ProtocolVersion: broker.version });
  const discovery = await fixture.add('MQTT Discovery', more, client);
  await fixture.waitForLink(discovery, 'online');
  const found = (): readonly HardwareItem[] =>
    fixture.devices
      .openInstance(discovery.id, { id: discovery.data.moduleId, name: discovery.data.moduleName })
      .search?.found() ?? [];
  const instances = () =>
    [...fixture.kernel.tree.objectsOfType(objectType.instance)].filter(
      ({ data }) => data.moduleName === 'MQTT Discovered Device',
    );
  return { discovery, found, instances };
}

async function contract(t: Test, name: string, make: () => Promise<TestBroker>): Promise<void> {
  await t.test(`${name}: from announcement to command`, async (t) => {
    await using broker = await make();
    await using fixture = new DeviceFixture(mqttModules(broker.brokers));
    await announce(broker);
    const { discovery, found } = await discover(fixture, broker);
    await until('the birth message', () =>
      broker.heard().some(({ topic, payload }) => topic === 'homeassistant/status' && payload === 'online'),
    );
    await until('the device', () => found().some(({ about }) => about.includes('3 entities')));
    const [item] = found();
    t.match(item, { name: 'Plug', kind: 'mqtt', about: /^Acme P1, 3 entities/, instance: 0 });
    const [making] = item?.makes ?? [];
    t.equal(making?.connectTo, discovery.id);
    const plug = await fixture.add(making?.module ?? '', { ...making?.properties }, discovery);
    await fixture.waitForLink(plug, 'online');
    const relay = variableOf(plug, 'switch');
    const power = variableOf(plug, 'sensor');
    const alarm = variableOf(plug, 'binary_sensor');
    t.match(relay, { name: 'Switch', data: { role: 'main', profile: '~Switch', action: plug.id } });
    t.match(power, { name: 'Power', data: { role: 'main', profile: '~Watt', action: 0 } });
    t.match(alarm, { name: 'Overload', data: { role: 'diagnostic' } });
    await fixture.waitForQuality(plug, relay.ident, 'bad UNAVAILABLE');
    await broker.publish('plug/state', '{"state":"ON","power":"12.5"}');
    await fixture.waitForValue(plug, power.ident, 12.5);
    t.equal(fixture.quality(plug, power.ident), 'bad UNAVAILABLE');
    await broker.publish('plug/online', 'online', true);
    await fixture.waitForQuality(plug, power.ident, 'good');
    t.equal(fixture.value(plug, relay.ident), true);
    await fixture.devices.write(plug.id, relay.ident, false);
    await until('the command', () => heardAt(broker, 'plug/set').includes('OFF'));
    t.equal(fixture.value(plug, relay.ident), true, 'a command does not change the variable');
    await broker.publish('plug/state', '{"state":"OFF"}');
    await fixture.waitForValue(plug, relay.ident, false);
    t.equal(fixture.value(plug, power.ident), 12.5, 'a missing member says nothing');
    await broker.publish('plug/alarm', '{"overload":true}');
    await fixture.waitForValue(plug, alarm.ident, true);
    await broker.publish('plug/online', 'offline', true);
    await fixture.waitForQuality(plug, relay.ident, 'bad UNAVAILABLE');
    t.match(found(), [{ instance: plug.id, makes: [] }], 'the search names the instance');
  });

  await t.test(`${name}: updates, removal and return`, async (t) => {
    await using broker = await make();
    await using fixture = new DeviceFixture(mqttModules(broker.brokers));
    await announce(broker);
    const { discovery, instances } = await discover(fixture, broker, { Adopt: 'listed', Devices: ['pl*g'] });
    await until(
      'the instance',
      () => instances().length === 1 && instances()[0]?.data.connectionId === discovery.id,
    );
    const [plug] = instances() as [Instance];
    t.equal(plug.name, 'Plug');
    await fixture.waitForLink(plug, 'online');
    const before = plug.data.properties;
    await announce(broker);
    const power = {
      ...announcements['homeassistant/sensor/plug-1/power/config'],
      name: 'Load',
      availability_topic: 'plug/load',
    };
    await broker.publish('homeassistant/sensor/plug-1/power/config', JSON.stringify(power), true);
    await until('the new name', () => variableOf(plug, 'sensor').name === 'Load');
    t.not(plug.data.properties, before);
    await fixture.waitForLink(plug, 'online');
    const after = plug.data.properties;
    await broker.publish('homeassistant/binary_sensor/plug-1/alarm/config', '', true);
    await until('one entity less', () => plug.data.properties !== after);
    t.notMatch(plug.data.properties['Announcement'], /plug-1_alarm/);
    for (const topic of Object.keys(announcements)) await broker.publish(topic, '', true);
    await until('the removal', () => /removed from the broker/.test(fixture.status(plug)));
    t.equal(fixture.quality(plug, variableOf(plug, 'switch').ident), 'bad UNAVAILABLE');
    await announce(broker);
    await until('the return', () => plug.data.properties['Removed'] === false);
    t.equal(instances().length, 1, 'it is the same instance');
  });

  await t.test(`${name}: without a broker, a device has its variables`, async (t) => {
    await using broker = await make();
    await using fixture = new DeviceFixture(mqttModules(broker.brokers));
    await announce(broker);
    const { instances } = await discover(fixture, broker, { Adopt: 'all' });
    await until('the instance', () => instances().length === 1);
    const [plug] = instances() as [Instance];
    await using later = new DeviceFixture(mqttModules(broker.brokers));
    const again = later.devices.create(plug.data.moduleName, {}, plug.data.properties);
    t.match(variableOf(again, 'switch'), {
      ident: variableOf(plug, 'switch').ident,
      data: { action: again.id },
    });
  });
}

/** JSON that is nested too deeply to be written again. */
const NESTED = '['.repeat(100_000) + ']'.repeat(100_000);
/** The devices that a discovery has reported. */
const foundBy = (fixture: DeviceFixture, discovery: Instance) => fixture.value(discovery, 'FOUND');

await t.test('an announcement that is nested too deeply does not stop other devices', async (t) => {
  await using broker = await fakeTestBroker(4);
  await using fixture = new DeviceFixture(mqttModules(broker.brokers));
  const nested = `{"unique_id":"n","state_topic":"s","device":{"identifiers":["nested"]},"other":${NESTED}}`;
  await broker.publish('homeassistant/sensor/nested/n/config', nested, true);
  await announce(broker);
  const { discovery, found, instances } = await discover(fixture, broker, { Adopt: 'all' });
  await until('the other device', () => instances().length === 1);
  await until('the number', () => foundBy(fixture, discovery) === 1);
  t.match(found(), [{ name: 'Plug' }]);
  t.match(fixture.status(discovery), /sensor\/nested\/n\/config: .*nested/);
});

await t.test('a device that cannot be stored does not stop other devices', async (t) => {
  await using broker = await fakeTestBroker(4);
  await using fixture = new DeviceFixture(mqttModules(broker.brokers));
  const { discovery, found, instances } = await discover(fixture, broker, { Adopt: 'all' });
  const entity = { component: 'sensor', id: 'n', place: 'n', topic: 'homeassistant/sensor/n/config' };
  const Announcement = JSON.stringify({
    keys: ['id nested'],
    entities: [{ ...entity, settings: { state_topic: 's', other: null } }],
  }).replace('null', NESTED);
  const nested = await fixture.add(
    'MQTT Discovered Device',
    { Device: 'id nested', Announcement },
    discovery,
  );
  await fixture.waitForLink(nested, 'online');
  await announce(broker);
  await until('the other device', () => instances().length === 2);
  await until('the number', () => foundBy(fixture, discovery) === 2);
  await until('the problem', () => /nested: /.test(fixture.status(discovery)));
  await fixture.devices.delete(nested.id);
  t.match(found(), [{ name: 'Plug' }], 'the search does without it');
});

await t.test('a device that outgrows its instance does not stop other devices', async () => {
  await using broker = await fakeTestBroker(4);
  await using fixture = new DeviceFixture(mqttModules(broker.brokers));
  const { discovery, instances } = await discover(fixture, broker, { Adopt: 'all' });
  const grow = (id: string, size: number) =>
    broker.publish(
      `homeassistant/sensor/${id}/config`,
      JSON.stringify({
        unique_id: id,
        state_topic: 's',
        device: { ...DEVICE, identifiers: ['large'], name: 'Large' },
        other: id.repeat(size),
      }),
      true,
    );
  await grow('a', 1);
  await until('the device', () => instances().length === 1);
  for (const id of ['b', 'c', 'd']) await grow(id, 400_000);
  await announce(broker);
  await until('the other device', () => instances().length === 2);
  await until('the number', () => foundBy(fixture, discovery) === 2);
  await until('the problem', () => /Large: /.test(fixture.status(discovery)));
});

await t.test('a device that could not be created is a problem until it is created or removed', async (t) => {
  await using broker = await fakeTestBroker(4);
  await using fixture = new DeviceFixture(mqttModules(broker.brokers));
  const { discovery, instances } = await discover(fixture, broker, { Adopt: 'all' });
  const named = (id: string, name: string) => {
    const device = { identifiers: [id], name };
    const payload = JSON.stringify({ unique_id: id, state_topic: 's', device });
    return broker.publish(`homeassistant/sensor/${id}/config`, payload, true);
  };
  const problem = () => fixture.devices.problems(discovery.id).find(({ code }) => code === 'ADOPT');
  const isProblem = (text: string) => () => String(problem()?.text).startsWith(text);
  await named('a', 'A'.repeat(100_000));
  await until('the problem', isProblem('"AAA'));
  t.ok(String(problem()?.text).length < 200);
  await named('b', 'B'.repeat(100_000));
  await until('the other one', () => foundBy(fixture, discovery) === 2);
  await named('a', 'Sensor');
  await until('the device', () => instances().length === 1);
  await until('the problem of the other one', isProblem('"BBB'));
  await broker.publish('homeassistant/sensor/b/config', '', true);
  await until('no problem', () => problem() === undefined);
});

/** The variable of the only entity of a component. */
function variableOf(instance: Instance, component: string): Variable {
  for (const child of instance.children ?? [])
    if (child.is(objectType.variable) && child.ident.startsWith(`${component}_`)) return child;
  throw new Error(`there is no ${component}`);
}

const heardAt = (broker: TestBroker, topic: string): string[] =>
  broker
    .heard()
    .filter((one) => one.topic === topic)
    .map(({ payload }) => payload);

await contract(t, 'simulated broker', () => fakeTestBroker(4));
await t.test('mosquitto', { skip }, async (t) => contract(t, 'MQTT 3.1.1', () => mosquittoTestBroker(4)));
