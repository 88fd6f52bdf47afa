import t from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea } from '../../tools/front/sample-area.js';

t.test("the owner composes a front's pages, and residents see them", { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const configurator = await fixture.id('wf');
  await rpc(fixture, 'WFC_AddItem', configurator, 'weather', 'vendor.widget', '{"city":"Bremen"}', '');
  const browser = await startBrowser(t);
  const console_ = `${new URL(fixture.front).origin}/console/#/fronts`;
  const { page, problems } = await openPage(browser, console_, { width: 1280, height: 800 });
  const resident = await openPage(browser, fixture.front, { width: 390, height: 844 });
  await resident.page.locator('.room').first().waitFor();
  await signIn(page);
  const edit = page.getByRole('button', { name: 'Edit the pages of Family' });
  await edit.click();
  await page.getByRole('button', { name: 'Add a page' }).click();
  const group = page.getByRole('group', { name: 'Page 1' });
  await group.getByLabel('Title').fill('Evening');
  const addTile = async (name: string, text: string) => {
    await page.getByRole('button', { name }).click();
    await page.keyboard.type(text);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await addTile('Tile for Page 1', 'Hall relay');
  await addTile('Tile for Page 1', 'Front door');
  await group.getByRole('button', { name: 'Move Front door up' }).click();
  await group.getByRole('listitem').filter({ hasText: 'Front door' }).getByLabel('must be held').check();
  await page.getByRole('button', { name: 'Add a section' }).click();
  await page.getByRole('group', { name: 'Section 1' }).getByLabel('Title').fill('Warmth');
  await addTile('Tile for Section 1', 'Setpoint');
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await edit.waitFor();

  t.match(await rpc(fixture, 'WFC_GetItems', configurator), [
    { ID: 'weather', Configuration: '{"city":"Bremen"}' },
    { ID: 'page1', ParentID: '', Configuration: '{"title":"Evening"}' },
    { ID: 'tile2', ParentID: 'page1', Configuration: '{"object":"ground/door","confirm":true}' },
    { ID: 'tile1', ParentID: 'page1', Configuration: '{"object":"ground/hall_relay"}' },
    { ID: 'section1', ParentID: 'page1' },
    { ID: 'tile3', ParentID: 'section1', Configuration: '{"object":"ground/setpoint"}' },
  ]);
  await resident.page.getByRole('heading', { name: 'Warmth' }).waitFor();
  t.equal(await resident.page.getByRole('button', { name: /Kitchen window/ }).count(), 0);

  await edit.click();
  await page.getByRole('button', { name: 'Remove Page 1' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await resident.page.locator('.room').first().waitFor();
  t.strictSame([...problems, ...resident.problems], []);
});

t.test('the editor of pages on a phone, in German and in the dark', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const configurator = await fixture.id('wf');
  const tile = {
    ID: 'lamp',
    ParentID: 'one',
    ClassName: 'stellwerk.tile',
    Configuration: '{"object":"ground/lamp"}',
  };
  const page1 = { ID: 'one', ClassName: 'stellwerk.page', Configuration: '{"title":"Abend"}' };
  await rpc(fixture, 'WFC_SetItems', configurator, JSON.stringify([page1, tile]));
  const address = `${new URL(fixture.front).origin}/console/#/fronts`;
  const { page, problems } = await openPage(await startBrowser(t), address, {
    width: 390,
    height: 844,
    scheme: 'dark',
    locale: 'de-DE',
  });
  await signIn(page);
  await page.getByRole('button', { name: 'Seiten bearbeiten: Family' }).click();
  await page.getByRole('group', { name: 'Seite 1' }).getByText('Table lamp').waitFor();
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  t.strictSame(problems, []);
});
