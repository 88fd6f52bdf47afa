import t from 'tap';
import { startCookbookPage } from '../../tools/gateway/cookbook-gateway.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { until } from '../../tools/until.js';

const HOUR_S = 3600;

t.test('on the first of the month there is a report of the previous month', async (t) => {
  const home = await startCookbookPage(t, 'energy-report.md', new Date(2026, 9, 31, 23, 50).toISOString());
  const archive = await idOf(home.gateway, 'stellwerk/AC');
  const quantity = await idOf(home.gateway, 'energy/meter/QUANTITY');
  // October from its first day on: half a kWh per hour, nothing on the last day.
  const begin = new Date(2026, 9, 1).getTime() / 1000;
  const end = new Date(2026, 9, 31).getTime() / 1000;
  const records = [];
  for (let at = begin - HOUR_S, n = 0; at < end; at += HOUR_S, n++)
    records.push({ TimeStamp: at, Value: n / 2 });
  t.equal(await rpc(home.gateway, 'AC_AddLoggedValues', archive, quantity, records), true);

  await home.pass(20 * 60);
  const kWh = (end - begin) / HOUR_S / 2;
  const sum = `10/2026: ${kWh.toFixed(1)} kWh, ${(kWh * 0.31).toFixed(2)} €`;
  await until('the report', async () => (await home.value('energy/report')) !== '');
  const lines = String(await home.value('energy/report')).split('\n');
  t.equal(lines[0], sum);
  t.equal(lines.length, 32, 'a line for each day of October');
  t.equal(lines[1], ' 1.     12.0 kWh');
  t.equal(lines[31], '31.      0.0 kWh');
});
