import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';

interface Logged {
  readonly TimeStamp: number;
  readonly Value: unknown;
  readonly Duration: number;
}

async function archiveOf(fixture: GatewayFixture): Promise<number> {
  const [id = 0] = (await rpc(fixture, 'SVC_GetInstanceListByModuleID', ARCHIVE)) as number[];
  return id;
}

t.test('presses of a button are recorded, and are still in the archive after a restart', async (t) => {
  const clock = new ManualClock();
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { clock });
  const [archive, state] = [await archiveOf(fixture), await idOf(fixture, 'ground_floor/hall_button/STATE')];
  const records = (of: GatewayFixture, from = 0, to = 0) =>
    rpc(of, 'AC_GetLoggedValues', archive, state, from, to, 0) as Promise<Logged[]>;
  const press = async (isDown: boolean) => {
    await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', isDown);
    await until('the button press is reported', async () => {
      clock.advance(10);
      return (await rpc(fixture, 'GetValue', state)) === isDown;
    });
    clock.advance(30_000);
  };

  await until(
    'the button exists',
    async () => (await valueAt(fixture, 'ground_floor/hall_button/LINK')) === 'online',
  );
  t.equal(await rpc(fixture, 'AC_GetLoggingStatus', archive, state), false);
  t.equal(await rpc(fixture, 'AC_SetLoggingStatus', archive, state, true), true);
  clock.advance(30_000);
  for (const isDown of [true, false, true]) await press(isDown);

  const seen = await records(fixture);
  t.strictSame(
    seen.map(({ Value }) => Value),
    [true, false, true, false],
    'newest first, beginning with the initial value',
  );
  for (const [n, { TimeStamp, Duration }] of seen.slice(1).entries()) {
    const held = (seen[n]?.TimeStamp ?? 0) - TimeStamp;
    t.ok(held >= 30 && Math.abs(Duration - held) <= 1, `held for ${held} s, recorded as ${Duration}`);
  }
  const [newest, , third] = seen;
  t.strictSame(
    (await records(fixture, third?.TimeStamp, (newest?.TimeStamp ?? 0) - 1)).map(({ Value }) => Value),
    [false, true],
    'a part of them',
  );
  await fixture.gateway.close();

  const again = await startGateway(t, undefined, { directory: fixture.directory, clock });
  t.equal(await rpc(again, 'AC_GetLoggingStatus', archive, state), true);
  const kept = await records(again);
  t.strictSame(
    kept.slice(-4).map(({ TimeStamp, Value }) => [TimeStamp, Value]),
    seen.map(({ TimeStamp, Value }) => [TimeStamp, Value]),
  );
  const others = await rpc(again, 'AC_GetAggregationVariables', archive, true);
  t.match(others, [{ VariableID: state, RecordCount: kept.length }], 'nothing else is recorded');
});
