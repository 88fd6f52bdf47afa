import t, { type Test } from 'tap';
import { DiscoveryFixture } from '../../tools/devices/discovery-fixture.js';
import { until } from '../../tools/until.js';

const test = (name: string, run: (t: Test) => Promise<void>) => t.test(name, run);

await test('entities are available in the mode that they announce', async (t) => {
  await using all = await DiscoveryFixture.start();
  const availability = [
    { topic: 'a/1' },
    { topic: 'a/2', payload_available: '1', payload_not_available: '0' },
  ];
  for (const mode of ['all', 'any', 'latest'])
    all.announce('sensor', mode, { state_topic: 's', availability, availability_mode: mode });
  all.announce('sensor', 'always', { state_topic: 's' });
  const device = await all.device(4);
  const { broker, fixture } = all;
  const qualities = () =>
    ['all', 'any', 'latest', 'always'].map((id) => fixture.quality(device, `sensor_${id}`));
  const away = 'bad UNAVAILABLE';
  broker.publish('s', '1');
  await fixture.waitForQuality(device, 'sensor_all', away);
  t.strictSame(qualities(), [away, away, away, 'good']);
  broker.publish('a/1', 'online');
  t.strictSame(qualities(), [away, 'good', 'good', 'good']);
  broker.publish('a/2', '1');
  t.strictSame(qualities(), ['good', 'good', 'good', 'good']);
  broker.publish('a/2', '0');
  t.strictSame(qualities(), [away, 'good', away, 'good']);
  broker.publish('a/1', 'what');
  t.strictSame(qualities(), [away, 'good', away, 'good'], 'other payloads say nothing');
  t.notMatch(fixture.status(device), /not available/);
});

await test('values without a message expire, and pulses end', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.announce('sensor', 'temp', { state_topic: 's', unit_of_measurement: '°C', expire_after: 60 });
  all.announce('binary_sensor', 'motion', { state_topic: 'm', off_delay: 5 });
  const device = await all.device(2);
  const { broker, fixture, clock } = all;
  broker.publish('s', '20');
  broker.publish('m', 'ON');
  t.equal(fixture.value(device, 'binary_sensor_motion'), true);
  clock.advance(4_000);
  broker.publish('m', 'ON');
  clock.advance(4_000);
  t.equal(fixture.value(device, 'binary_sensor_motion'), true, 'the pulse starts again');
  clock.advance(1_000);
  t.equal(fixture.value(device, 'binary_sensor_motion'), false);
  t.equal(fixture.quality(device, 'sensor_temp'), 'good');
  clock.advance(60_000);
  t.equal(fixture.quality(device, 'sensor_temp'), 'stale OVERDUE');
});

await test('a template that fails leaves the value, and is named', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.announce('sensor', 'good', { state_topic: 's', value_template: '{{ value_json.a.b }}' });
  all.announce('sensor', 'slow', {
    state_topic: 's',
    value_template: '{% for a in range(300) %}{% for b in range(300) %}{{ b }}{% endfor %}{% endfor %}',
  });
  all.announce('sensor', 'broken', { state_topic: 's', value_template: '{{ value' });
  const device = await all.device(3);
  const { broker, fixture } = all;
  t.match(fixture.status(device), /not understood: Sensor: .* in "\{\{ value"/);
  broker.publish('s', '{"a":{"b":7}}');
  t.equal(fixture.value(device, 'sensor_good'), '7');
  t.match(fixture.devices.problems(device.id), [
    { code: 'NOT_UNDERSTOOD' },
    { code: 'TEMPLATE', text: /steps/ },
  ]);
  broker.publish('s', '{}');
  t.equal(fixture.value(device, 'sensor_good'), '7');
});

await test('a storm of repeated announcements changes nothing', async (t) => {
  await using all = await DiscoveryFixture.start();
  const announce = () => {
    for (let at = 0; at < 20; at += 1) all.announce('sensor', `e${at}`, { state_topic: 's' });
  };
  announce();
  const device = await all.device(20);
  const { properties } = device.data;
  let changes = 0;
  all.fixture.kernel.changes.listen(() => (changes += 1));
  for (let at = 0; at < 50; at += 1) announce();
  all.clock.advance(10_000);
  t.equal(changes, 0);
  t.equal(device.data.properties, properties);
});

await test('devices that are ignored, or not listed, are no instances', async (t) => {
  await using all = await DiscoveryFixture.start({ Adopt: 'all', Ignore: ['device'] });
  all.announce('sensor', 'a', { state_topic: 's' });
  all.broker.publish('homeassistant/sensor/other/config', '{"name":"Other","state_topic":"o"}', true);
  await until('the other device', () => {
    all.clock.advance(500);
    return all.instances().length > 0;
  });
  t.match(all.instances(), [{ name: 'Other' }]);
});

await test('a device that is removed while its instance is closed is shown as removed', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.broker.publish('a', 'online', true);
  all.announce('sensor', 'a', { state_topic: 's', availability_topic: 'a' });
  const device = await all.device();
  const { devices } = all.fixture;
  const discovery = device.data.connectionId;
  await devices.disconnect(device.id);
  all.broker.publish('homeassistant/sensor/a/config', '', true);
  all.clock.advance(500);
  await devices.connect(device.id, discovery);
  await until('its removal', () => {
    all.clock.advance(500);
    return device.data.properties['Removed'] === true && all.fixture.value(device, 'LINK') === 'online';
  });
  await all.fixture.waitForQuality(device, 'sensor_a', 'bad UNAVAILABLE');
  // What the broker has retained of it says that it is there.
  all.broker.publish('a', 'online');
  t.match(all.fixture.status(device), /removed from the broker/);
  t.match(devices.problems(device.id), [{ code: 'REMOVED' }]);
});

await test('events are not repeated, and texts with the same value are events again', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.broker.publish('e', '{"event_type":"old"}', true);
  all.announce('event', 'button', { state_topic: 'e', event_types: ['old', 'press'] });
  const device = await all.device();
  t.equal(all.fixture.quality(device, 'event_button'), 'bad NO_VALUE', 'a retained message is no event');
  const seen = all.fixture.watch(device, 'event_button');
  all.broker.publish('e', '{"event_type":"press"}');
  all.broker.publish('e', '{"event_type":"press"}');
  t.strictSame(seen, ['press', 'press']);
});

await test('an event is not reported again when its device is available again', async (t) => {
  await using all = await DiscoveryFixture.start();
  const availability_topic = 'a';
  all.broker.publish('a', 'online', true);
  all.announce('event', 'button', { state_topic: 'e', availability_topic });
  all.announce('tag', 'reader', { topic: 'e', availability_topic });
  all.announce('device_automation', 'press', {
    automation_type: 'trigger',
    type: 'press',
    subtype: 'button',
    topic: 'e',
    availability_topic,
  });
  const device = await all.device(3);
  const { broker, fixture } = all;
  const idents = Array.from(device.children ?? [], ({ ident }) => ident).filter((ident) =>
    /^(event|tag|device_automation)_/.test(ident),
  );
  t.equal(idents.length, 3);
  const seen = idents.map((ident) => fixture.watch(device, ident));
  const counts = () => seen.map(({ length }) => length);
  const qualities = () => idents.map((ident) => fixture.quality(device, ident));
  const away = Array(3).fill('bad UNAVAILABLE');
  broker.publish('e', '{"event_type":"press"}');
  t.strictSame(counts(), [1, 1, 1]);
  broker.publish('a', 'offline');
  t.strictSame(qualities(), away);
  broker.publish('a', 'online');
  t.strictSame(qualities(), ['good', 'good', 'good']);
  t.strictSame(counts(), [1, 1, 1]);
  broker.publish('a', 'offline');
  broker.publish('e', '{"event_type":"press"}');
  t.strictSame(qualities(), away, 'one that arrives before it is available');
  broker.publish('a', 'online');
  t.strictSame(qualities(), ['good', 'good', 'good']);
  t.strictSame(counts(), [2, 2, 2], 'is reported once, too');
});

await test('the messages of a command are not mixed with those of a later one', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.announce('light', 'lamp', { command_topic: 'c', rgb_command_topic: 'rgb', rgb_state_topic: 'r' });
  const device = await all.device();
  const { devices } = all.fixture;
  await Promise.all([
    devices.write(device.id, 'light_lamp__COLOR', 0xff0000),
    devices.write(device.id, 'light_lamp', false),
  ]);
  t.strictSame(
    all.broker.published.slice(-3).map(({ topic, payload }) => `${topic} ${payload}`),
    ['rgb 255,0,0', 'c ON', 'c OFF'],
  );
});

await test('a Tasmota is adopted, its state requested, and a command sent', async (t) => {
  await using all = await DiscoveryFixture.start();
  const config = {
    mac: 'DC4F220756C6',
    dn: 'Pump',
    t: 'pump',
    ft: '%prefix%/%topic%/',
    tp: ['cmnd', 'stat', 'tele'],
    rl: [1],
  };
  all.broker.publish('tasmota/discovery/DC4F220756C6/sensors', '{"sn":{"DS18B20":{"Temperature":20}}}', true);
  all.broker.publish('tasmota/discovery/DC4F220756C6/config', JSON.stringify(config), true);
  const device = await all.device(3);
  const { broker, fixture } = all;
  const requested = () => broker.published.filter(({ topic }) => topic === 'cmnd/pump/STATUS').length;
  t.equal(requested(), 1);
  broker.publish('stat/pump/STATUS10', '{"StatusSNS":{"DS18B20":{"Temperature":21.5}}}');
  broker.publish('tele/pump/LWT', 'Online', true);
  await until('the request after its return', () => requested() === 2);
  t.equal(fixture.value(device, 'sensor_dc4f220756c6_DS18B20_Temperature'), 21.5);
  t.equal(fixture.quality(device, 'sensor_dc4f220756c6_DS18B20_Temperature'), 'good');
  await fixture.devices.write(device.id, 'switch_dc4f220756c6_relay_1', true);
  t.match(broker.published.at(-1), { topic: 'cmnd/pump/POWER1', payload: 'ON' });
  broker.publish('tasmota/discovery/DC4F220756C6/config', '', true);
  await until('its removal', () => {
    all.clock.advance(500);
    return /removed/.test(fixture.status(device));
  });
});

await test('a Shelly replies to the search, and is adopted with its state', async (t) => {
  await using all = await DiscoveryFixture.start();
  const { broker, fixture } = all;
  t.ok(broker.published.some(({ topic, payload }) => topic === 'shellies/command' && payload === 'announce'));
  const id = 'shellyplus1pm-a8032abe54dc';
  const requests = () => broker.published.filter(({ topic }) => topic === `${id}/rpc`).length;
  broker.publish(`${id}/online`, 'true', true);
  await until('the request', () => requests() === 1);
  const status = { sys: { mac: 'A8032ABE54DC' }, 'switch:0': { output: true, apower: 5 } };
  const reply = () => broker.publish(`${id}/stellwerk/rpc`, JSON.stringify({ id: 1, result: status }));
  reply();
  const device = await all.device(2);
  reply();
  const [relay = '', power = ''] = Array.from(device.children ?? [], ({ ident }) => ident)
    .filter((ident) => /^(switch|sensor)/.test(ident))
    .sort()
    .reverse();
  await fixture.waitForQuality(device, power, 'good');
  t.equal(fixture.value(device, power), 5);
  t.equal(fixture.value(device, relay), true);
  broker.publish(`${id}/events/rpc`, '{"method":"NotifyStatus","params":{"switch:0":{"output":false}}}');
  t.equal(fixture.value(device, relay), false);
  await fixture.devices.write(device.id, relay, true);
  t.match(JSON.parse(broker.published.at(-1)?.payload ?? ''), {
    method: 'Switch.Set',
    params: { id: 0, on: true },
  });
});

await test('in a flood, only the last message of a topic is read in an iteration of the event loop', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.announce('sensor', 'a', { state_topic: 's', unit_of_measurement: 'W' });
  const device = await all.device();
  const seen = all.fixture.watch(device, 'sensor_a');
  for (let at = 1; at <= 2_000; at += 1) all.broker.publish('s', String(at));
  t.equal(seen.length, 100);
  await all.fixture.waitForValue(device, 'sensor_a', 2_000);
  t.equal(seen.length, 101);
});
