import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import {
  axeFindings,
  layoutFindings,
  noBrowser,
  openPage,
  startBrowser,
  type PageOptions,
} from '../tools/front/browser.js';
import { startArea, type AreaFixture } from '../tools/front/sample-area.js';

interface SystemPage {
  readonly fixture: AreaFixture;
  readonly page: Page;
}

/** A test on a tab of the System page, signed in as the owner; no errors may occur on the page. */
function systemTest(
  name: string,
  { tab, ...options }: PageOptions & { readonly tab: string },
  check: (t: Test, system: SystemPage) => Promise<void>,
): void {
  t.test(name, { skip: noBrowser }, async (t) => {
    const fixture = await startArea(t);
    const browser = await startBrowser(t);
    const address = `${new URL(fixture.front).origin}/console/#/system/${tab}`;
    const { page, problems } = await openPage(browser, address, { width: 1280, height: 800, ...options });
    await page.locator('[name=username]').fill('owner@example.org');
    await page.locator('[name=password]').fill('swordfish');
    await page.locator('[name=password]').press('Enter');
    await page.locator('[role=tabpanel]').waitFor();
    await check(t, { fixture, page });
    t.strictSame(problems, [], 'no errors on the page');
  });
}

/** Neither axe nor the layout has findings. */
async function checkPage(t: Test, page: Page, where: string): Promise<void> {
  t.strictSame(await axeFindings(page), [], `axe: ${where}`);
  t.strictSame(await layoutFindings(page), [], `layout: ${where}`);
}

const backupNames = async (fixture: AreaFixture) =>
  ((await rpc(fixture, 'GW_GetBackups')) as readonly { Name: string }[]).map(({ Name }) => Name);

systemTest('a call that requires the password again asks for it', { tab: 'backups' }, async (t, system) => {
  const { fixture, page } = system;
  const { Name } = (await rpc(fixture, 'GW_MakeBackup', 'kept')) as { Name: string };
  await page.reload();
  const item = page.locator('.cards > li', { hasText: 'kept' });
  const remove = async () => {
    await item.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  };
  const dialog = page.getByRole('dialog', { name: 'Confirm with your password' });
  await remove();
  await dialog.waitFor();
  await checkPage(t, page, 'confirmation');
  await page.keyboard.press('Escape');
  await page.getByText('Not confirmed. Nothing was done.').waitFor();
  t.ok((await backupNames(fixture)).includes(Name));
  await remove();
  await dialog.getByLabel('Password').fill('sword');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').filter({ hasText: 'This password is wrong.' }).waitFor();
  t.ok((await backupNames(fixture)).includes(Name));
  await dialog.getByLabel('Password').fill('swordfish');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await item.waitFor({ state: 'detached' });
  t.notOk((await backupNames(fixture)).includes(Name));
  // It is valid for a few minutes.
  await rpc(fixture, 'GW_MakeBackup', 'another');
  await page.reload();
  await page.locator('.cards > li', { hasText: 'another' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.locator('.cards > li', { hasText: 'another' }).waitFor({ state: 'detached' });
  t.equal(await dialog.count(), 0);
});
