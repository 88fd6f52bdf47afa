import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { instanceStatus } from '../../../src/kernel/instances.js';
import { ROOT } from '../../law/sources.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

const PAGE = readFileSync(join(ROOT, 'docs/use/location.md'), 'utf8');

t.test('a gateway with a location knows when the sun sets, and keeps the location', async (t) => {
  const clock = new ManualClock(Date.parse('2026-06-21T10:00Z'));
  const fixture = await startGateway(t, SIMULATED_CONFIG, { clock });
  const lc = await idOf(fixture, 'stellwerk/LC');
  t.match(await rpc(fixture, 'SVC_GetInstance', lc), { InstanceStatus: instanceStatus.inactive });
  t.match(await valueAt(fixture, 'stellwerk/LC/STATUS'), /set Latitude and Longitude/);
  t.match(await rpc(fixture, 'GW_GetHealth'), { State: 'ok' }, 'without a use of the sun, health is ok');
  const calls = [...PAGE.matchAll(/^bin\/stellwerk call (\S+) stellwerk\/LC ?(\S*) ?(\S*)$/gm)];
  t.equal(calls.length, 3);
  for (const [, name = '', property, value] of calls)
    t.equal(await rpc(fixture, name, lc, ...(property ? [property, Number(value)] : [])), true, name);
  await until('it is day', async () => (await valueAt(fixture, 'stellwerk/LC/IsDay')) === true);
  const sunset = Number(await valueAt(fixture, 'stellwerk/LC/Sunset'));
  t.match(new Date(sunset * 1000).toISOString(), /^2026-06-21T19:3/);
  t.match(
    await rpc(fixture, 'GetValueFormatted', await idOf(fixture, 'stellwerk/LC/Sunset')),
    /21\.?.*06|06.*21/,
    'a readable date',
  );

  await fixture.gateway.close();
  const again = await startGateway(t, undefined, { directory: fixture.directory, clock });
  await until('it is day', async () => (await valueAt(again, 'stellwerk/LC/IsDay')) === true);
  t.equal(await idOf(again, 'stellwerk/LC'), lc, 'the same instance');
  t.equal(
    ((await rpc(again, 'SVC_GetInstanceListByModuleID', '{45E97A63-F870-408A-B259-2933F7EABF74}')) as [])
      .length,
    1,
  );
});

t.test('the location can be configured in gateway.yaml', async (t) => {
  const clock = new ManualClock(Date.parse('2026-06-21T23:00Z'));
  const yaml = /```yaml\n([^]*?)```/.exec(PAGE)?.[1] ?? '';
  const fixture = await startGateway(t, SIMULATED_CONFIG + yaml, { clock });
  await until('it is night', async () => (await valueAt(fixture, 'stellwerk/LC/IsDay')) === false);
  const all = await rpc(fixture, 'SVC_GetInstanceListByModuleID', '{45E97A63-F870-408A-B259-2933F7EABF74}');
  t.strictSame(all, [await idOf(fixture, 'stellwerk/LC')], 'the built-in instance');
});
