/** The example house of docs/hardware/mqtt-discovery.md: from the announcement to a tile, and into another gateway. */
import { connectAsync } from 'mqtt';
import t from 'tap';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

const configOfFirst = (port: number) => `${SIMULATED_CONFIG}
configurators: [{ title: House, ident: front, base: house, password: petunia }]
tree:
  - category: House
    ident: house
    children:
      - instance: Broker
        ident: broker
        module: MQTT Client
        properties: { Url: "mqtt://127.0.0.1:${port}", WillTopic: first/online }
        children:
          - { instance: Devices, ident: discovery, module: MQTT Discovery, publish: none, properties: { Adopt: all } }
          - { instance: Out, ident: out, module: MQTT Publisher, properties: { Paths: [house], Prefix: site } }
`;

const configOfSecond = (port: number) => `${SIMULATED_CONFIG}tree:
  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "mqtt://127.0.0.1:${port}" }
    children:
      - { instance: Devices, ident: discovery, module: MQTT Discovery, properties: { Prefix: site, Adopt: all, Tasmota: false, Shelly: false } }
`;

/** Component, settings, and a state with the value of the main variable that follows. */
type Announced = readonly [component: string, settings: object, state: object, expected: unknown];

const DEVICES: Readonly<Record<string, Announced>> = {
  Bulb: [
    'light',
    { schema: 'json', supported_color_modes: ['color_temp'], brightness: true },
    { state: 'ON', brightness: 120, color_mode: 'color_temp', color_temp: 300 },
    true,
  ],
  Plug: [
    'switch',
    { value_template: '{{ value_json.state }}', payload_on: 'ON', payload_off: 'OFF' },
    { state: 'ON' },
    true,
  ],
  Blind: [
    'cover',
    {
      position_topic: 'z/Blind',
      set_position_topic: 'z/Blind/set',
      set_position_template: '{"position": {{ position }} }',
      position_template: '{{ value_json.position }}',
      value_template: '{{ value_json.state }}',
    },
    { position: 40, state: 'OPEN' },
    40,
  ],
  Thermostat: [
    'climate',
    {
      temperature_command_topic: 'z/Thermostat/set/target',
      temperature_state_topic: 'z/Thermostat',
      temperature_state_template: '{{ value_json.target }}',
      current_temperature_topic: 'z/Thermostat',
      current_temperature_template: '{{ value_json.temperature }}',
      min_temp: 5,
      max_temp: 30,
      temp_step: 0.5,
    },
    { target: 21.5, temperature: 20.25 },
    21.5,
  ],
  Motion: [
    'binary_sensor',
    {
      device_class: 'motion',
      value_template: '{{ value_json.occupancy }}',
      payload_on: true,
      payload_off: false,
    },
    { occupancy: true },
    true,
  ],
  Meter: [
    'sensor',
    {
      device_class: 'energy',
      unit_of_measurement: 'kWh',
      state_class: 'total_increasing',
      value_template: '{{ value_json.energy }}',
    },
    { energy: 1234.5 },
    1234.5,
  ],
};
const COMMANDED = ['light', 'switch', 'cover'];

interface Entry {
  readonly type: number;
  readonly name: string;
  readonly ident: string;
  readonly parentID: number;
  readonly data: { readonly value?: unknown; readonly role?: string; readonly action?: number };
}

/** The variables of the instance of a device, from a snapshot. */
function variablesOf(objects: Readonly<Record<string, Entry>>, device: string) {
  const found = Object.entries(objects).find(([, { type, name }]) => type === 1 && name === device);
  if (found === undefined) return [];
  const id = Number(found[0].slice(2));
  return Object.entries(objects)
    .filter(([, { type, parentID }]) => type === 2 && parentID === id)
    .map(([key, entry]) => ({ id: Number(key.slice(2)), ...entry }));
}

const objectsOf = async (fixture: GatewayFixture, configurator = 0) => {
  const snapshot = (await (configurator === 0
    ? rpc(fixture, 'SVC_GetSnapshot')
    : rpc(fixture, 'WFC_GetSnapshot', configurator))) as { objects: Record<string, Entry> };
  return snapshot.objects;
};

t.test('six devices become tiles, and appear in a second gateway', { skip }, async (t) => {
  const broker = await startMosquitto({ directory: await tempDirectory(t) });
  const outside = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
  t.teardown(async () => {
    await outside.endAsync(true);
    await broker[Symbol.asyncDispose]();
  });
  const commands: string[] = [];
  outside.on('message', (topic, payload) => commands.push(`${topic} ${payload.toString()}`));
  await outside.subscribeAsync('z/+/set/#');
  for (const [name, [component, settings, state]] of Object.entries(DEVICES)) {
    const announcement = {
      name: null,
      unique_id: name,
      ...(component !== 'climate' && { state_topic: `z/${name}` }),
      ...(COMMANDED.includes(component) && { command_topic: `z/${name}/set` }),
      ...settings,
      device: { identifiers: [name], name },
    };
    const topic = `homeassistant/${component}/${name}/x/config`;
    await outside.publishAsync(topic, JSON.stringify(announcement), { retain: true });
    await outside.publishAsync(`z/${name}`, JSON.stringify(state), { retain: true });
  }

  const first = await startGateway(t, configOfFirst(broker.port));
  const front = await idOf(first, 'front');
  for (const [name, [, , , expected]] of Object.entries(DEVICES)) {
    await until(`the tile of ${name}`, async () =>
      variablesOf(await objectsOf(first, front), name).some(
        ({ data }) => data.role === 'main' && data.value === expected,
      ),
    );
  }

  const second = await startGateway(t, configOfSecond(broker.port));
  for (const [name, [, , , expected]] of Object.entries(DEVICES))
    await until(`${name} in the second gateway`, async () =>
      variablesOf(await objectsOf(second), name).some(({ data }) => data.value === expected),
    );
  t.equal(await valueAt(first, 'house/broker/out/LINK'), 'online');

  // A command goes all the way to the device, and its state back.
  const plug = variablesOf(await objectsOf(second), 'Plug').find(({ data }) => data.value === true);
  await rpc(second, 'RequestAction', plug?.id ?? 0, false);
  await until('the command', () => commands.includes('z/Plug/set OFF'));
  await outside.publishAsync('z/Plug', '{"state":"OFF"}', { retain: true });
  await until('the state', async () =>
    variablesOf(await objectsOf(second), 'Plug').some(
      ({ id, data }) => id === plug?.id && data.value === false,
    ),
  );
});
