/** A bridge is reopened while its broker does not reply: its queue is open once, and every value arrives. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { bridgeModules } from '../../../drivers/bridge/index.js';
import type { BrokerPort } from '../../../drivers/bridge/mqtt/broker-port.js';
import { SimulatedBroker } from '../../../drivers/mqtt/simulated-broker.js';
import { ManualClock } from '../../../src/base/clock.js';
import { CLOSE_TIMEOUT_MS } from '../../../src/device/supervisor.js';
import { NameResolver } from '../../../src/device/toolkit/name-resolver.js';
import { BridgeFixture } from '../../tools/bridge/bridge-fixture.js';
import { passTime } from '../../tools/devices/device-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { PATIENCE_MS, until } from '../../tools/until.js';

interface Sent {
  readonly value: unknown;
  readonly seq?: number;
}

/** The values of the counter that the broker has received. */
const received = ({ published }: SimulatedBroker): Sent[] =>
  published
    .filter(({ topic }) => /^box\/(value|history)\/hall\/COUNT$/.test(topic))
    .map(({ payload }) => JSON.parse(payload) as Sent)
    .filter(({ seq = 0 }) => seq > 0);

/** A bridge with a value in flight, at a broker that has stopped acknowledging. */
async function openMute(
  t: Test,
  module: string,
  { broker, port }: { broker: SimulatedBroker; port: BrokerPort },
) {
  const directory = await tempDirectory(t);
  const clock = new ManualClock();
  const names = new NameResolver(clock, { local: async () => [], system: async () => [] });
  const directories = { directory, runtimeDirectory: join(directory, 'run') };
  const fixture = new BridgeFixture(bridgeModules({ brokers: port, names }, directories), clock);
  const identity = module === 'MQTT Bridge' ? { Topic: 'box' } : { GroupID: 'plant', EdgeNodeID: 'box' };
  const bridge = await fixture.add(module, {
    Url: 'mqtt://broker',
    Paths: [{ Path: 'hall', Priority: 'normal' }],
    ...identity,
  });
  await fixture.waitForValue(bridge, 'CONNECTED', true);
  await passTime(clock, 1000);
  // Nothing waits for the clock of a test that has failed.
  t.teardown(async () => {
    broker.stop();
    await fixture.devices.close();
  });
  broker.isMute = true;
  fixture.set('COUNT', 1);
  await passTime(clock, 1000);
  return { fixture, bridge, clock, directory };
}

for (const module of ['MQTT Bridge', 'Sparkplug Edge Node'])
  t.test(`${module}: a broker that does not reply does not delay closing`, async (t) => {
    const broker = new SimulatedBroker();
    const { fixture, bridge, clock } = await openMute(t, module, { broker, port: broker });
    let hasReopened = false;
    const applied = fixture.devices.applyChanges(bridge.id).then(() => (hasReopened = true));
    await passTime(clock, CLOSE_TIMEOUT_MS - 1000);
    await until('it to be reopened', () => hasReopened, PATIENCE_MS / 3);
    await applied;
    await fixture.waitForLink(bridge, 'online');
    t.ok(hasReopened, 'before the supervisor stops waiting for it');
  });

t.test('a queue is opened again only when it has been closed', async (t) => {
  const broker = new SimulatedBroker();
  const disconnected = Promise.withResolvers<void>();
  const port: BrokerPort = {
    async connect(options, listener, signal) {
      const link = await broker.connect(options, listener, signal);
      const close = async () => {
        await disconnected.promise;
        await link.close();
      };
      return {
        subscribe: (requests) => link.subscribe(requests),
        publish: (...message) => link.publish(...message),
        close,
      };
    },
  };
  const { fixture, bridge, clock, directory } = await openMute(t, 'MQTT Bridge', { broker, port });
  t.teardown(() => disconnected.resolve());
  let hasReopened = false;
  const applied = fixture.devices.applyChanges(bridge.id).then(() => (hasReopened = true));
  await until('the end of closing', async () => {
    await passTime(clock, 1000);
    return hasReopened;
  });
  await applied;
  // Opening it takes fewer operations.
  for (let n = 0; n < 1000; n++) await readdir(directory);
  t.equal(fixture.value(bridge, 'LINK'), 'opening', 'its queue is still open');
  disconnected.resolve();
  await fixture.waitForLink(bridge, 'online');
  broker.stop();
  const bytes = () => (fixture.devices.knownDevices(bridge.id) as { Bytes: number }[])[1]?.Bytes ?? 0;
  const before = bytes();
  for (let value = 2; value <= 5; value++) {
    fixture.set('COUNT', value);
    await passTime(clock, 1000);
  }
  await until('they are on the disk', async () => {
    await passTime(clock, 1000);
    return bytes() > before;
  });
  broker.isMute = false;
  broker.start();
  await until(
    'all values',
    async () => {
      await passTime(clock, 1000);
      return fixture.value(bridge, 'WAITING') === 0 && received(broker).length >= 5;
    },
    PATIENCE_MS / 3,
  );
  const values = received(broker).map(({ seq, value }) => `${seq} ${String(value)}`);
  t.strictSame([...new Set(values)].sort(), ['1 1', '2 2', '3 3', '4 4', '5 5']);
  t.equal(fixture.value(bridge, 'DROPPED'), 0);
});
