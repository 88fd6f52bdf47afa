import type { Test } from 'tap';
import { mqttModules } from '../../../drivers/mqtt/index.js';
import { until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import type { TestBroker } from './brokers.js';

const PLUG = [
  { Ident: 'STATE', Type: 'boolean', StateTopic: 'plug/state', CommandTopic: 'plug/set' },
  { Ident: 'POWER', Type: 'float', StateTopic: 'plug/tele', JsonPath: 'energy.power[0]', Profile: '~Watt' },
  { Ident: 'CLICKS', Type: 'integer', StateTopic: 'plug/click', Counter: true },
  { Ident: 'LAMP', Type: 'boolean', CommandTopic: 'plug/lamp', On: '1', Off: '0', Retain: true },
  {
    Ident: 'NAME',
    Type: 'string',
    StateTopic: 'plug/name',
    CommandTopic: 'plug/name/set',
    CommandPayload: '{"name":"{value}"}',
  },
];

const isNot = (excluded: string) => (text: string) => text !== excluded;

/** The two modules under the real supervisor, with a given broker. */
export async function mqttModulesContract(
  t: Test,
  name: string,
  make: () => Promise<TestBroker>,
): Promise<void> {
  const on = (
    what: string,
    run: (t: Test, testBroker: TestBroker, fixture: DeviceFixture) => Promise<void>,
  ) =>
    t.test(`${name}: ${what}`, async (t) => {
      await using testBroker = await make();
      await using fixture = new DeviceFixture(mqttModules(testBroker.brokers));
      await run(t, testBroker, fixture);
    });
  const client = (testBroker: TestBroker, fixture: DeviceFixture, more: Record<string, unknown> = {}) =>
    fixture.add('MQTT Client', { Url: testBroker.url, ProtocolVersion: testBroker.version, ...more });
  const payloads = (testBroker: TestBroker, topic: string) =>
    testBroker
      .heard()
      .filter((one) => one.topic === topic)
      .map(({ payload }) => payload);

  await on('topics become variables and commands become messages', async (t, testBroker, fixture) => {
    await testBroker.publish('plug/state', 'ON', true);
    const broker = await client(testBroker, fixture);
    const plug = await fixture.add('MQTT Device', { Topics: PLUG }, broker);
    await fixture.waitForValue(plug, 'STATE', true);
    await testBroker.publish('plug/tele', '{"energy":{"power":[12.5]},"other":null}');
    await fixture.waitForValue(plug, 'POWER', 12.5);
    await fixture.devices.write(plug.id, 'STATE', false);
    await until('the command', () => payloads(testBroker, 'plug/set').includes('OFF'));
    t.equal(fixture.value(plug, 'STATE'), true, 'a command does not change the variable');
    await testBroker.publish('plug/state', 'OFF');
    await fixture.waitForValue(plug, 'STATE', false);
    await fixture.devices.write(plug.id, 'LAMP', true);
    t.equal(fixture.value(plug, 'LAMP'), true, 'without a state topic the accepted command is the value');
    await fixture.devices.write(plug.id, 'NAME', 'a"b\n');
    await until('the name', () => payloads(testBroker, 'plug/name/set').includes('{"name":"a\\"b\\n"}'));
    await t.rejects(fixture.devices.write(plug.id, 'POWER', 1), { code: 'READ_ONLY' });
    await testBroker.publish('plug/state', 'maybe');
    await until('the problem', () =>
      /STATE, from plug\/state: "maybe" is neither On \(ON\)/.test(fixture.status(plug)),
    );
    t.equal(fixture.value(plug, 'STATE'), false, 'the variable keeps its value');
    await fixture.devices.refresh(plug.id, 'STATE');
    await fixture.waitForValue(plug, 'STATE', true);
  });

  await on(
    'after a broker restart: nothing stale is sent, and the state is requested again',
    async (t, testBroker, fixture) => {
      const broker = await client(testBroker, fixture);
      const plug = await fixture.add('MQTT Device', { Topics: PLUG }, broker);
      await fixture.waitForLink(plug, 'online');
      await testBroker.publish('plug/state', 'ON', true);
      await fixture.waitForValue(plug, 'STATE', true);
      await testBroker.stop();
      await fixture.waitForLink(broker, 'waiting');
      await fixture.waitForLink(plug, 'waiting');
      t.match(fixture.devices.problems(broker.id)[0], { code: 'UNREACHABLE' });
      await t.rejects(fixture.devices.write(plug.id, 'STATE', false), { code: 'DEVICE_OFFLINE' });
      await t.rejects(fixture.call('GW_Publish', broker.id, 'plug/set', 'OFF', 1, false), {
        code: 'DEVICE_OFFLINE',
      });
      await testBroker.start();
      await fixture.waitForLink(plug, 'online');
      await testBroker.publish('plug/state', 'OFF', true);
      await fixture.waitForValue(plug, 'STATE', false);
      await fixture.devices.write(plug.id, 'STATE', true);
      await until('the new command', () => payloads(testBroker, 'plug/set').length > 0);
      t.same(payloads(testBroker, 'plug/set'), ['ON'], 'and not the failed one');
      t.same(fixture.devices.problems(broker.id), []);
    },
  );

  await on(
    'in a flood, counters are exact and the last value is reported',
    async (t, testBroker, fixture) => {
      const broker = await client(testBroker, fixture);
      const plug = await fixture.add('MQTT Device', { Topics: PLUG }, broker);
      await fixture.waitForLink(plug, 'online');
      const flood = 2_000;
      const sent: Promise<void>[] = [];
      for (let n = 1; n <= flood; n += 1) {
        sent.push(
          testBroker.publish('plug/click', 'x'),
          testBroker.publish('plug/tele', `{"energy":{"power":[${n}]}}`),
        );
      }
      await Promise.all(sent);
      await fixture.waitForValue(plug, 'CLICKS', flood);
      await fixture.waitForValue(plug, 'POWER', flood);
      testBroker.cut();
      await fixture.waitForLink(plug, 'waiting');
      await fixture.waitForLink(plug, 'online');
      await testBroker.publish('plug/click', 'x');
      await fixture.waitForValue(plug, 'CLICKS', flood + 1);
      t.equal(fixture.value(plug, 'POWER'), flood);
    },
  );

  await on(
    'topics are shared, listed, and can be published to with GW_Publish',
    async (t, testBroker, fixture) => {
      await testBroker.publish('shared/a', '1', true);
      const broker = await client(testBroker, fixture, { Subscriptions: ['shared/#'] });
      const topics = [{ Ident: 'X', Type: 'integer', StateTopic: 'shared/a' }];
      const all = [topics, topics, [{ ...topics[0], StateTopic: 'shared/+' }]];
      const devices = await Promise.all(all.map((Topics) => fixture.add('MQTT Device', { Topics }, broker)));
      for (const device of devices) await fixture.waitForValue(device, 'X', 1);
      const counts = { Ident: 'N', Type: 'integer', StateTopic: 'shared/a', Counter: true };
      const counter = await fixture.add('MQTT Device', { Topics: [counts] }, broker);
      await fixture.waitForLink(counter, 'online');
      t.equal(await fixture.call('GW_Publish', broker.id, 'shared/a', '2', 2, false), true);
      for (const device of devices) await fixture.waitForValue(device, 'X', 2);
      await fixture.waitForValue(counter, 'N', 1);
      await testBroker.publish('shared/a', '3');
      for (const device of devices) await fixture.waitForValue(device, 'X', 3);
      t.equal(fixture.value(counter, 'N'), 2, 'overlapping filters count a message once');
      const known = (await fixture.call('MQTT_GetKnownDevices', broker.id)) as {
        Topic: string;
        LastPayload: string;
      }[];
      t.match(known, [{ Topic: 'shared/a', LastPayload: '3' }]);
      await t.rejects(fixture.call('GW_Publish', broker.id, 'shared/#', '', 0, false), {
        code: 'PARAMETER_TYPE',
      });
      await t.rejects(fixture.call('GW_Publish', counter.id, 'x', '', 0, false), { code: 'WRONG_MODULE' });
    },
  );

  await on('a counter includes the messages that the broker queued', async (t, testBroker, fixture) => {
    const broker = await client(testBroker, fixture, { CleanSession: false, ClientID: 'counting' });
    const plug = await fixture.add('MQTT Device', { Topics: PLUG }, broker);
    await fixture.waitForLink(plug, 'online');
    await testBroker.publish('plug/click', 'x');
    await fixture.waitForValue(plug, 'CLICKS', 1);
    await fixture.change(broker, { Url: '' });
    t.equal(fixture.value(broker, 'LINK'), 'closed');
    for (let n = 0; n < 5; n += 1) await testBroker.publish('plug/click', 'x');
    await fixture.change(broker, { Url: testBroker.url });
    await fixture.waitForValue(plug, 'CLICKS', 6);
    await fixture.waitForLink(plug, 'online');
  });

  await on('retained, old and unreadable payloads', async (t, testBroker, fixture) => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    await testBroker.publish('room/t', '20', true);
    await testBroker.publish('room/h', JSON.stringify({ h: 50, at: at(0) }), true);
    await testBroker.publish('room/door', 'ON', true);
    const broker = await client(testBroker, fixture);
    const Topics = [
      { Ident: 'WARM', Type: 'float', StateTopic: 'room/t', StaleAfterS: 600 },
      { Ident: 'WET', Type: 'float', StateTopic: 'room/h', JsonPath: 'h', TimePath: 'at', StaleAfterS: 600 },
      { Ident: 'DOOR', Type: 'boolean', StateTopic: 'room/door' },
    ];
    const room = await fixture.add('MQTT Device', { Topics }, broker);
    await fixture.waitForValue(room, 'WARM', 20);
    await fixture.waitForValue(room, 'WET', 50);
    await fixture.waitForValue(room, 'DOOR', true);
    t.equal(fixture.quality(room, 'WARM'), 'stale OVERDUE', 'it is unknown when the broker received it');
    t.equal(fixture.quality(room, 'WET'), 'good', 'the payload has the time');
    t.equal(fixture.quality(room, 'DOOR'), 'good', 'no deadline applies');
    await testBroker.publish('room/t', '21');
    await fixture.waitForValue(room, 'WARM', 21);
    t.equal(fixture.quality(room, 'WARM'), 'good');
    await testBroker.publish('room/h', JSON.stringify({ h: 51, at: at(-3_600_000) }));
    await fixture.waitForValue(room, 'WET', 51);
    t.equal(fixture.quality(room, 'WET'), 'stale OVERDUE');
    await testBroker.publish('room/t', 'warm');
    await fixture.waitForQuality(room, 'WARM', 'bad UNREADABLE');
    t.equal(fixture.value(room, 'WARM'), 21, 'the last known value');
    await testBroker.publish('room/t', '21');
    await fixture.waitForQuality(room, 'WARM', 'good');
  });

  await on('a device that its availability topic reports as offline', async (t, testBroker, fixture) => {
    await testBroker.publish('plug/state', 'ON', true);
    await testBroker.publish('plug/there', '{"state":"offline"}', true);
    const broker = await client(testBroker, fixture);
    const there = { AvailabilityTopic: 'plug/there', AvailabilityPath: 'state' };
    const plug = await fixture.add('MQTT Device', { Topics: PLUG, ...there }, broker);
    await fixture.waitForValue(plug, 'STATE', true);
    await fixture.waitForQuality(plug, 'STATE', 'bad UNAVAILABLE');
    t.equal(fixture.quality(plug, 'POWER'), 'bad UNAVAILABLE');
    t.match(fixture.devices.problems(plug.id), [
      { code: 'UNAVAILABLE', text: { text: 'plug/there reports offline' } },
    ]);
    await testBroker.publish('plug/there', '{"state":"online"}', true);
    await fixture.waitForQuality(plug, 'STATE', 'stale NOT_REPORTED');
    t.equal(fixture.quality(plug, 'POWER'), 'bad NO_VALUE');
    t.same(fixture.devices.problems(plug.id), []);
    await testBroker.publish('plug/state', 'OFF');
    await fixture.waitForQuality(plug, 'STATE', 'good');
    await testBroker.publish('plug/there', 'what?');
    await until('the problem', () =>
      /plug\/there: .* is neither online nor offline/.test(fixture.status(plug)),
    );
    t.equal(fixture.quality(plug, 'STATE'), 'good', 'an unknown state changes nothing');
    await testBroker.publish('plug/there', '{"state":"offline"}', true);
    await fixture.waitForQuality(plug, 'STATE', 'bad UNAVAILABLE');
    await testBroker.stop();
    await fixture.waitForLink(plug, 'waiting');
    t.equal(fixture.quality(plug, 'STATE'), 'bad UNREACHABLE');
  });

  await on('retained messages are listed, returned and removed', async (t, testBroker, fixture) => {
    for (const topic of ['plug/state', 'plug/name', 'elsewhere/x'])
      await testBroker.publish(topic, 'ON', true);
    await testBroker.publish('plug/bytes', Buffer.from([0, 255]), true);
    await testBroker.publish('plug/news', 'not retained');
    const broker = await client(testBroker, fixture, {
      Subscriptions: ['plug/bytes', 'plug/+', 'plug/other/#'],
    });
    const plug = await fixture.add('MQTT Device', { Topics: PLUG }, broker);
    await fixture.waitForLink(plug, 'online');
    const list = () => fixture.call('MQTT_GetRetainedMessageTopicList', broker.id);
    const show = (topic: string) => fixture.call('MQTT_GetRetainedMessage', broker.id, topic);
    const remove = (topic: string) => fixture.call('MQTT_RemoveRetainedMessage', broker.id, topic);
    await fixture.waitForValue(plug, 'STATE', true);
    const reports = fixture.watch(plug, 'STATE');
    t.same(await list(), ['plug/bytes', 'plug/name', 'plug/state']);
    t.same(await show('plug/state'), { Topic: 'plug/state', Payload: 'ON', Encoding: 'utf8' });
    t.same(await show('plug/bytes'), { Topic: 'plug/bytes', Payload: 'AP8=', Encoding: 'base64' });
    t.same(
      await show('elsewhere/x'),
      { Topic: 'elsewhere/x', Payload: 'ON', Encoding: 'utf8' },
      'without a subscription',
    );
    t.same(reports, [], 'a query does not publish to the devices');
    t.equal(await remove('plug/state'), true);
    await t.rejects(show('plug/state'), { code: 'RETAINED_MISSING', message: /nothing on plug\/state/ });
    const before = testBroker.heard().length;
    await t.rejects(remove('plug/news'), { code: 'RETAINED_MISSING' });
    t.equal(testBroker.heard().length, before, 'nothing is published if nothing is retained');
    for (const bad of ['', 'plug/+', '#', 'a\0']) {
      await t.rejects(show(bad), { code: 'PARAMETER_TYPE' }, bad);
      await t.rejects(remove(bad), { code: 'PARAMETER_TYPE' }, bad);
    }
    await t.rejects(remove('$SYS/broker/version'), {
      code: 'PARAMETER_TYPE',
      message: /belong to the broker/,
    });
    t.equal(await fixture.call('MQTT_ClearRetainedMessages', broker.id), true);
    t.same(await list(), []);
    t.match(await show('elsewhere/x'), { Payload: 'ON' }, 'messages outside the subscriptions are kept');
    await fixture.change(broker, { Subscriptions: ['plug/#', '+/x'] });
    await fixture.waitForLink(plug, 'online');
    t.same(await list(), ['elsewhere/x']);
    await t.rejects(fixture.call('MQTT_ClearRetainedMessages', broker.id), {
      code: 'DEVICE_CONFIGURATION',
      message: /subscription to \+\/x covers retained messages of other devices/,
    });
    t.same(await list(), ['elsewhere/x'], 'then nothing is removed');
    const known = () => fixture.call('MQTT_GetKnownDevices', broker.id);
    t.match(await known(), [{ Topic: 'elsewhere/x' }]);
    t.equal(await fixture.call('MQTT_ClearTopics', broker.id), true);
    t.same(await known(), []);
    await testBroker.publish('plug/state', 'OFF');
    await fixture.waitForValue(plug, 'STATE', false);
    t.match(await known(), [{ Topic: 'plug/state', LastPayload: 'OFF' }]);
    t.equal(testBroker.brokers.openCount, 1, 'no secondary connection is left open');
    await t.rejects(fixture.call('MQTT_ClearTopics', plug.id), { code: 'WRONG_MODULE' });
    await testBroker.stop();
    await fixture.waitForLink(broker, 'waiting');
    await t.rejects(list(), { code: 'DEVICE_OFFLINE' });
  });

  await on(
    'thousands of retained messages are listed and removed completely',
    async (t, testBroker, fixture) => {
      const all = Array.from({ length: 1_200 }, (_, n) => `many/${String(n).padStart(4, '0')}`);
      await Promise.all(all.map((topic) => testBroker.publish(topic, 'x', true)));
      const broker = await client(testBroker, fixture, { Subscriptions: ['many/#'] });
      await fixture.waitForLink(broker, 'online');
      t.same(await fixture.call('MQTT_GetRetainedMessageTopicList', broker.id), all);
      await fixture.call('MQTT_ClearRetainedMessages', broker.id);
      t.same(await fixture.call('MQTT_GetRetainedMessageTopicList', broker.id), []);
    },
  );

  await on('a will that the broker publishes late does not stay', async (t, testBroker, fixture) => {
    const broker = await client(testBroker, fixture, { WillTopic: 'gw/state' });
    await fixture.waitForLink(broker, 'online');
    await until('birth', () => payloads(testBroker, 'gw/state').length === 1);
    // The broker's messages of an earlier connection.
    for (const births of [2, 3]) {
      await testBroker.publish('gw/state', 'offline', true);
      const count = () => payloads(testBroker, 'gw/state').filter((payload) => payload === 'online').length;
      await until('another birth', () => count() === births);
    }
    const retained = await fixture.call('MQTT_GetRetainedMessage', broker.id, 'gw/state');
    t.match(retained, { Payload: 'online' });
    t.same(await fixture.call('MQTT_GetRetainedMessageTopicList', broker.id), [], 'it is not listed');
    await fixture.devices.close();
    await until('farewell', () => payloads(testBroker, 'gw/state').at(-1) === 'offline');
    t.same(payloads(testBroker, 'gw/state').slice(5).filter(isNot('offline')), [], 'no birth follows');
  });

  await on('birth, will and offline message', async (t, testBroker, fixture) => {
    const broker = await client(testBroker, fixture, { WillTopic: 'gw/state' });
    await fixture.waitForLink(broker, 'online');
    await until('birth', () => payloads(testBroker, 'gw/state').length === 1);
    testBroker.cut();
    await until('will and birth', () => payloads(testBroker, 'gw/state').length === 3);
    await fixture.devices.close();
    await until('farewell', () => payloads(testBroker, 'gw/state').length >= 4);
    const [birth, will, second, ...rest] = payloads(testBroker, 'gw/state');
    t.same([birth, will, second], ['online', 'offline', 'online']);
    // A broker that does not acknowledge it within a second publishes the will as well.
    t.same(rest.filter(isNot('offline')), []);
  });
}
