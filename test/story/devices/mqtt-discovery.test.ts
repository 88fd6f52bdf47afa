import { connectAsync } from 'mqtt';
import t from 'tap';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

const configFor = (port: number) => `${SIMULATED_CONFIG}tree:
  - { instance: Hardware, ident: hardware, module: Hardware }
  - { category: Kitchen, ident: kitchen }
  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "mqtt://127.0.0.1:${port}" }
    children:
      - { instance: MQTT devices, ident: discovery, module: MQTT Discovery }
`;

const device = { identifiers: ['bulb-1'], name: 'Bulb', manufacturer: 'Acme', model: 'B1' };
const announcements = {
  'homeassistant/light/bulb-1/light/config': {
    name: null,
    schema: 'json',
    unique_id: 'bulb1_light',
    state_topic: 'z/bulb',
    command_topic: 'z/bulb/set',
    supported_color_modes: ['color_temp'],
    min_mireds: 150,
    max_mireds: 500,
    device,
  },
  'homeassistant/select/bulb-1/start/config': {
    name: 'Power-on behaviour',
    entity_category: 'config',
    unique_id: 'bulb1_start',
    state_topic: 'z/bulb',
    value_template: '{{ value_json.start }}',
    command_topic: 'z/bulb/set/start',
    options: ['off', 'previous'],
    device,
  },
  'homeassistant/infrared/bulb-1/ir/config': { name: 'Remote', unique_id: 'bulb1_ir', device },
};

interface Found {
  readonly ID: string;
  readonly Kind: string;
  readonly Name: string;
  readonly About: string;
  readonly InstanceID: number;
  readonly Create: readonly { ModuleName: string }[];
}

const searched = async (fixture: GatewayFixture, path: string): Promise<Found[]> => {
  const id = await idOf(fixture, path);
  await rpc(fixture, 'SVC_StartSearch', id);
  return (await rpc(fixture, 'GW_GetFound', id)) as Found[];
};

t.test(
  'a device that announces itself becomes an instance, which survives a restart',
  { skip },
  async (t) => {
    const directory = await tempDirectory(t);
    const broker = await startMosquitto({ directory });
    const outside = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
    const heard: string[] = [];
    outside.on('message', (topic, payload) => heard.push(`${topic} ${payload.toString()}`));
    await outside.subscribeAsync('z/bulb/#');
    for (const [topic, payload] of Object.entries(announcements))
      await outside.publishAsync(topic, JSON.stringify(payload), { retain: true });
    const fixture = await startGateway(t, configFor(broker.port));
    let found: Found | undefined;
    await until('the device', async () => {
      const valid = (await valueAt(fixture, 'broker/discovery/LINK')) === 'online';
      [found] = valid ? await searched(fixture, 'broker/discovery') : [];
      return found?.About.includes('3 entities') === true;
    });
    t.match(found, { ID: 'id bulb-1', Kind: 'mqtt', Name: 'Bulb', InstanceID: 0 });
    t.match(found?.About, /not understood: Remote: there is no support for infrared/);
    t.match(found?.Create, [{ ModuleName: 'MQTT Discovered Device', Properties: { Device: 'id bulb-1' } }]);
    await until('the module Hardware', async () =>
      (await searched(fixture, 'hardware')).some(({ ID, Kind }) => ID === 'id bulb-1' && Kind === 'mqtt'),
    );
    const hardware = await idOf(fixture, 'hardware');
    const kitchen = await idOf(fixture, 'kitchen');
    const id = (await rpc(fixture, 'GW_CreateFrom', hardware, 'id bulb-1', kitchen)) as number;
    await rpc(fixture, 'SVC_SetIdent', id, 'bulb');
    await until('the instance', async () => (await valueAt(fixture, 'kitchen/bulb/LINK')) === 'online');
    t.match(await valueAt(fixture, 'kitchen/bulb/STATUS'), /Remote: there is no support for infrared/);
    await until('the search to name it', async () =>
      (await searched(fixture, 'hardware')).some(
        ({ ID, InstanceID }) => ID === 'id bulb-1' && InstanceID === id,
      ),
    );

    const state = 'kitchen/bulb/light_bulb1_light';
    const start = 'kitchen/bulb/select_bulb1_start';
    await outside.publishAsync('z/bulb', '{"state":"OFF","brightness":100,"color_temp":300,"start":"off"}', {
      retain: true,
    });
    await until('the brightness', async () => (await valueAt(fixture, `${state}__BRIGHTNESS`)) === 100);
    t.equal(await valueAt(fixture, `${state}__COLOR_TEMPERATURE`), 300);
    t.equal(await valueAt(fixture, start), 'off');
    t.equal(
      await rpc(fixture, 'GetValueFormatted', await idOf(fixture, `${state}__COLOR_TEMPERATURE`)),
      '300 mired',
    );
    await rpc(fixture, 'RequestAction', await idOf(fixture, state), true);
    await until('the command', () => heard.includes('z/bulb/set {"state":"ON"}'));
    await rpc(fixture, 'RequestAction', await idOf(fixture, start), 'previous');
    await until('the choice', () => heard.includes('z/bulb/set/start previous'));
    t.equal(await valueAt(fixture, state), false, 'nothing has changed yet');
    await outside.publishAsync('z/bulb', '{"state":"ON"}');
    await until('the new state', async () => (await valueAt(fixture, state)) === true);

    await fixture.gateway.close();
    await outside.endAsync();
    await broker[Symbol.asyncDispose]();
    const again = await startGateway(t, undefined, { directory: fixture.directory });
    t.equal(await idOf(again, 'kitchen/bulb'), id, 'it is the same instance');
    const variable = await idOf(again, start);
    t.match(await rpc(again, 'SVC_GetVariable', variable), { VariableAction: id });
    const { VariableProfile } = (await rpc(again, 'SVC_GetVariable', variable)) as {
      VariableProfile: string;
    };
    t.match(await rpc(again, 'SVC_GetVariableProfile', VariableProfile), {
      Associations: [
        { Value: 'off', Name: 'Off' },
        { Value: 'previous', Name: 'Previous' },
      ],
    });
    t.equal(await valueAt(again, state), true, 'the last value');
  },
);
