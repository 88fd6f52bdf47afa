/** The example of docs/hardware/home-assistant.md: what appears at the broker, commands, rules and removal. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import t from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

interface Component {
  /** The platform: `switch`, `sensor`. */
  readonly p: string;
  readonly command_topic?: string;
  readonly state_topic?: string;
  readonly unit_of_measurement?: string;
  readonly type?: string;
  readonly entity_category?: string;
}

interface Announcement {
  readonly device: { readonly name: string };
  readonly components: Readonly<Record<string, Component>>;
}

t.test('the example appears as the page says, follows rules, and is removed', { skip }, async (t) => {
  const page = readFileSync(join(PACKAGE_ROOT, 'docs/hardware/home-assistant.md'), 'utf8');
  const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  const broker = await startMosquitto({ directory: await tempDirectory(t) });
  const outside = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
  t.teardown(async () => {
    await outside.endAsync(true);
    await broker[Symbol.asyncDispose]();
  });
  /** The last payload of each topic; retained ones that are removed are empty. */
  const topics = new Map<string, string>();
  outside.on('message', (topic, payload) => topics.set(topic, payload.toString()));
  await outside.subscribeAsync('#');
  const announced = () =>
    new Map(
      [...topics]
        .filter(([topic, payload]) => topic.startsWith('homeassistant/device/') && payload !== '')
        .map(([, payload]) => {
          const { device, components } = JSON.parse(payload) as Announcement;
          return [device.name, Object.values(components)];
        }),
    );
  const mainOf = (name: string) =>
    (announced().get(name) ?? []).filter(({ entity_category }) => entity_category === undefined);

  const gateway = await startGateway(
    t,
    SIMULATED_CONFIG + yaml.replace('127.0.0.1:1883', `127.0.0.1:${broker.port}`),
  );
  await until('four devices', () => announced().size === 4);
  t.strictSame([...announced().keys()].toSorted(), ['Fan', 'Hall', 'Lamp', 'Switch']);
  t.equal(await valueAt(gateway, 'broker/publisher/PUBLISHED'), 4);
  t.strictSame(
    mainOf('Hall').map(({ p, unit_of_measurement }) => [p, unit_of_measurement]),
    [['sensor', '°C']],
  );
  const kinds = mainOf('Switch').map(({ p }) => p);
  t.ok(kinds.includes('event'));
  t.strictSame(
    mainOf('Switch').flatMap(({ p, type }) => (p === 'device_automation' ? [type] : [])).length,
    4,
  );
  const [lamp] = mainOf('Lamp').filter(({ p }) => p === 'switch');
  const [fan] = mainOf('Fan').filter(({ p }) => p === 'switch');
  const stateOf = (one: Component | undefined) => topics.get(one?.state_topic ?? '');

  const off = stateOf(lamp);
  await outside.publishAsync(lamp?.command_topic ?? '', 'ON');
  await until('the lamp', async () => (await valueAt(gateway, 'hall/lamp/STATE')) === true);
  await until('its state', () => stateOf(lamp) !== off);
  // The interlock rejects the fan; the state that Home Assistant shows stays.
  const isRejected = () => gateway.log.some((line) => line.includes('rejected: '));
  await outside.publishAsync(fan?.command_topic ?? '', 'ON');
  await until('the rejection', isRejected);
  t.equal(await valueAt(gateway, 'hall/fan/STATE'), false);
  t.equal(stateOf(fan), off);

  await rpc(gateway, 'GW_SetPublishRule', await idOf(gateway, 'hall/lamp'), 'none');
  await until('the lamp is gone', () => announced().size === 3 && !announced().has('Lamp'));
  await until('its state is gone', () => stateOf(lamp) === '');
  await rpc(gateway, 'SVC_DeleteInstance', await idOf(gateway, 'broker/publisher'));
  await until('all are gone', () => announced().size === 0);
  await until('their states are gone', () => stateOf(fan) === '');
});
