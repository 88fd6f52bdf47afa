/** Two gateways at one broker: what one publishes, the other finds and controls. */
import { Type } from '@sinclair/typebox';
import t, { type Test } from 'tap';
import type { BrokerConnector } from '../../../drivers/mqtt/broker.js';
import { mqttModules } from '../../../drivers/mqtt/index.js';
import type { Message } from '../../../drivers/mqtt/message.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { fault } from '../../../src/base/fault.js';
import {
  moduleKind,
  variableType,
  type ModuleDefinition,
  type OpenInstance,
  type Value,
} from '../../../src/device/module.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { objectType } from '../../../src/kernel/object.js';
import { quality } from '../../../src/kernel/quality.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { hasProgram } from '../../tools/program.js';
import { until } from '../../tools/until.js';
import { fakeTestBroker, mosquittoTestBroker, type TestBroker } from './brokers.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

/** A gateway with a plug of its own, which it publishes together with a room. */
async function publishing(broker: TestBroker, fixture: DeviceFixture) {
  const { kernel } = fixture;
  const client = await fixture.add('MQTT Client', {
    Url: broker.url,
    ProtocolVersion: broker.version,
    WillTopic: 'gateway/online',
  });
  const plug = await fixture.add(
    'MQTT Device',
    {
      Topics: [
        {
          Ident: 'STATE',
          Name: 'Plug',
          Type: 'boolean',
          StateTopic: 'plug/state',
          CommandTopic: 'plug/set',
        },
      ],
    },
    client,
  );
  kernel.tree.set(plug, 'ident', 'plug');
  kernel.tree.set(plug, 'name', 'Plug');
  const room = kernel.tree.create(objectType.category, {}, { ident: 'room', name: 'Living room' });
  const temperature = kernel.variables.create(variableType.float, {
    parent: room,
    ident: 'TEMPERATURE',
    name: 'Temperature',
    profile: '~Temperature',
  });
  kernel.variables.update(temperature, 21.5, 0);
  const publisher = await fixture.add('MQTT Publisher', { Paths: ['plug', 'room'] }, client);
  await fixture.waitForLink(publisher, 'online');
  return { client, plug, room, temperature, publisher };
}

/** A switch without a broker. */
const switchModule = (write: NonNullable<OpenInstance['write']>): ModuleDefinition => ({
  id: '{2F4D3E60-6B57-4B0B-9C1A-0C8C7F1B5A10}',
  name: 'Switch',
  kind: moduleKind.device,
  prefix: 'TEST',
  properties: Type.Object({}),
  variables: () => [
    { ident: 'STATE', name: 'State', type: variableType.boolean, role: 'main', action: true },
  ],
  open: async (host) => {
    host.report('STATE', false);
    return { write, close: () => Promise.resolve() };
  },
});

/** A slow network: what the broker has queued arrives only when the filter of the commands is subscribed to. */
function slowNetwork(brokers: BrokerConnector): BrokerConnector {
  return {
    get openCount() {
      return brokers.openCount;
    },
    async connect(options, listener, signal) {
      let held: Message[] | undefined = [];
      const onMessage = (message: Message) =>
        held === undefined ? listener.onMessage(message) : void held.push(message.copy());
      const onLost = (cause: Error) => listener.onLost(cause);
      const connection = await brokers.connect(options, { onMessage, onLost }, signal);
      const subscribe = connection.subscribe.bind(connection);
      connection.subscribe = (requests) => {
        if (requests.some(({ filter }) => filter.endsWith('/set'))) {
          const queued = held ?? [];
          held = undefined;
          for (const message of queued) listener.onMessage(message);
        }
        return subscribe(requests);
      };
      return connection;
    },
  };
}

const payloads = (broker: TestBroker, topic: string) =>
  broker
    .heard()
    .filter((one) => one.topic === topic)
    .map(({ payload }) => payload);

/** The topics of announcements and states that are retained. */
async function retained(broker: TestBroker): Promise<string[]> {
  await broker.publish('last', 'end');
  await until('all messages', () => payloads(broker, 'last').length > 0);
  const kept = new Map(broker.heard().map(({ topic, payload }) => [topic, payload]));
  const all = [...kept].filter(
    ([topic, payload]) => /^(homeassistant|stellwerk)\/(device|stellwerk_)/.test(topic) && payload !== '',
  );
  return all.map(([topic]) => topic);
}

async function contract(t: Test, name: string, make: () => Promise<TestBroker>): Promise<void> {
  await t.test(`${name}: from one gateway into another, and back`, async (t) => {
    await using broker = await make();
    await using first = new DeviceFixture(mqttModules(broker.brokers));
    await using second = new DeviceFixture(mqttModules(broker.brokers));
    const { client, plug, temperature, publisher } = await publishing(broker, first);
    t.equal(first.value(publisher, 'PUBLISHED'), 2);
    const other = await second.add('MQTT Client', { Url: broker.url, ProtocolVersion: broker.version });
    const discovery = await second.add('MQTT Discovery', { Adopt: 'all' }, other);
    await second.waitForLink(discovery, 'online');
    const adopted = (name: string): Instance | undefined =>
      [...second.kernel.tree.objectsOfType(objectType.instance)].find((one) => one.name === name);
    await until('both devices', () => adopted('Plug') !== undefined && adopted('Living room') !== undefined);
    const [remotePlug, remoteRoom] = [adopted('Plug') as Instance, adopted('Living room') as Instance];
    await second.waitForLink(remotePlug, 'online');
    const variableOf = (instance: Instance) =>
      [...(instance.children ?? [])].find(
        (child) =>
          child.is(objectType.variable) && child.data.role === 'main' && !/^(LINK|STATUS)$/.test(child.ident),
      );
    const remoteSwitch = variableOf(remotePlug)?.ident ?? '';
    const remoteTemperature = variableOf(remoteRoom);
    t.match(remoteTemperature, { name: 'Temperature', data: { profile: '~Temperature' } });
    await second.waitForValue(remoteRoom, remoteTemperature?.ident ?? '', 21.5);
    await second.devices.write(remotePlug.id, remoteSwitch, true);
    await until('the command at the plug', () => payloads(broker, 'plug/set').includes('ON'));
    t.equal(first.value(plug, 'STATE'), false, 'a command is no state');
    await broker.publish('plug/state', 'ON');
    await second.waitForValue(remotePlug, remoteSwitch, true);
    first.kernel.variables.update(temperature, 22, 1);
    await second.waitForValue(remoteRoom, remoteTemperature?.ident ?? '', 22);
    first.kernel.variables.setQualityProblem(temperature, {
      state: quality.bad,
      reason: 'NO_ANSWER',
      text: 'broken',
    });
    await second.waitForQuality(remoteRoom, remoteTemperature?.ident ?? '', 'bad UNAVAILABLE');
    await first.devices.delete(client.id);
    await second.waitForQuality(remotePlug, remoteSwitch, 'bad UNAVAILABLE');
  });

  await t.test(`${name}: changed, removed and foreign announcements`, async (t) => {
    await using broker = await make();
    await using fixture = new DeviceFixture(mqttModules(broker.brokers));
    await broker.publish('homeassistant/device/other_1/config', '{"not":"ours"}', true);
    const { client, room, publisher } = await publishing(broker, fixture);
    const topic = `homeassistant/device/stellwerk_${client.id}_${room.id}/config`;
    await until('the announcement', () => payloads(broker, topic).length === 1);
    fixture.kernel.tree.set(room, 'name', 'Salon');
    await until('the new name', () => /"Salon"/.test(payloads(broker, topic).at(-1) ?? ''));
    const before = payloads(broker, topic).length;
    await broker.publish('homeassistant/status', 'online');
    await until('it again, for Home Assistant', () => payloads(broker, topic).length > before);
    await fixture.change(publisher, { Paths: ['plug', 'none'] });
    await until('its removal', () => payloads(broker, topic).at(-1) === '');
    await until('the missing path', () => /there is no object at none/.test(fixture.status(publisher)));
    t.notOk(payloads(broker, 'homeassistant/device/other_1/config').includes(''), 'others stay');
  });

  await t.test(`${name}: objects with a rule, and what remains of them`, async (t) => {
    await using broker = await make();
    await using fixture = new DeviceFixture(mqttModules(broker.brokers));
    const { client, plug, room, temperature, publisher } = await publishing(broker, fixture);
    const { tree } = fixture.kernel;
    const topicOf = ({ id }: { id: number }) => `homeassistant/device/stellwerk_${client.id}_${id}/config`;
    const stateOf = (id: number) => `stellwerk/stellwerk_${client.id}/${id}/state`;
    const last = (topic: string) => payloads(broker, topic).at(-1);
    await until('the room', () => last(stateOf(temperature.id)) === '21.5');
    tree.set(room, 'publish', 'none');
    await until('the removal of the room', () => last(topicOf(room)) === '');
    await until('the removal of its states', () => last(stateOf(temperature.id)) === '');
    await fixture.change(publisher, { Paths: [] });
    await until('the removal of the plug', () => last(topicOf(plug)) === '');
    await fixture.waitForLink(publisher, 'online');
    tree.set(plug, 'publish', 'home-assistant');
    tree.set(temperature, 'publish', 'home-assistant');
    await until('the plug by its rule', () => /"Plug"/.test(last(topicOf(plug)) ?? ''));
    // The nearer rule applies: the room's is none.
    await until('the variable by its rule', () => /"Living room"/.test(last(topicOf(room)) ?? ''));
    tree.set(room, 'publish', '');
    t.equal(fixture.value(publisher, 'PUBLISHED'), 2);
    fixture.kernel.variables.update(temperature, 23, 1);
    await until('its value', () => last(stateOf(temperature.id)) === '23');
    tree.delete(temperature);
    await until('the removal of the object', () => last(topicOf(room)) === '');
    await until('and of its state', () => last(stateOf(temperature.id)) === '');
    await fixture.change(publisher, { Rules: false });
    await until('the removal without rules', () => last(topicOf(plug)) === '');
    await fixture.change(publisher, { Rules: true });
    await until('the plug again', () => /"Plug"/.test(last(topicOf(plug)) ?? ''));
    await fixture.waitForLink(publisher, 'online');
    await fixture.devices.delete(publisher.id);
    await until('the removal with the publisher', () => last(topicOf(plug)) === '');
    t.strictSame(await retained(broker), [], 'nothing is retained');
  });

  await t.test(`${name}: two publishers leave each other's topics`, async (t) => {
    await using broker = await make();
    await using fixture = new DeviceFixture(mqttModules(broker.brokers));
    const { client, room, temperature } = await publishing(broker, fixture);
    const { tree, variables } = fixture.kernel;
    const cellar = tree.create(objectType.category, {}, { ident: 'cellar', name: 'Cellar' });
    const pump = variables.create(variableType.boolean, { parent: cellar, ident: 'PUMP', name: 'Pump' });
    variables.update(pump, true, 0);
    const topicOf = (id: number) => `homeassistant/device/stellwerk_${client.id}_${id}/config`;
    const stateOf = (id: number) => `stellwerk/stellwerk_${client.id}/${id}/state`;
    const last = (topic: string) => payloads(broker, topic).at(-1);
    const second = await fixture.add('MQTT Publisher', { Paths: ['cellar', 'room'] }, client);
    await fixture.waitForLink(second, 'online');
    await until('the second publisher', () => last(stateOf(pump.id)) === 'ON');
    // Both have received everything before this one when it is gone.
    await broker.publish(topicOf(1), '{}', true);
    await until('the removal of an earlier one', () => last(topicOf(1)) === '');
    t.match(last(topicOf(cellar.id)), /"Cellar"/);
    t.equal(last(stateOf(pump.id)), 'ON');
    await fixture.devices.delete(second.id);
    const kept = await retained(broker);
    t.notOk(kept.includes(topicOf(cellar.id)));
    t.notOk(kept.includes(stateOf(pump.id)));
    t.ok(kept.includes(topicOf(room.id)), 'the first one still publishes it');
    t.ok(kept.includes(stateOf(temperature.id)));
  });

  await t.test(`${name}: a publisher that is deleted while a change waits`, async (t) => {
    await using broker = await make();
    const clock = new ManualClock();
    await using fixture = new DeviceFixture(mqttModules(broker.brokers), clock);
    const { client, room, publisher } = await publishing(broker, fixture);
    const topic = `homeassistant/device/stellwerk_${client.id}_${room.id}/config`;
    await until('the announcement', () => payloads(broker, topic).length > 0);
    fixture.kernel.tree.set(room, 'name', 'Salon');
    await yieldToEventLoop();
    const deleting = fixture.devices.delete(publisher.id);
    clock.advance(1000);
    await deleting;
    t.strictSame(await retained(broker), [], 'nothing is published again');
  });

  await t.test(`${name}: a command that is rejected is not shown as done`, async (t) => {
    await using broker = await make();
    await using fixture = new DeviceFixture([
      ...mqttModules(broker.brokers),
      switchModule(() => Promise.reject(fault('DEVICE_REFUSED', 'locked by a rule'))),
    ]);
    const { client, publisher } = await publishing(broker, fixture);
    const lamp = await fixture.add('Switch', {});
    fixture.kernel.tree.set(lamp, 'publish', 'home-assistant');
    const id = lamp.children?.byIdent('STATE')?.id ?? 0;
    const topic = `stellwerk/stellwerk_${client.id}/${id}`;
    await until('its state', () => payloads(broker, `${topic}/state`).length > 0);
    const before = payloads(broker, `${topic}/state`).length;
    await broker.publish(`${topic}/set`, 'ON');
    await until('the state again', () => payloads(broker, `${topic}/state`).length > before);
    t.strictSame([...new Set(payloads(broker, `${topic}/state`))], ['OFF']);
    t.equal(fixture.value(publisher, 'LINK'), 'online');
  });

  await t.test(`${name}: a command that was sent while the gateway was offline`, async (t) => {
    await using broker = await make();
    const clock = new ManualClock();
    const written: Value[] = [];
    const lamps = switchModule((_ident, value) => {
      written.push(value);
      return Promise.resolve();
    });
    await using fixture = new DeviceFixture([...mqttModules(slowNetwork(broker.brokers)), lamps], clock);
    const lamp = await fixture.add('Switch', {});
    fixture.kernel.tree.set(lamp, 'publish', 'home-assistant');
    const client = await fixture.add('MQTT Client', {
      Url: broker.url,
      ProtocolVersion: broker.version,
      CleanSession: false,
      ClientID: 'gateway',
    });
    const publisher = await fixture.add('MQTT Publisher', {}, client);
    await fixture.waitForLink(publisher, 'online');
    const topic = `stellwerk/stellwerk_${client.id}/${lamp.children?.byIdent('STATE')?.id}/set`;
    broker.cut();
    await fixture.waitForLink(client, 'waiting');
    await broker.publish(topic, 'ON');
    await fixture.waitForReconnect(publisher, clock);
    await broker.publish(topic, 'OFF');
    await until('the next command', () => written.includes(false));
    t.strictSame(written, [false], 'is not performed when it is back');
  });

  await t.test(`${name}: a payload that is not a command does nothing`, async (t) => {
    await using broker = await make();
    await using fixture = new DeviceFixture(mqttModules(broker.brokers));
    const { client, plug, publisher } = await publishing(broker, fixture);
    const state = plug.children?.byIdent('STATE');
    const topic = `stellwerk/stellwerk_${client.id}/${state?.id}/set`;
    for (const payload of ['on', '', '1', 'x'.repeat(5000), '\u0000']) await broker.publish(topic, payload);
    await broker.publish(`stellwerk/stellwerk_${client.id}/${client.id}/set`, 'ON');
    await broker.publish(topic, 'ON', true);
    await until('the only command', () => payloads(broker, 'plug/set').length > 0);
    await fixture.change(publisher, { Paths: ['plug'] });
    await fixture.waitForLink(publisher, 'online');
    await broker.publish(topic, 'OFF');
    await until('the next command', () => payloads(broker, 'plug/set').includes('OFF'));
    t.strictSame(payloads(broker, 'plug/set'), ['ON', 'OFF'], 'a retained command is not repeated');
  });
}

await contract(t, 'simulated broker', () => fakeTestBroker(4));
await t.test('mosquitto', { skip }, async (t) => contract(t, 'MQTT 5', () => mosquittoTestBroker(5)));
