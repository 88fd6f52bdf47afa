import type { Page } from 'playwright-core';
import t from 'tap';
import { rpc, valueAt } from '../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { signIn } from '../tools/front/console-pages.js';
import { startArea } from '../tools/front/sample-area.js';
import { until } from '../tools/until.js';

/** Stops of a key until the one that is looked for. */
const MAX_STOPS = 60;

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  await press(page, 'Tab', name);
}

/** Presses the right arrow until an element with this name has the focus. */
async function arrowTo(page: Page, name: RegExp): Promise<void> {
  await press(page, 'ArrowRight', name);
}

async function press(page: Page, key: string, name: RegExp): Promise<void> {
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press(key);
    const text = await page.evaluate<string>(`(({ activeElement: one }) =>
      [one.getAttribute('aria-label'), one.labels?.[0]?.textContent, one.textContent].find((text) => text) ?? ''
    )(document)`);
    if (name.test(text)) return;
  }
  throw new Error(`${key} does not lead to ${name}`);
}

t.test('from signing in to signing out without a pointer', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const { page, problems } = await openPage(browser, fixture.locked);
  await page.getByLabel('Password').waitFor();
  await tabTo(page, /^Password/);
  await page.keyboard.type('tulip');
  await page.keyboard.press('Enter');
  await page.locator('.room').first().waitFor();
  await tabTo(page, /^Ground floor/);
  await page.keyboard.press('Enter');
  await page.locator('.tile[aria-disabled=false]', { hasText: 'Hall relay' }).waitFor();
  // The program of the arrow keys is loaded.
  await page.locator('[data-stop]').waitFor();
  await tabTo(page, /Hall relay/);
  await page.keyboard.press('Space');
  await until('it is on', async () => (await valueAt(fixture, 'area/ground/hall_relay/STATE')) === true);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Hall relay' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await tabTo(page, /^This device/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'This device' }).waitFor();
  await tabTo(page, /^Sign out/);
  await page.keyboard.press('Enter');
  await page.getByLabel('Password').waitFor();
  t.strictSame(problems, []);
});

t.test('the owner signs out a lost phone, without a pointer', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const phone = await openPage(browser, fixture.locked);
  await phone.page.getByLabel('Name of this device').fill('Phone of Anna');
  await phone.page.getByLabel('Password').fill('tulip');
  await phone.page.getByLabel('Password').press('Enter');
  await phone.page.locator('.room').first().waitFor();
  const { page } = await openPage(browser, `${new URL(fixture.front).origin}/console/`, {
    width: 1280,
    height: 800,
  });
  await signIn(page);
  await tabTo(page, /^System/);
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Backups' }).waitFor();
  await tabTo(page, /^Backups/);
  await arrowTo(page, /^Sessions/);
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Sessions', selected: true }).waitFor();
  const lost = page.locator('.cards > li', { hasText: 'Phone of Anna' });
  await lost.getByRole('button', { name: 'Sign out' }).focus();
  await page.keyboard.press('Enter');
  await phone.page.getByText('This device was signed out').waitFor();
  await lost.waitFor({ state: 'detached' });
  const sessions = (await rpc(fixture, 'GW_GetSessions')) as readonly { Device: string }[];
  t.notOk(sessions.some(({ Device }) => Device === 'Phone of Anna'));
});
