import t from 'tap';
import { startCookbookPage } from '../../tools/gateway/cookbook-gateway.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { passTime } from '../../tools/devices/device-fixture.js';
import { setTimeZone } from '../../tools/time-zone.js';

interface Sum {
  readonly TimeStamp: number;
  readonly Avg: number;
}

const [DAY, MONTH, YEAR, QUARTER] = [1, 3, 4, 8];
const MINUTE_S = 60;

t.test(
  'a solar house has its load profile, its cost, and a boiler that heats with the surplus',
  async (t) => {
    setTimeZone(t, 'Europe/Berlin');
    const house = await startCookbookPage(t, 'solar-house.md', '2026-06-15T19:44:50Z');
    const { gateway } = house;
    const archive = await idOf(gateway, 'stellwerk/AC');
    const set = async (ident: string, value: number) =>
      rpc(gateway, 'SetValue', await idOf(gateway, `house/${ident}`), value);
    // 21:45 to 22:00: half a kWh of the day tariff; then a quarter of a kWh of the night tariff.
    const pass = (seconds: number) => passTime(house.clock, seconds * 1000);
    await pass(10);
    await set('grid', 300);
    await set('solar', 0);
    await set('import', 4200.5);
    await set('generation', 2503);
    await set('export', 901);
    await pass(15 * MINUTE_S);
    await set('import', 4200.75);
    await pass(15 * MINUTE_S);
    t.equal(await house.value('house/energy/COST'), 0.5 * 0.32 + 0.25 * 0.24);
    t.equal(await house.value('house/energy/REVENUE'), 0.08);
    t.equal(await house.value('house/energy/CONSUMPTION'), 2.75);
    t.equal(await house.value('house/energy/SELF_CONSUMED'), 2);
    t.equal(await house.value('house/energy/LOAD'), 1000, 'a quarter of a kWh in a quarter of an hour');
    const sums = async (path: string, span: number) =>
      (await rpc(
        gateway,
        'AC_GetAggregatedValues',
        archive,
        await idOf(gateway, path),
        span,
        0,
        0,
        0,
      )) as Sum[];
    const profile = await sums('house/import', QUARTER);
    t.same(
      profile.map(({ Avg }) => Avg).filter((kWh) => kWh > 0),
      [0.25, 0.5],
      'the load profile, newest first',
    );
    for (const { TimeStamp } of profile) t.equal(TimeStamp % (15 * MINUTE_S), 0);
    for (const span of [DAY, MONTH, YEAR]) {
      t.match(await sums('house/energy/COST', span), [{ Avg: 0.22 }]);
      t.match(await sums('house/energy/CONSUMPTION', span), [{ Avg: 2.75 }]);
    }

    for (const chart of ['load_profile', 'cost', 'self_consumption', 'surplus']) {
      const id = await idOf(gateway, `house/${chart}`);
      const data = (await rpc(gateway, 'AC_FetchChartData', archive, id, 0, DAY, 0)) as {
        Points: unknown[];
      }[];
      t.ok(data.length > 0, chart);
      for (const { Points } of data) t.ok(Points.length > 0, `${chart} has points`);
    }
    t.match(await house.run(1), /^"?<svg/);

    t.equal(await house.value('wires/relay1/STATE'), false);
    await house.run(2);
    await pass(4 * MINUTE_S);
    await house.waitForValue('house/boiler/STATE', true);
    await house.waitForValue('wires/relay1/STATE', true);
    // It has been on for three minutes: after a minute and a half, only its minimum time keeps it on.
    await set('grid', 500);
    await pass(1.5 * MINUTE_S);
    t.equal(await house.value('wires/relay1/STATE'), true, 'its minimum time');
    await pass(2 * MINUTE_S);
    await house.waitForValue('wires/relay1/STATE', false);
    t.match(await house.run(3), /"Avg":0.25/);
  },
);
