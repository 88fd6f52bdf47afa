import t from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import { noBrowser, startBrowser } from '../tools/front/browser.js';
import { startArea } from '../tools/front/sample-area.js';
import { OWNER } from '../tools/gateway/api-fixture.js';

const DAY_S = 86_400;

t.test(
  'the history has the newest records, and the value before its period',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const browser = await startBrowser(t);
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
    const page = await context.newPage();
    // The clock of the device stands still, as of a device that has slept.
    await page.clock.setFixedTime(Date.now() - DAY_S * 1000);
    await page.goto(`${new URL(fixture.front).origin}/console/`);
    await page.locator('[name=username]').fill(OWNER.username);
    await page.locator('[name=password]').fill(OWNER.password);
    await page.locator('[name=password]').press('Enter');
    await page.locator('.rail').waitFor();
    const note = await fixture.id('area/ground/hostile');
    await page.evaluate(`location.hash = '#/tree/${note}'`);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('The values of this variable are not recorded').waitFor();
    await page.getByLabel('Record the values').click();
    await page.getByText('As a table (1 record)').waitFor();
    await page.getByText('As a table').click();
    const newest = page.locator('.scroll tr').nth(1);
    for (const value of [2, 3]) {
      await rpc(fixture, 'SetValue', note, value);
      await newest.filter({ hasText: String(value) }).waitFor();
    }
    const outside = await fixture.id('area/ground/outside');
    const archive = ((await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[])[0];
    const old = { TimeStamp: Math.floor(Date.now() / 1000) - 2 * DAY_S, Value: -7 };
    t.type(await rpc(fixture, 'AC_DeleteVariableData', archive, outside, 1, 0), 'number');
    t.equal(await rpc(fixture, 'AC_AddLoggedValues', archive, outside, [old]), true);
    await page.evaluate(`location.hash = '#/tree/${outside}'`);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('As a table (1 record)').click();
    t.match(await newest.textContent(), /-7\.0 °C/);
  },
);
