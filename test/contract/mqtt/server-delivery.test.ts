/** How an MQTT Server delivers messages: their QoS, their identifiers, and what waits for a client. */
import t, { type Test } from 'tap';
import { connectAsync, type MqttClient } from 'mqtt';
import { ManualClock } from '../../../src/base/clock.js';
import { startLocalBroker } from '../../tools/broker/local-broker.js';
import { until } from '../../tools/until.js';

async function connected(t: Test, port: number): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0, protocolVersion: 4 });
  t.teardown(() => client.endAsync(true));
  return client;
}

t.test('a message has at most the QoS of the subscriptions that match it', async (t) => {
  const { port } = await startLocalBroker(t, new ManualClock(), new Map());
  const [device, panel] = [await connected(t, port), await connected(t, port)];
  await device.publishAsync('zero/a', 'retained', { qos: 1, retain: true });
  const heard: string[] = [];
  panel.on('message', (topic, payload, { qos }) => heard.push(`${topic}=${payload.toString()} ${qos}`));
  await panel.subscribeAsync({ 'one/+': { qos: 1 }, 'two/+': { qos: 1 }, 'two/#': { qos: 2 } });
  await panel.subscribeAsync('zero/#', { qos: 0 });
  for (const topic of ['one/a', 'two/a'])
    for (const qos of [2, 1, 0] as const) await device.publishAsync(topic, String(qos), { qos });
  await until('all messages', () => heard.length === 7);
  t.strictSame(heard.toSorted(), [
    'one/a=0 0',
    'one/a=1 1',
    'one/a=2 1',
    'two/a=0 0',
    'two/a=1 1',
    'two/a=2 2',
    'zero/a=retained 0',
  ]);
});
