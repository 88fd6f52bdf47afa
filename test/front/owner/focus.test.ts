import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

const open = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

async function openConsole(t: Test) {
  const fixture = await startArea(t);
  const address = `${new URL(fixture.front).origin}/console/`;
  const { page } = await openPage(await startBrowser(t), address, { width: 1280, height: 800 });
  await signIn(page);
  return { fixture, page };
}

/** Presses a button with the keyboard, and waits until `next` has the focus. */
async function press(button: Locator, next: Locator): Promise<void> {
  await button.focus();
  await button.press('Enter');
  await until('the focus', () => hasFocus(next));
}

const hasFocus = (element: Locator) => element.evaluate((one) => one.matches(':focus'));

t.test('the focus stays next to what was removed', { skip: noBrowser }, async (t) => {
  const { fixture, page } = await openConsole(t);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const event = (await rpc(fixture, 'SVC_CreateEvent', 2)) as number;
  await open(page, `#/events/${event}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await button('Add a condition').click();
  for (const kind of ['+ Time', '+ Time']) await button(kind).click();
  const comparisons = page.getByLabel('Comparison');
  await press(button('Remove the rule').first(), comparisons.first());
  t.equal(await comparisons.count(), 1);
  await press(button('Remove the rule'), button('+ Variable'));
  await press(button('Remove this condition'), button('Add a condition'));
  await button('Add an action').click();
  await press(button('Add days'), button('Add days'));
  await button('Add a time').click();
  await press(button('Remove 06:00'), button('Add a time'));
  await press(button('Remove these days'), button('Add days'));
  await press(button('Remove Action 1'), button('Add an action'));

  await open(page, `#/tree/${await fixture.id('area/ground/radio/garden')}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  const list = page.locator('.list-field').first();
  await list.getByRole('button', { name: 'Add a row' }).click();
  const addRow = list.getByRole('button', { name: 'Add a row' });
  await press(list.getByRole('button', { name: 'Remove row 2' }), addRow);
  await press(list.getByRole('button', { name: 'Remove row 1' }), addRow);

  await open(page, '#/fronts');
  await button('Edit the pages of Family').click();
  await button('Add a page').click();
  await button('Tile for Page 1').click();
  await page.keyboard.type('Hall relay');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await until('the focus returns', () => hasFocus(button('Tile for Page 1')));
  await press(button('Remove Hall relay'), button('Tile for Page 1'));
  await press(button('Remove Page 1'), button('Add a page'));
});

t.test('the focus stays in the list of sessions, and at a line', { skip: noBrowser }, async (t) => {
  const { fixture, page } = await openConsole(t);
  const address = `${new URL(fixture.front).origin}/console/`;
  const { page: other } = await openPage(await startBrowser(t), address, {});
  await signIn(other);
  await open(page, '#/system/sessions');
  const own = page.locator('.cards > li', { hasText: 'this browser' }).getByRole('button');
  const ends = page.locator('.cards > li').filter({ hasNotText: 'this browser' }).getByRole('button');
  await ends.first().waitFor();
  await press(ends.first(), own);

  await open(page, '#/hardware');
  await page.locator('main').getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('button', { name: 'Create GPIO Input BUTTON5' }).waitFor();
  await page.getByRole('button', { name: /^BUTTON5/ }).click();
  const line = page.getByRole('article');
  await press(
    line.getByRole('button', { name: /^Create GPIO Input/ }),
    line.getByRole('button', { name: 'Set active', exact: true }),
  );
});

t.test(
  'rows of the tree have their place, and a row that is no element is not active',
  { skip: noBrowser },
  async (t) => {
    const { fixture, page } = await openConsole(t);
    const ground = await fixture.id('area/ground');
    for (let n = 0; n < 60; n++) {
      const id = (await rpc(fixture, 'SVC_CreateCategory')) as number;
      await rpc(fixture, 'SVC_SetParent', id, ground);
    }
    const relay = await fixture.id('area/ground/hall_relay');
    await open(page, `#/tree/${relay}`);
    const tree = page.getByRole('tree');
    const row = page.locator(`#row-${relay}`);
    await row.waitFor();
    const siblings = (await rpc(fixture, 'SVC_GetChildrenIDs', ground)) as number[];
    const count = () => row.getAttribute('aria-setsize');
    await until('all siblings', async () => (await count()) === String(siblings.length));
    t.ok(Number(await row.getAttribute('aria-posinset')) >= 1);
    t.equal(await tree.getAttribute('aria-activedescendant'), `row-${relay}`);
    await tree.evaluate((box) => (box.scrollTop = 0));
    await row.waitFor({ state: 'detached' });
    t.equal(await tree.getAttribute('aria-activedescendant'), null);
    await tree.press('ArrowDown');
    await until('the next row', async () => (await tree.getAttribute('aria-activedescendant')) !== null);
    await page.locator(`#${await tree.getAttribute('aria-activedescendant')}`).waitFor();
  },
);
