import t from 'tap';
import { message } from '../../../src/kernel/messages.js';
import { mosquittoTestBroker, type TestBroker } from '../../contract/mqtt/brokers.js';
import { ptyPort, type TestPort } from '../../contract/serial/test-ports.js';
import { callText, idOf, post, replyIn, rpc, valueAt } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { openWebSocket, takeFrames, type Frame } from '../../tools/client/message-stream.js';
import { hasProgram } from '../../tools/program.js';
import type { RawWebSocket } from '../../tools/client/raw-websocket.js';
import { until } from '../../tools/until.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

const missing = ['mosquitto', 'socat'].filter((name) => !hasProgram(name));
const skip = missing.length > 0 && `not installed: ${missing.join(', ')} (Debian packages)`;

const devices = (serial: TestPort, mqtt: TestBroker) => `${SAMPLE_TREE}  - instance: Meter port
    ident: meter_port
    module: Serial Port
    properties: { Port: ${serial.where} }
    children:
      - instance: Meter
        ident: meter
        module: Serial Device
        properties:
          Rules: [{ Pattern: "^T=(-?[0-9.]+)$", Ident: TEMPERATURE, Type: float, Profile: ~Temperature }]
          Commands: [{ Ident: LEVEL, Type: integer, Send: 'LEVEL {value}\\r\\n' }]
  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "${mqtt.url}" }
    children:
      - instance: Plug
        ident: plug
        module: MQTT Device
        properties: { Topics: [{ Ident: STATE, Type: boolean, StateTopic: plug/state, CommandTopic: plug/set }] }
`;

const link = (gateway: GatewayFixture, path: string, expected: string) =>
  until(`${path} to be ${expected}`, async () => (await valueAt(gateway, `${path}/LINK`)) === expected);
const value = (gateway: GatewayFixture, path: string, expected: unknown) =>
  until(`${path} to be ${String(expected)}`, async () => (await valueAt(gateway, path)) === expected);
const commands = (mqtt: TestBroker) =>
  mqtt
    .heard()
    .filter(({ topic }) => topic === 'plug/set')
    .map(({ payload }) => payload);

/** The next update of a variable on a socket; other messages are skipped. */
async function updateOf(socket: RawWebSocket, id: number): Promise<Frame> {
  for (;;) {
    const [frame] = await takeFrames(socket, 1);
    if (frame?.SenderID === id && frame.Message === message.VM_UPDATE) return frame;
  }
}

t.test(
  'a switch, a serial line and a topic become frames at every client; calls control all three',
  { skip },
  async (t) => {
    await using serial = await ptyPort();
    await using mqtt = await mosquittoTestBroker(4);
    await mqtt.publish('plug/state', 'ON', true);
    const gateway = await startGateway(t, SIMULATED_CONFIG + devices(serial, mqtt));
    await value(gateway, 'broker/plug/STATE', true);
    await link(gateway, 'meter_port/meter', 'online');
    await using socket = await openWebSocket(gateway);
    const id = {
      button: await idOf(gateway, 'ground_floor/hall_button/STATE'),
      temperature: await idOf(gateway, 'meter_port/meter/TEMPERATURE'),
      plug: await idOf(gateway, 'broker/plug/STATE'),
      sense: await idOf(gateway, 'ground_floor/hall_sense/STATE'),
    };
    await rpc(gateway, 'GW_SimulateLine', 'BUTTON1', true);
    t.match(await updateOf(socket, id.button), { Data: [true, true, false] });
    serial.say('T=21.5\r\n');
    t.match(await updateOf(socket, id.temperature), { Data: [21.5, true, 0] });
    t.equal(await rpc(gateway, 'GetValueFormatted', id.temperature), '21.5 °C');
    await mqtt.publish('plug/state', 'OFF', true);
    t.match(await updateOf(socket, id.plug), { Data: [false, true, true] });

    t.equal(
      await rpc(
        gateway,
        'HW_WriteValueBoolean',
        await idOf(gateway, 'ground_floor/hall_relay'),
        'STATE',
        true,
      ),
      true,
    );
    t.match(await updateOf(socket, id.sense), { Data: [true, true, false] });
    t.equal(
      await rpc(gateway, 'HW_WriteValueInteger', await idOf(gateway, 'meter_port/meter'), 'LEVEL', 7),
      true,
    );
    await until('the command', () => serial.heard().toString() === 'LEVEL 7\r\n');
    t.equal(await rpc(gateway, 'RequestAction', id.plug, true), true);
    await until('the command', () => commands(mqtt).length === 1);
    t.strictSame(
      [commands(mqtt), await rpc(gateway, 'GetValue', id.plug)],
      [['ON'], false],
      'a command does not change the variable',
    );
    t.match(await rpc(gateway, 'GW_GetHealth'), { State: 'ok' });
  },
);

t.test(
  'while the broker is offline a command fails immediately and is never sent later',
  { skip },
  async (t) => {
    await using serial = await ptyPort();
    await using mqtt = await mosquittoTestBroker(4);
    const gateway = await startGateway(t, SIMULATED_CONFIG + devices(serial, mqtt));
    await link(gateway, 'broker/plug', 'online');
    const plug = await idOf(gateway, 'broker/plug');
    await mqtt.stop();
    await link(gateway, 'broker/plug', 'waiting');
    const failed = replyIn(await post(gateway, callText('HW_WriteValueBoolean', [plug, 'STATE', true])));
    t.match(failed.error, { code: -32_603, data: { code: 'DEVICE_OFFLINE' } });
    t.equal(
      await rpc(gateway, 'RequestAction', await idOf(gateway, 'broker/plug/STATE'), true),
      'DEVICE_OFFLINE',
    );
    serial.say('T=3\n');
    await value(gateway, 'meter_port/meter/TEMPERATURE', 3);
    await mqtt.start();
    await link(gateway, 'broker/plug', 'online');
    t.equal(await rpc(gateway, 'HW_WriteValueBoolean', plug, 'STATE', false), true);
    await until('the new command', () => commands(mqtt).length > 0);
    t.strictSame(commands(mqtt), ['OFF'], 'and not the failed one');
  },
);

t.test(
  'an unplugged adapter is reported, keeps ids and names, and is reopened when it is back',
  { skip },
  async (t) => {
    await using serial = await ptyPort();
    await using mqtt = await mosquittoTestBroker(4);
    const gateway = await startGateway(t, SIMULATED_CONFIG + devices(serial, mqtt));
    await link(gateway, 'meter_port/meter', 'online');
    const id = await idOf(gateway, 'meter_port/meter/TEMPERATURE');
    await serial.unplug();
    await link(gateway, 'meter_port', 'waiting');
    t.match(JSON.stringify(await rpc(gateway, 'GW_GetHealth')), /Meter port/);
    t.equal(
      await rpc(gateway, 'HW_WriteValueInteger', await idOf(gateway, 'meter_port/meter'), 'LEVEL', 1),
      'DEVICE_OFFLINE',
    );
    await serial.plug();
    await link(gateway, 'meter_port/meter', 'online');
    serial.say('T=4\n');
    await value(gateway, 'meter_port/meter/TEMPERATURE', 4);
    t.equal(await idOf(gateway, 'meter_port/meter/TEMPERATURE'), id);
    t.equal(serial.heard().toString(), '', 'no failed command is sent later');
  },
);

t.test('failing instances affect no other, and each status says what to do', async (t) => {
  const gateway = await startGateway(
    t,
    `${SIMULATED_CONFIG}${SAMPLE_TREE}  - { instance: No port, ident: no_port, module: Serial Port, properties: { Port: /dev/nothing } }
  - { instance: No broker, ident: no_broker, module: MQTT Client, properties: { Url: "mqtt://127.0.0.1:1" } }
  - { instance: Same line, ident: same_line, module: GPIO Output, properties: { Line: RELAY1 } }
  - { instance: No line, ident: no_line, module: GPIO Input, properties: { Line: RELAY99 } }
  - { instance: Unfinished, ident: unfinished, module: GPIO Input }
`,
  );
  for (const [ident, text] of [
    ['no_port', '/dev/nothing'],
    ['no_broker', '127.0.0.1'],
    ['same_line', 'RELAY1 is in use by another instance'],
    ['no_line', 'RELAY99'],
    ['unfinished', 'Line is empty'],
  ] as const)
    await until(`${ident} to report why`, async () =>
      String(await valueAt(gateway, `${ident}/STATUS`)).includes(text),
    );
  const relay = await idOf(gateway, 'ground_floor/hall_relay');
  t.equal(await rpc(gateway, 'HW_WriteValueBoolean', relay, 'STATE', true), true);
  t.equal(await valueAt(gateway, 'ground_floor/hall_sense/STATE'), true);
  const { Checks } = (await rpc(gateway, 'GW_GetHealth')) as { Checks: { Name: string; Text: string }[] };
  const { Text = '' } = Checks.find(({ Name }) => Name === 'devices') ?? {};
  for (const name of ['No port', 'No broker', 'Same line', 'No line', 'Unfinished']) t.match(Text, name);
  t.equal(Text.split('\n').length, 6, 'one line per instance, sorted by id');
  t.strictSame(await rpc(gateway, 'HW_ReadServiceMessages', relay), []);
  const [inUse] = (await rpc(
    gateway,
    'HW_ReadServiceMessages',
    await idOf(gateway, 'same_line'),
  )) as object[];
  const whose = `The device is offline: RELAY1 is in use by Hall relay (#${relay})`;
  t.match(inUse, { Text: whose }, 'the owner sees which instance uses the line');
  const said = (await rpc(gateway, 'HW_ReadServiceMessages', await idOf(gateway, 'no_line'))) as object[];
  t.match(
    said,
    [{ InstanceID: await idOf(gateway, 'no_line'), Code: String, Text: /RELAY99/ }],
    'decision 21',
  );
});
