import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { defaultsOf, validateProperties, type Properties } from '../../../src/device/properties.js';
import type { ModuleDefinition } from '../../../src/device/module.js';
import type { ConnectOptions } from '../../../drivers/mqtt/broker.js';
import { SimulatedBroker } from '../../../drivers/mqtt/simulated-broker.js';
import { validateFilter, matchesFilter, validateTopic } from '../../../drivers/mqtt/topic-filter.js';
import { mqttModules } from '../../../drivers/mqtt/index.js';
import { parseJsonPath, Message, NOT_JSON, valueAtPath } from '../../../drivers/mqtt/message.js';
import { PAYLOAD_LIMIT, REPORTS_PER_ITERATION } from '../../../drivers/mqtt/mqtt-device.js';
import { TopicMapping, type TopicMappingFields } from '../../../drivers/mqtt/topic-mapping.js';
import {
  LIST_DEADLINE_MS,
  LIST_MESSAGE_LIMIT,
  listRetainedTopics,
} from '../../../drivers/mqtt/retained-messages.js';
import {
  PUBLISH_DEADLINE_MS,
  SubscriptionRouter,
  KNOWN_TOPICS_LIMIT,
} from '../../../drivers/mqtt/subscription-router.js';
import { until } from '../../tools/until.js';
import { passTime, DeviceFixture } from '../../tools/devices/device-fixture.js';

await t.test('filters and topics (MQTT 3.1.1 §4.7)', async (t) => {
  for (const [filter, topic, expected] of [
    ['a/b', 'a/b', true],
    ['a/b', 'a/b/c', false],
    ['a/+', 'a/', true],
    ['a/+', 'a', false],
    ['a/+/c', 'a/b/c', true],
    ['a/#', 'a', true],
    ['a/#', 'a/b/c', true],
    ['a/#', 'ab', false],
    ['#', 'a//b', true],
    ['+/+', '/a', true],
    ['+', '/a', false],
    ['/+', '/a', true],
    ['#', '$SYS/x', false],
    ['+/x', '$SYS/x', false],
    ['$SYS/#', '$SYS/x', true],
    ['A', 'a', false],
  ] as const) {
    t.equal(matchesFilter(filter, topic), expected, `${filter} ${topic}`);
  }
  for (const sound of ['a', '+', '#', 'a/+/b/#', '/', 'ä b'])
    t.equal(validateFilter(sound), undefined, sound);
  for (const bad of ['', 'a#', 'a/#/b', 'a+/b', 'a\0', 'a\ud800', 'x'.repeat(70_000)])
    t.ok(validateFilter(bad), bad);
  for (const bad of ['', '+', 'a/#', 'a\0']) t.ok(validateTopic(bad), bad);
  t.equal(validateTopic('$SYS/ä b//'), undefined);
});

await t.test('JSON in messages', async (t) => {
  t.same(parseJsonPath('a.b[0].c'), ['a', 'b', 0, 'c']);
  t.same(parseJsonPath('$.a["x.y\\""][12]'), ['a', 'x.y"', 12]);
  t.same(parseJsonPath('$'), []);
  t.same(parseJsonPath('[0]'), [0]);
  for (const bad of ['a..b', 'a[', 'a[-1]', 'a[x]', "a['x']", 'a.', '.'])
    t.throws(() => parseJsonPath(bad), { code: 'DEVICE_CONFIGURATION' }, bad);
  const document = JSON.parse('{"a":{"b":[{"c":5}],"n":null},"__proto__":{"x":1},"length":2}') as unknown;
  t.equal(valueAtPath(document, parseJsonPath('a.b[0].c')), 5);
  t.equal(valueAtPath(document, parseJsonPath('a.n')), null);
  t.same(valueAtPath(document, parseJsonPath('__proto__.x')), 1, 'the document’s own member');
  for (const none of [
    'a.b.length',
    'a.b[1].c',
    'a.c',
    'constructor',
    'a.toString',
    'a.b[0].c.d',
    'a.n.x',
    '[0]',
  ]) {
    const value = valueAtPath(document, parseJsonPath(none));
    if (none === 'a.b.length') t.equal(value, 1, 'a list has one of its own');
    else t.equal(value, undefined, none);
  }
  const message = (payload: string | Buffer) => new Message('t', Buffer.from(payload), { retain: false });
  t.equal(message('{').json, NOT_JSON);
  t.equal(message(Buffer.from([0xff])).json, NOT_JSON);
  const deep = message('['.repeat(400_000) + ']'.repeat(400_000));
  t.doesNotThrow(() => valueAtPath(deep.json, Array<number>(400_000).fill(0)), 'at any depth');
});

await t.test('topic mappings', async (t) => {
  const topic = (fields: Partial<TopicMappingFields>) =>
    new TopicMapping({ Ident: 'X', Type: 'string', StateTopic: 's', CommandTopic: 'c', ...fields });
  t.equal(topic({ Type: 'boolean' }).formatCommand(true), 'ON');
  t.equal(
    topic({ Type: 'boolean', CommandPayload: '{"state":{value}}', On: 'true', Off: 'false' }).formatCommand(
      false,
    ),
    '{"state":false}',
  );
  t.equal(topic({ Type: 'float', Scale: 0.5, Digits: 1 }).formatCommand(20.2), '40.4');
  t.equal(
    topic({ CommandPayload: ' {"a":"{value}"}' }).formatCommand('"},{"b":"\\'),
    ' {"a":"\\"},{\\"b\\":\\"\\\\"}',
  );
  t.equal(topic({}).formatCommand('{"as":"it is"}'), '{"as":"it is"}');
  t.throws(() => topic({ Type: 'integer' }).formatCommand('1'), { code: 'CANNOT_CONVERT' });
  for (const [fields, words] of [
    [{ CommandTopic: 'c/+' }, /wildcards/],
    [{ StateTopic: 'c/#/d' }, /complete last level/],
    [{ StateTopic: '', CommandTopic: '' }, /set StateTopic/],
    [{ Counter: true }, /integer/],
    [{ JsonPath: 'a[' }, /JSON path/],
    [{ Scale: 0 }, /Scale/],
  ] as const) {
    t.throws(() => topic(fields), { message: words });
  }
});

await t.test('an invalid configuration is rejected before anything is connected', async (t) => {
  const [client, device] = mqttModules(new SimulatedBroker()) as [ModuleDefinition, ModuleDefinition];
  const defaults = Object.fromEntries(
    Object.entries(client.properties.properties).map(([name, schema]) => [name, schema.default as unknown]),
  );
  const problem = (properties: Properties) =>
    validateProperties(client, { ...defaults, Url: 'mqtt://broker', ...properties });
  t.equal(problem({}), undefined);
  t.equal(problem({ Url: 'wss://broker/mqtt', CaFile: '/ca.pem' }), undefined);
  t.match(problem({ Url: '' }), /Url is empty/);
  t.match(problem({ Url: 'broker' }), /is not a URL/);
  t.match(problem({ Url: 'broker:1883' }), /must begin with mqtt/);
  t.match(problem({ Url: 'http://broker' }), /must begin with mqtt/);
  t.match(problem({ Url: 'mqtt://a:b@broker' }), /UserName and Password/);
  t.notMatch(problem({ Url: 'mqtt://a:swordfish@broker' }), /swordfish/);
  t.match(problem({ CleanSession: false }), /ClientID/);
  t.match(problem({ Url: 'mqtts://broker', KeyFile: '/key' }), /must be set together/);
  t.match(problem({ CaFile: '/ca.pem' }), /mqtts/);
  t.match(problem({ WillTopic: 'a/#' }), /WillTopic/);
  t.match(problem({ Subscriptions: ['a#'] }), /complete last level/);
  t.match(problem({ ProtocolVersion: 3 }), /ProtocolVersion/);
  const point = { Ident: 'A', Type: 'string', StateTopic: 'a' };
  const wrong = (properties: Properties) =>
    validateProperties(device, { ...defaultsOf(device), ...properties });
  t.match(wrong({ AvailabilityTopic: 'a/#' }), /AvailabilityTopic: /);
  t.match(wrong({ AvailabilityPath: 'a[' }), /AvailabilityPath: /);
  t.match(wrong({ Available: 'offline' }), /both offline/);
  t.match(wrong({ Topics: [point, point] }), /A twice/);
  t.match(wrong({ Topics: [{ ...point, Statetopic: 'b' }] }), /Topics\.0\.Statetopic/);
});

async function connectedTopics(broker = new SimulatedBroker()) {
  const clock = new ManualClock();
  const lost: unknown[] = [];
  const ending = new AbortController();
  const host = {
    id: 1,
    clock,
    log: silentLog,
    signal: ending.signal,
    debug: () => undefined,
    reportLost: (cause: unknown) => lost.push(cause),
    countMessage: () => undefined,
  };
  const topics = new SubscriptionRouter(host, {
    hasSession: false,
    openSecondaryConnection: (listener) =>
      broker.connect({ ...options, clientId: 'secondary' }, listener, new AbortController().signal),
  });
  const requests: string[] = [];
  const options: ConnectOptions = {
    url: 'mqtt://broker',
    clientId: 'c',
    userName: '',
    password: '',
    keepAliveS: 30,
    version: 4,
    cleanSession: true,
    caFile: '',
    certificateFile: '',
    keyFile: '',
  };
  const connection = await broker.connect(options, topics, new AbortController().signal);
  const subscribe = connection.subscribe.bind(connection);
  connection.subscribe = (filters) => {
    requests.push(filters.map(({ filter }) => filter).join(' '));
    return subscribe(filters);
  };
  topics.attach(connection);
  return { broker, clock, topics, lost, requests, connection, ending };
}

/** One opening of an instance. */
const OWNER = { id: 2 };

await t.test('several listeners share one subscription', async (t) => {
  const { broker, topics, requests } = await connectedTopics();
  broker.publish('a', 'kept', true);
  const received: string[] = [];
  const listen = (name: string, filter: string) =>
    topics.subscribe(OWNER, { filter, qos: 1 }, ({ text, isRetained: retained }) =>
      received.push(`${name}:${text}${retained ? '!' : ''}`),
    );
  const first = listen('1', 'a');
  const second = listen('2', 'a');
  await Promise.all([first.ready, second.ready, listen('3', 'b/+').ready]);
  t.same(requests, ['a b/+'], 'one packet for all subscriptions of an iteration');
  t.same(received.splice(0), ['1:kept!', '2:kept!']);
  broker.publish('a', 'now');
  t.same(received.splice(0), ['1:now', '2:now']);
  await listen('4', 'a').ready;
  t.same(received.splice(0), ['4:kept!'], 'retained messages are delivered to the new listener only');
  await first.renew();
  t.same(received.splice(0), ['1:kept!'], 'or on request');
  first.close();
  second.close();
  await yieldToEventLoop();
  broker.publish('a', 'more');
  t.same(received.splice(0), ['4:more']);
  broker.forbidden.add('secret');
  await t.rejects(listen('5', 'secret').ready, { code: 'DEVICE_REFUSED' });
});

await t.test('a listener that throws does not affect the others', async (t) => {
  const { broker, topics } = await connectedTopics();
  const received: string[] = [];
  topics.subscribe(OWNER, { filter: 'a', qos: 0 }, () => {
    throw new Error('boom');
  });
  await topics.subscribe(OWNER, { filter: 'a', qos: 0 }, ({ topic }) => received.push(topic)).ready;
  broker.publish('a', '1');
  t.same(received, ['a']);
});

await t.test('the list of known topics is limited', async (t) => {
  const { broker, topics } = await connectedTopics();
  let received = 0;
  await topics.subscribe(OWNER, { filter: '#', qos: 0 }, () => (received += 1)).ready;
  for (let n = 0; n < KNOWN_TOPICS_LIMIT + 10; n += 1) broker.publish(`t/${n}`, 'x'.repeat(n % 100));
  broker.publish('y'.repeat(60_000), 'long');
  const known = topics.knownTopics() as { Topic: string; LastPayload: string; Count: number }[];
  t.equal(known.length, KNOWN_TOPICS_LIMIT);
  t.equal(known.at(-1)?.Topic, `t/${KNOWN_TOPICS_LIMIT + 9}`);
  t.equal(received, KNOWN_TOPICS_LIMIT + 11);
  t.ok(known.every(({ LastPayload }) => LastPayload.length <= 65));
});

await t.test('a publish without acknowledgement times out and closes the connection', async (t) => {
  const { broker, clock, topics, lost, connection } = await connectedTopics();
  broker.isMute = true;
  const outcome = topics.publish('a', 'x', { qos: 1, retain: false }).catch((thrown: unknown) => thrown);
  clock.advance(PUBLISH_DEADLINE_MS);
  t.match(lost, [{ code: 'TIMED_OUT' }]);
  await yieldToEventLoop();
  t.equal(broker.openCount, 0);
  await connection.close();
  t.match(await outcome, { code: 'DEVICE_OFFLINE' });
  t.same(broker.published, []);
  t.equal(clock.pendingTimers, 0);
});

await t.test('a list of retained messages has limits, and always releases its connection', async (t) => {
  const { broker, clock, topics } = await connectedTopics();
  t.same(await listRetainedTopics(topics), [], 'without a subscription there are no filters');
  await topics.subscribe(OWNER, { filter: 't/#', qos: 0 }, () => undefined).ready;
  const outcome = listRetainedTopics(topics).catch((thrown: unknown) => thrown);
  await until('the pause', () => clock.pendingTimers === 2);
  clock.advance(LIST_DEADLINE_MS);
  t.match(await outcome, { code: 'TIMED_OUT' });
  t.equal(clock.pendingTimers, 0, 'no timer is left');
  t.equal(broker.openCount, 1, 'nor a connection');
  for (let n = 0; n <= LIST_MESSAGE_LIMIT; n += 1) broker.publish(`t/${n}`, 'x', true);
  t.match(await listRetainedTopics(topics).catch((thrown: unknown) => thrown), {
    code: 'DEVICE_CONFIGURATION',
    message: /more than 10000 messages.*narrow Subscriptions/,
  });
  t.equal(clock.pendingTimers, 0);
  broker.forbidden.add('t/#');
  await t.rejects(listRetainedTopics(topics), { code: 'DEVICE_REFUSED', message: /subscription to t\/#/ });
  broker.forbidden.clear();
});

await t.test('a query of the broker ends with the connection that started it', async (t) => {
  const { clock, topics, ending } = await connectedTopics();
  await topics.subscribe(OWNER, { filter: 't', qos: 0 }, () => undefined).ready;
  const outcome = listRetainedTopics(topics).catch((thrown: unknown) => thrown);
  await until('the pause', () => clock.pendingTimers === 2);
  ending.abort();
  t.match(await outcome, { code: 'DEVICE_OFFLINE' });
  t.equal(clock.pendingTimers, 0);
});

await t.test('under the supervisor, with a manual clock', async (t) => {
  const clock = new ManualClock();
  const broker = new SimulatedBroker();
  await using fixture = new DeviceFixture(mqttModules(broker), clock);
  const client = await fixture.add('MQTT Client', { Url: 'mqtt://broker' });
  const Topics = [
    { Ident: 'VALUE', Type: 'integer', StateTopic: 'v' },
    { Ident: 'COUNT', Type: 'integer', StateTopic: 'v', Counter: true },
    { Ident: 'DEEP', Type: 'float', StateTopic: 'j', JsonPath: 'a' },
    { Ident: 'TEXT', Type: 'string', StateTopic: 'j' },
  ];
  const device = await fixture.add('MQTT Device', { Topics }, client);
  await fixture.waitForLink(device, 'online');

  await t.test(
    'a flood within one iteration of the event loop is limited, and the last value is reported',
    async (t) => {
      const values = fixture.watch(device, 'VALUE');
      const counts = fixture.watch(device, 'COUNT');
      for (let n = 1; n <= 10_000; n += 1) broker.publish('v', String(n));
      t.equal(values.length, REPORTS_PER_ITERATION);
      await yieldToEventLoop();
      await yieldToEventLoop();
      t.equal(values.length, REPORTS_PER_ITERATION + 1);
      t.equal(values.at(-1), 10_000);
      t.equal(counts.at(-1), 10_000);
      broker.publish('v', '5');
      t.equal(fixture.value(device, 'VALUE'), 5, 'and then reports continue as before');
      broker.publish('v', '6', true);
      t.equal(fixture.value(device, 'COUNT'), 10_002);
    },
  );

  await t.test('an unreadable payload does not change the variable, and is reported', async (t) => {
    broker.publish('v', 'seven');
    t.equal(fixture.value(device, 'VALUE'), 6);
    t.equal(fixture.value(device, 'COUNT'), 10_003);
    t.match(fixture.status(device), /VALUE, from v: "seven" is not an integer/);
    broker.publish('j', Buffer.from([0xff]));
    broker.publish('j', '{"a":null}');
    broker.publish('j', '{"b":1}');
    broker.publish('j', Buffer.alloc(PAYLOAD_LIMIT + 1, 0x20));
    t.same(
      fixture.devices.problems(device.id).map(({ code }) => code),
      ['UNREADABLE', 'TOO_LARGE'],
    );
    t.equal(fixture.value(device, 'TEXT'), '{"b":1}');
    t.equal(fixture.value(device, 'DEEP'), 0);
    await passTime(clock, 80_000);
    t.same(fixture.devices.problems(device.id), []);
  });

  await t.test('a retained message is not a new event', async (t) => {
    broker.stop();
    await fixture.waitForLink(device, 'waiting');
    t.match(fixture.status(client), /closed the connection|no program listens/);
    broker.start();
    await passTime(clock, 2_000);
    await fixture.waitForLink(device, 'online');
    t.equal(fixture.value(device, 'VALUE'), 6, 'the retained state');
    t.equal(fixture.value(device, 'COUNT'), 10_003);
    broker.publish('v', '8');
    t.equal(fixture.value(device, 'COUNT'), 10_004, 'counting continued');
  });

  await t.test('a rejected subscription is reported, and does not affect the others', async (t) => {
    broker.forbidden.add('secret');
    await fixture.change(device, {
      Topics: [...Topics, { Ident: 'S', Type: 'string', StateTopic: 'secret' }],
    });
    await fixture.waitForLink(device, 'online');
    t.match(fixture.devices.problems(device.id), [
      { code: 'SUBSCRIPTION', text: /secret.*access control list/ },
    ]);
    broker.publish('v', '9');
    t.equal(fixture.value(device, 'VALUE'), 9);
  });

  await t.test(
    'a command that the broker does not acknowledge fails and closes the connection',
    async (t) => {
      await fixture.change(device, {
        Topics: [...Topics, { Ident: 'C', Type: 'integer', CommandTopic: 'c' }],
      });
      await fixture.waitForLink(device, 'online');
      broker.isMute = true;
      const idle = clock.pendingTimers;
      const outcome = fixture.devices.write(device.id, 'C', 1).catch((thrown: unknown) => thrown);
      await until('the publish', () => clock.pendingTimers > idle);
      await passTime(clock, PUBLISH_DEADLINE_MS);
      t.match(await outcome, { code: 'DEVICE_OFFLINE' });
      t.equal(fixture.value(device, 'C'), 0, 'the variable keeps its value');
      broker.isMute = false;
      await passTime(clock, 2_000);
      await fixture.waitForLink(device, 'online');
      t.notOk(broker.published.some(({ topic }) => topic === 'c'));
    },
  );

  await fixture.devices.close();
  t.equal(broker.openCount, 0);
  t.equal(clock.pendingTimers, 0, 'no timer is left');
});
