/** The MQTT Bridge at a broker that comes and goes, with a client that checks the sequence numbers. */
import t, { type Test } from 'tap';
import { mqttBridge } from '../../../drivers/bridge/json/mqtt-bridge.js';
import type { ModuleDefinition } from '../../../src/device/module.js';
import { quality } from '../../../src/kernel/quality.js';
import { BridgeFixture, environmentIn } from '../../tools/bridge/bridge-fixture.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';
import { aedesTestBroker, fakeTestBroker, mosquittoTestBroker, type TestBroker } from '../mqtt/brokers.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

interface Received {
  readonly topic: string;
  readonly value: unknown;
  readonly seq?: number;
  readonly quality: string;
  readonly time: number;
}

const received = (broker: TestBroker, prefix: string): Received[] =>
  broker
    .heard()
    .filter(({ topic }) => topic.startsWith(prefix))
    .map(
      ({ topic, payload }) =>
        ({ topic: topic.slice(prefix.length), ...(JSON.parse(payload) as object) }) as Received,
    );

const modulesFor = (broker: TestBroker, directory: string): readonly ModuleDefinition[] =>
  [mqttBridge(broker.brokers, environmentIn(directory))] as unknown as readonly ModuleDefinition[];

async function opened(broker: TestBroker, directory: string, properties: Record<string, unknown> = {}) {
  const fixture = new BridgeFixture(modulesFor(broker, directory));
  const bridge = await fixture.add('MQTT Bridge', {
    Url: broker.url,
    Topic: 'box',
    Paths: [{ Path: 'hall', Priority: 'normal' }],
    WriteInterval: 1,
    ResendRate: 5000,
    ...properties,
  });
  await fixture.waitForLink(bridge, 'online');
  return { fixture, bridge };
}

/** `canStop`: the other client of the broker hears all messages after the broker has been restarted. */
async function contract(
  t: Test,
  { name, canStop }: { name: string; canStop: boolean },
  make: () => Promise<TestBroker>,
): Promise<void> {
  await t.test(`${name}: live values are retained, with quality and time`, async (t) => {
    await using broker = await make();
    const { fixture, bridge } = await opened(broker, await tempDirectory(t));
    await using _ = fixture;
    await fixture.waitForValue(bridge, 'CONNECTED', true);
    await until('all present values', () => received(broker, 'box/value/').length >= 4);
    t.match(received(broker, 'box/value/hall/')[0], { topic: 'TEMPERATURE', value: 20, quality: 'good' });
    fixture.set('TEMPERATURE', 21.5);
    fixture.set('TEMPERATURE', 21.5);
    fixture.set('LIGHT', true);
    fixture.kernel.variables.setQualityProblem(fixture.variable('COUNT'), {
      state: quality.bad,
      reason: 'NO_ANSWER',
      text: 'broken',
    });
    await until('three values', () => received(broker, 'box/value/').length >= 7);
    t.match(received(broker, 'box/value/hall/').slice(4), [
      { topic: 'TEMPERATURE', value: 21.5, seq: 1 },
      { topic: 'LIGHT', value: true, seq: 2 },
      { topic: 'COUNT', value: null, quality: 'bad', reason: 'NO_ANSWER', seq: 3 },
    ]);
    t.strictSame(received(broker, 'box/history/'), []);
    await until('the status', () => received(broker, 'box/status').length > 0);
    await broker.publish('box/status', '{"online":false}', true);
    const status = () => received(broker, 'box/status').at(-1) as unknown as { online: boolean };
    await until('the status, after the will of an earlier connection', () => status().online);
    await fixture.devices.delete(bridge.id);
    await until('it is off', () =>
      received(broker, 'box/status').some((one) => 'online' in one && one.online === false),
    );
  });

  await t.test(`${name}: a broker that comes and goes misses nothing`, async (t) => {
    await using broker = await make();
    const { fixture, bridge } = await opened(broker, await tempDirectory(t));
    await using _ = fixture;
    let value = 0;
    const change = async (count: number) => {
      for (let n = 0; n < count; n++) {
        fixture.set('COUNT', ++value);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    for (let round = 0; round < 3; round++) {
      await fixture.waitForValue(bridge, 'CONNECTED', true);
      await change(50);
      if (round === 1 || !canStop) broker.cut();
      else await broker.stop();
      await change(50);
      if (round !== 1 && canStop) await broker.start();
    }
    await fixture.waitForValue(bridge, 'CONNECTED', true);
    const all = () => [
      ...received(broker, 'box/value/hall/COUNT'),
      ...received(broker, 'box/history/hall/COUNT'),
    ];
    await until(`all of ${value} values`, () => new Set(all().map(({ seq }) => seq ?? 0)).size >= value);
    for (const one of all()) if ((one.seq ?? 0) > 0 && one.seq !== one.value) t.fail(JSON.stringify(one));
    const history = received(broker, 'box/history/hall/COUNT').map(({ seq }) => seq ?? 0);
    t.ok(history.length > 0);
    await until('nothing waits', () => {
      const counts = bridge.children?.byIdent('WAITING');
      return counts !== undefined && fixture.value(bridge, 'WAITING') === 0;
    });
    t.equal(fixture.value(bridge, 'DROPPED'), 0);
  });

  await t.test(`${name}: commands are performed for what is forwarded, and answered`, async (t) => {
    await using broker = await make();
    const { fixture, bridge } = await opened(broker, await tempDirectory(t), {
      Commands: true,
      Paths: [{ Path: '/', Priority: 'high' }],
    });
    await using _ = fixture;
    await fixture.waitForValue(bridge, 'CONNECTED', true);
    const ask = async (topic: string, command: object) => {
      const id = `${topic} ${Math.random()}`;
      await broker.publish(
        `box/set/${topic}`,
        JSON.stringify({ ...command, id, response: 'box/response/me' }),
      );
      return until(`the reply to ${topic}`, () =>
        received(broker, 'box/response/me').find((one) => 'id' in one && one.id === id),
      );
    };
    t.match(await ask('hall/TEMPERATURE', { value: 'warm' }), { ok: false, code: 'VARIABLE_TYPE' });
    t.match(await ask('hall/NOTHING', { value: 1 }), { ok: false, code: 'NAME_NOT_FOUND' });
    t.match(await ask('hall/LIGHT', { value: true }), { ok: false }, 'there is no action');
    t.equal(fixture.variable('LIGHT').data.value, false);
  });
}

await contract(t, { name: 'simulated broker', canStop: true }, () => fakeTestBroker(4));
await contract(t, { name: 'aedes', canStop: false }, aedesTestBroker);
await t.test('mosquitto', { skip }, async (t) =>
  contract(t, { name: 'MQTT 3.1.1', canStop: true }, () => mosquittoTestBroker(4)),
);

t.test('a broker that acknowledges nothing is left, and a restart keeps what waits', async (t) => {
  await using broker = await fakeTestBroker(4);
  const directory = await tempDirectory(t);
  {
    const { fixture, bridge } = await opened(broker, directory);
    await using _ = fixture;
    await fixture.waitForValue(bridge, 'CONNECTED', true);
    await broker.stop();
    for (let n = 1; n <= 20; n++) fixture.set('COUNT', n);
    await fixture.waitForValue(bridge, 'CONNECTED', false);
    t.match(fixture.status(bridge), /values wait in the queue/);
  }
  await broker.start();
  const { fixture } = await opened(broker, directory);
  await using _ = fixture;
  await until('all values', () => received(broker, 'box/history/hall/COUNT').length === 20);
  t.strictSame(
    received(broker, 'box/history/hall/COUNT').map(({ value }) => value),
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
});

t.test('properties that cannot work are rejected', async (t) => {
  await using broker = await fakeTestBroker(4);
  const module = mqttBridge(broker.brokers, environmentIn(await tempDirectory(t)));
  const rejected = (properties: Record<string, unknown>): string =>
    String(
      module.check?.({
        ...defaults(module as unknown as ModuleDefinition),
        Url: 'mqtt://a',
        ...properties,
      } as never),
    );
  t.equal(rejected({}), 'undefined');
  t.match(rejected({ Url: '' }), /Url is empty/);
  t.match(rejected({ Url: 'http://a' }), /must begin with mqtt/);
  t.match(rejected({ Url: 'mqtt://a:b@c' }), /must not contain a user name/);
  t.match(rejected({ Topic: 'a/#' }), /wildcards/);
  t.match(rejected({ KeyFile: '/k' }), /must be set together/);
  t.match(rejected({ KeyFile: '/k', CertificateFile: '/c' }), /only apply to mqtts/);
});

function defaults(module: ModuleDefinition): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(module.properties.properties).map(([name, schema]) => [
      name,
      schema['default'] as unknown,
    ]),
  );
}
