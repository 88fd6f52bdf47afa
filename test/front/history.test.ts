import t from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { roomTest } from '../tools/front/room-test.js';
import { AREA_TREE, startArea } from '../tools/front/sample-area.js';
import { until } from '../tools/until.js';

roomTest('the period that is shown can be chosen again', {}, async (t, { fixture, page }) => {
  await page.evaluate(`location.hash = '#/history/${await fixture.id('area/ground/outside')}'`);
  const history = page.locator('main.history');
  await history.locator('.chart').waitFor();
  // Each load has a chart of its own.
  await history.locator('.chart').evaluate((chart) => chart.setAttribute('data-old', ''));
  const day = history.getByRole('button', { name: 'Day' });
  t.equal(await day.getAttribute('aria-pressed'), 'true');
  await day.click();
  await history.locator('.chart:not([data-old])').waitFor();
  t.equal(await day.getAttribute('aria-pressed'), 'true');
});

t.test('a chart with the period before moves by one period', { skip: noBrowser }, async (t) => {
  const tree = AREA_TREE.replace('file: media/chart.json', 'file: media/days.json');
  const fixture = await startArea(t, { tree });
  const variableID = await fixture.id('area/ground/outside');
  const chart = await fixture.id('area/upper/chart');
  const content = { type: 'line', datasets: [{ variableID, timeOffset: -1 }, { variableID }] };
  const base64 = Buffer.from(JSON.stringify(content)).toString('base64');
  await rpc(fixture, 'SVC_SetMediaContent', chart, base64);
  const { page, problems } = await openPage(await startBrowser(t), `${fixture.front}#/history/${chart}`);
  const history = page.locator('main.history');
  const period = async () => (await history.locator('.span > span').textContent()) ?? '';
  await history.locator('.chart').waitFor();
  const today = await period();
  await history.getByRole('button', { name: 'Earlier' }).click();
  await until('yesterday', async () => !['', today].includes(await period()));
  t.equal(Math.round((Date.parse(today) - Date.parse(await period())) / 86_400_000), 1);
  await history.getByRole('button', { name: 'Later' }).click();
  await until('today again', async () => (await period()) === today);
  t.strictSame(problems, []);
});

roomTest('a text that is recorded has no link to a chart', {}, async (t, { fixture, page }) => {
  const [archive] = (await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[];
  const linksOf = async (path: string) => {
    const id = await fixture.id(path);
    await rpc(fixture, 'AC_SetLoggingStatus', archive, id, true);
    await page.evaluate(`location.hash = '#/object/${id}'`);
    await page.getByRole('dialog').getByRole('button', { name: 'Add to favourites' }).waitFor();
  };
  const links = page.getByRole('dialog').getByRole('link', { name: 'History' });
  await linksOf('area/ground/note');
  await linksOf('area/ground/setpoint');
  await links.waitFor();
  // The same page knows by now that both are recorded.
  await linksOf('area/ground/note');
  await links.waitFor({ state: 'detached' });
  t.equal(await links.count(), 0);
});
