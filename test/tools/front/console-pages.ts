import type { Page } from 'playwright-core';
import { OWNER } from '../gateway/api-fixture.js';
import type { AreaFixture } from './sample-area.js';

/** The pages, and what is on them when they are loaded. Their tabs are opened, too. */
async function pagesOf(fixture: AreaFixture): Promise<readonly (readonly [string, string])[]> {
  return [
    ['#/overview', '.health'],
    ['#/tree', '.tree-row'],
    [`#/tree/${await fixture.id('area/ground/boiler')}`, '.values > li'],
    [`#/tree/${await fixture.id('area/ground/outside')}`, '.values > li'],
    [`#/tree/${await fixture.id('area/ground/off')}`, '.inspector'],
    ['#/hardware', '.board'],
    ['#/call/GetValue', 'main form'],
    ['#/scripts', 'main li'],
    [`#/scripts/${await fixture.id('area/ground/off')}`, '.cm-content'],
    ['#/archive', 'main li'],
    [`#/archive/${await fixture.id('area/ground/outside')}`, '.plot'],
    ['#/fronts', 'main h2'],
    ['#/log', '[role=tabpanel]'],
    ['#/system', '[role=tabpanel]'],
  ];
}

/**
 * Signs in as the owner on the page of the console that is open. Some tabs ask for the password again; if it is
 * confirmed, they do not for some minutes.
 */
export async function signIn(page: Page, { isConfirmed = true } = {}): Promise<void> {
  await page.locator('[name=username]').fill(OWNER.username);
  await page.locator('[name=password]').fill(OWNER.password);
  await page.locator('[name=password]').press('Enter');
  try {
    await page.locator('.rail').waitFor();
  } catch (thrown) {
    throw new Error(`not signed in: ${await page.locator('body').innerText()}`, { cause: thrown });
  }
  if (!isConfirmed) return;
  await page.evaluate(`fetch('/console/confirm', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ password: '${OWNER.password}' }),
  })`);
}

/** Calls `check` on each page, on each of its tabs, and on the dialogs. */
export async function visitConsole(
  page: Page,
  fixture: AreaFixture,
  check: (where: string) => Promise<void>,
): Promise<void> {
  const tabs = page.getByRole('tab');
  const loading = page.locator('main').getByText(/^(Loading|Lädt) …$/);
  for (const [hash, loaded] of await pagesOf(fixture)) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.locator(loaded).first().waitFor();
    await loading.first().waitFor({ state: 'detached' });
    await check(hash);
    for (let at = 1; at < (await tabs.count()); at++) {
      await tabs.nth(at).click();
      await page.locator('[role=tabpanel]').waitFor();
      await loading.first().waitFor({ state: 'detached' });
      await check(`${hash} ${await tabs.nth(at).textContent()}`);
    }
    // The next object begins with its first tab.
    if ((await tabs.count()) > 0) await tabs.first().click();
  }
  await page.evaluate(`location.hash = '#/tree/${await fixture.id('area/ground/boiler')}'`);
  for (const name of [/^(New|Neu)$/, /^(Move|Verschieben)$/, /^(Delete|Löschen)$/]) {
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').waitFor();
    await check(`dialog ${name}`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.keyboard.press('Control+k');
  const search = page.getByRole('dialog');
  await search.getByRole('combobox').pressSequentially('boi');
  await search.getByRole('option').first().waitFor();
  await check('search');
  await page.keyboard.press('Escape');
}

/** Calls `check` on instances and on all of their settings. */
export async function visitInstances(
  page: Page,
  instances: readonly (readonly [name: string, id: number])[],
  check: (where: string) => Promise<void>,
): Promise<void> {
  const tabs = page.getByRole('tab');
  for (const [name, id] of instances) {
    await page.evaluate(`location.hash = '#/tree/${id}'`);
    await page.locator('.values > li').first().waitFor();
    await check(name);
    await tabs.nth(1).click();
    await page.locator('[role=tabpanel] form').waitFor();
    for (const advanced of await page.locator('details.advanced > summary').all()) await advanced.click();
    await check(`settings of ${name}`);
    await tabs.first().click();
  }
}
