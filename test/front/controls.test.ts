import t from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { roomTest } from '../tools/front/room-test.js';
import { startArea } from '../tools/front/sample-area.js';

roomTest('Back leads from a history to where it was opened', {}, async (t, { fixture, page }) => {
  const [archive] = (await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[];
  await rpc(fixture, 'AC_SetLoggingStatus', archive, await fixture.id('area/ground/hall_relay/STATE'), true);
  const room = page.url();
  await page.getByRole('link', { name: 'Details: Hall relay' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('link', { name: 'History' }).click();
  const history = page.locator('main.history');
  await history.waitFor();
  await sheet.waitFor({ state: 'detached' });
  await history.getByRole('button', { name: 'Back', exact: true }).click();
  await sheet.waitFor();
  t.match(page.url(), new RegExp(`#/object/${await fixture.id('area/ground/hall_relay')}$`));
  await sheet.getByRole('button', { name: 'Close' }).click();
  await sheet.waitFor({ state: 'detached' });
  await page.getByRole('switch', { name: /Hall relay/ }).waitFor();
  t.equal(page.url(), room);
});

t.test(
  'Back leads from a history with which the page was opened to the first page',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const address = `${fixture.front}#/history/${await fixture.id('area/ground/outside')}`;
    const { page, problems } = await openPage(await startBrowser(t), address);
    const history = page.locator('main.history');
    await history.getByRole('button', { name: 'Back', exact: true }).click();
    await history.waitFor({ state: 'detached' });
    t.equal(page.url(), `${fixture.front}#/`);
    t.strictSame(problems, []);
  },
);
