import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT } from '../../law/sources.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { type GatewayFixture, SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

/** The example at the beginning of the page. */
const TREE =
  /```yaml\n(tree:\n[^]*?)```/.exec(readFileSync(join(ROOT, 'docs/hardware/sensors.md'), 'utf8'))?.[1] ?? '';

const becomes = (gateway: GatewayFixture, path: string, value: unknown) =>
  until(`${path} to be ${String(value)}`, async () => (await valueAt(gateway, path)) === value);

async function qualityAt(gateway: GatewayFixture, path: string): Promise<number> {
  const id = await idOf(gateway, path);
  return ((await rpc(gateway, 'GW_GetQuality', [id])) as [{ Quality: number }])[0].Quality;
}

t.test('the example of the page works: a room and a tank', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + TREE);
  for (const ident of ['room', 'tank']) await becomes(gateway, `${ident}/LINK`, 'online');
  for (const path of ['room/TEMPERATURE', 'room/HUMIDITY', 'room/PRESSURE', 'tank/LEVEL'])
    await until(`${path} to be good`, async () => (await qualityAt(gateway, path)) === 0);
  const formatted = async (path: string) =>
    String(await rpc(gateway, 'GetValueFormatted', await idOf(gateway, path)));
  t.match(await formatted('room/TEMPERATURE'), /^2\d\.\d °C$/);
  t.match(await formatted('room/PRESSURE'), /^10\d\d\.\d hPa$/);
  const level = (await valueAt(gateway, 'tank/LEVEL')) as number;
  t.ok(level >= 0 && level <= 250, `${level} cm`);
  t.equal(await rpc(gateway, 'GW_SimulateSensorGone', 'bme280@1-0076', true), true);
  await rpc(gateway, 'HW_RequestStatus', await idOf(gateway, 'room'), 'TEMPERATURE');
  await becomes(gateway, 'room/LINK', 'waiting');
  t.equal(await rpc(gateway, 'GW_SimulateSensorGone', 'bme280@1-0076', false), true);
  await becomes(gateway, 'room/LINK', 'online');
  t.equal(await rpc(gateway, 'GW_SimulateSensorGone', 'bme280@9-0076', true), 'NAME_NOT_FOUND');
});

t.test('a search lists the chips, and one call makes an instance with all values', async (t) => {
  const gateway = await startGateway(
    t,
    `${SIMULATED_CONFIG}tree:\n  - { instance: Hardware, ident: hardware, module: Hardware }\n`,
  );
  const hardware = await idOf(gateway, 'hardware');
  type Found = { ID: string; InstanceID: number }[];
  const found = async (): Promise<Found> => {
    await until(
      'the end of the search',
      async () => (await rpc(gateway, 'SVC_IsSearching', hardware)) === false,
    );
    const all = (await rpc(gateway, 'GW_GetFound', hardware)) as Found;
    return all.filter(({ ID }) => ID.startsWith('sensor '));
  };
  t.match(await found(), [
    { ID: 'sensor bme280@1-0076', Kind: 'sensor', About: 'humidity, pressure, temperature' },
    { ID: 'sensor ads1015@1-0048', About: 'voltage', Create: [{ ModuleName: 'Sensor' }] },
    { ID: 'sensor tmp102@1-0049', About: 'temperature' },
  ]);
  const id = (await rpc(gateway, 'GW_CreateFrom', hardware, 'sensor bme280@1-0076', 0)) as number;
  t.type(id, 'number');
  await rpc(gateway, 'SVC_StartSearch', hardware);
  t.equal((await found())[0]?.InstanceID, id);
});
