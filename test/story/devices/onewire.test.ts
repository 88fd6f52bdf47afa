import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT } from '../../law/sources.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { type GatewayFixture, SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

/** The example at the beginning of the page. */
const TREE =
  /```yaml\n(tree:\n[^]*?)```/.exec(readFileSync(join(ROOT, 'docs/hardware/onewire.md'), 'utf8'))?.[1] ?? '';

const becomes = (gateway: GatewayFixture, path: string, value: unknown) =>
  until(`${path} to be ${String(value)}`, async () => (await valueAt(gateway, path)) === value);

/** The quality of a value; 0 is good. */
const stateOf = async (gateway: GatewayFixture, path: string) =>
  qualityOf(gateway, await idOf(gateway, path));
const qualityOf = async (gateway: GatewayFixture, id: number) =>
  ((await rpc(gateway, 'GW_GetQuality', [id])) as [{ Quality: number }])[0].Quality;

t.test('the example of the page works: a thermometer and valves', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + TREE);
  for (const ident of ['onewire', 'onewire/hall', 'onewire/valves'])
    await becomes(gateway, `${ident}/LINK`, 'online');
  const measured = () => valueAt(gateway, 'onewire/hall/TEMPERATURE') as Promise<number>;
  await until('a temperature', async () => (await stateOf(gateway, 'onewire/hall/TEMPERATURE')) === 0);
  t.ok((await measured()) >= 19 && (await measured()) <= 23, `${await measured()} °C`);
  t.match(
    await rpc(gateway, 'GetValueFormatted', await idOf(gateway, 'onewire/hall/TEMPERATURE')),
    /^\d+\.\d °C$/,
  );
  const valves = await idOf(gateway, 'onewire/valves');
  t.equal(await rpc(gateway, 'RequestAction', await idOf(gateway, 'onewire/valves/PIN2'), true), true);
  t.equal(await valueAt(gateway, 'onewire/valves/PORT'), 4);
  t.equal(await valueAt(gateway, 'onewire/valves/INPUT2'), true);
  t.equal(await rpc(gateway, 'OW_SetPort', valves, 3), true);
  t.strictSame(
    [await valueAt(gateway, 'onewire/valves/PIN0'), await valueAt(gateway, 'onewire/valves/PIN2')],
    [true, false],
  );
  t.equal(await rpc(gateway, 'OW_SetPosition', valves, 1), 'NOT_SUPPORTED');
  t.equal(await rpc(gateway, 'GW_SimulateOneWireGone', '28-000000000001', true), true);
  await rpc(gateway, 'OW_RequestStatus', await idOf(gateway, 'onewire/hall'));
  await until(
    'the thermometer to be reported missing',
    async () => (await stateOf(gateway, 'onewire/hall/TEMPERATURE')) === 2,
  );
  t.equal(await rpc(gateway, 'OW_RequestStatus', await idOf(gateway, 'onewire/hall')), 'DEVICE_OFFLINE');
  t.equal(await rpc(gateway, 'GW_SimulateOneWireGone', '28-00000000ffff', true), 'NAME_NOT_FOUND');
});

t.test('a search lists the devices on the bus, and one call makes a connected instance', async (t) => {
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
    return all.filter(({ ID }) => ID.startsWith('onewire '));
  };
  t.match(await found(), [
    {
      ID: 'onewire w1_bus_master1',
      Kind: 'onewire',
      About: '3 devices',
      Create: [{ ModuleName: '1-Wire Bus' }],
    },
    { ID: 'onewire 28-000000000001', About: 'DS18B20, on w1_bus_master1' },
    { ID: 'onewire 29-000000000002', About: 'DS2408, on w1_bus_master1' },
    { ID: 'onewire 3a-000000000003', About: 'DS2413, on w1_bus_master1' },
  ]);
  const hall = (await rpc(
    gateway,
    'GW_CreateFrom',
    hardware,
    'onewire 28-000000000001',
    0,
    '1-Wire Device',
    'Hall',
  )) as number;
  const pair = (await rpc(gateway, 'GW_CreateFrom', hardware, 'onewire 3a-000000000003', 0)) as number;
  const connection = async (id: number) =>
    ((await rpc(gateway, 'SVC_GetInstance', id)) as { ConnectionID: number }).ConnectionID;
  const bus = await connection(hall);
  t.equal(await connection(pair), bus, 'the bus was created once');
  t.match(await rpc(gateway, 'SVC_GetInstance', bus), { ModuleInfo: { ModuleName: '1-Wire Bus' } });
  const temperature = (await rpc(gateway, 'SVC_GetObjectIDByIdent', 'TEMPERATURE', hall)) as number;
  await until('a temperature', async () => (await qualityOf(gateway, temperature)) === 0);
  t.equal(await rpc(gateway, 'OW_SetPin', pair, 1, true), true);
  t.match(await rpc(gateway, 'OW_GetKnownDevices', bus), [
    { DeviceID: '28-000000000001', InstanceID: hall },
    { DeviceID: '29-000000000002', InstanceID: 0 },
    { DeviceID: '3a-000000000003', InstanceID: pair },
  ]);
  t.strictSame(
    (await found()).map(({ InstanceID }) => InstanceID),
    [bus, hall, 0, pair],
  );
});
