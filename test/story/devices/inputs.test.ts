import t from 'tap';
import { rpc, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const TREE = `tree:
  - { instance: Door, ident: door, module: Button, properties: { Line: BUTTON1, Bias: pull-up, DebounceUs: 100000, ClickGapMs: 200, LongMs: 60000 } }
  - { instance: Pump, ident: pump, module: GPIO Input, properties: { Line: BUTTON2 } }
`;

const value = (fixture: GatewayFixture, path: string, expected: unknown) =>
  until(`${path} to be ${String(expected)}`, async () => (await valueAt(fixture, path)) === expected);
const counts = (fixture: GatewayFixture) =>
  Promise.all(['PRESS', 'RELEASE', 'SINGLE', 'LONG'].map((ident) => valueAt(fixture, `door/${ident}`)));

t.test('a press that began before a restart is not counted; the counts continue', async (t) => {
  const directory = await tempDirectory(t);
  const press = async (fixture: GatewayFixture, active: boolean) => {
    await rpc(fixture, 'GW_SimulateBounce', 'BUTTON1', active, 3, 1, 7);
    await value(fixture, 'door/STATE', active);
  };
  const first = await startGateway(t, SIMULATED_CONFIG + TREE, { directory });
  await value(first, 'door/LINK', 'online');
  // Nothing drives the line, and it is pulled up: the button is pressed when the instance opens.
  t.equal(await valueAt(first, 'door/STATE'), true);
  await press(first, false);
  await press(first, true);
  await press(first, false);
  await value(first, 'door/SINGLE', 1);
  await press(first, true);
  t.strictSame(await counts(first), [2, 1, 1, 0]);
  await first.gateway.close();

  const second = await startGateway(t, undefined, { directory });
  await value(second, 'door/LINK', 'online');
  t.equal(await valueAt(second, 'door/STATE'), true, 'still pressed');
  await press(second, false);
  t.strictSame(await counts(second), [2, 1, 1, 0], 'its release is not counted');
  await press(second, true);
  await press(second, false);
  await value(second, 'door/SINGLE', 2);
  t.strictSame(await counts(second), [3, 2, 2, 0]);
});

t.test('an oscillating input is reported by health; all calls are answered meanwhile', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + TREE);
  await value(fixture, 'pump/LINK', 'online');
  await rpc(fixture, 'GW_SimulateFlood', 'BUTTON2', 20_000, 60_000);
  const isTold = async () => /oscillating/.test(String(await valueAt(fixture, 'pump/STATUS')));
  await until('it to be detected', isTold);
  const health = (await rpc(fixture, 'GW_GetHealth')) as { State: string; Checks: { Text: string }[] };
  t.not(health.State, 'ok');
  t.match(JSON.stringify(health), /BUTTON2: oscillating/);
  const before = await valueAt(fixture, 'pump/COUNT');
  await until(
    'counting to continue',
    async () => Number(await valueAt(fixture, 'pump/COUNT')) > Number(before),
  );
});
