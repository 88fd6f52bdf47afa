/**
 * The broker stops and restarts: Debian's mosquitto in the box, with a simulated plug as another client. The
 * plug runs on the host with a persistent session, even over the broker's restart, so it receives every
 * command.
 */
import mqtt from 'mqtt';
import t from 'tap';
import { until } from '../tools/until.js';
import { Box, PATIENCE_MS } from './machine/box.js';

const MQTT_PORT = 1883;
const CONFIG = `
- instance: Broker
  ident: broker
  module: MQTT Client
  properties: { Url: "mqtt://127.0.0.1:${MQTT_PORT}" }
  children:
    - instance: Plug
      ident: plug
      module: MQTT Device
      properties: { Topics: [{ Ident: STATE, Type: boolean, StateTopic: plug/state, CommandTopic: plug/set }] }
- { variable: Other, ident: other, type: integer, value: 1 }
`;

await using box = await Box.taken(t, CONFIG);
const { agent } = box.machine;
await agent.run('systemctl start mosquitto');
const plug = await mqtt.connectAsync(`mqtt://127.0.0.1:${await box.forward(MQTT_PORT)}`, {
  clientId: 'plug',
  clean: false,
  reconnectPeriod: 200,
});
/** All commands that the plug received. */
const requests: string[] = [];
plug.on('message', (_topic, payload) => requests.push(payload.toString()));
plug.on('error', () => undefined); // it retries
await plug.subscribeAsync('plug/set', { qos: 1 });
const state = await box.id('broker/plug/STATE');
using frames = await box.frames();

await t.test('while the broker runs its messages are reported, and a command reaches the plug', async (t) => {
  await plug.publishAsync('plug/state', 'ON', { qos: 1, retain: true });
  await frames.update(state, true);
  t.equal(await box.call('RequestAction', state, true), true);
  await until('the command', () => requests.length > 0, PATIENCE_MS);
  t.strictSame(requests, ['ON']);
});

await t.test('the broker is stopped: the status says so, and a command fails immediately', async (t) => {
  await agent.run('systemctl stop mosquitto');
  await box.becomes('broker/LINK', 'waiting');
  await box.becomes('broker/plug/LINK', 'waiting');
  t.match(await box.value('broker/STATUS'), /127\.0\.0\.1:1883/, 'it names the broker');
  await t.rejects(box.call('RequestAction', state, false), { message: /^The device is offline/ });
  t.equal(await box.call('GetValue', state), true, 'the variable keeps its value');
  t.equal(await box.call('SetValue', await box.id('other'), 2), true, 'everything else continues');
});

await t.test(
  'the broker is restarted: retained state and commands work again, and nothing is sent later',
  async (t) => {
    await agent.run('systemctl start mosquitto');
    const { Data } = await frames.update(state, true);
    t.equal(Data[1], false, 'the state was reported again, unchanged');
    await box.becomes('broker/plug/LINK', 'online');
    await until('the plug has reconnected', () => plug.connected, PATIENCE_MS);
    t.equal(await box.call('RequestAction', state, true), true);
    await until('the command', () => requests.length > 1, PATIENCE_MS);
    await plug.publishAsync('plug/state', 'OFF', { qos: 1, retain: true });
    await frames.update(state, false);
    t.strictSame(requests, ['ON', 'ON'], 'no OFF: a failed command is never sent later');
  },
);

await plug.endAsync(true);
