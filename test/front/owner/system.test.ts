import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { TcpProxy } from '../../tools/client/tcp-proxy.js';
import {
  axeFindings,
  noBrowser,
  openPage,
  startBrowser,
  type PageOptions,
} from '../../tools/front/browser.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea, type AreaFixture } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

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
    await signIn(page, { isConfirmed: false });
    await page.locator('[role=tabpanel]').waitFor();
    await check(t, { fixture, page });
    // The browser reports a rejected upload, too. Axe copies the styles of the editor, which the policy forbids.
    const isExpected = tab === 'configuration' ? /style-src/ : /status of 400/;
    const others = problems.filter((one) => !isExpected.test(one));
    t.strictSame(others, [], 'no errors on the page');
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

/** Opens the configuration in the editor; it contains secrets, so the password is required again. */
async function openConfiguration(page: Page, labels: { readonly text: string; readonly submit: string }) {
  await page.locator('#confirm-password').fill('swordfish');
  await page.getByRole('button', { name: labels.submit }).click();
  const editor = page.getByRole('textbox', { name: labels.text });
  await editor.waitFor();
  return editor;
}

systemTest('the configuration is exported with its tree', { tab: 'configuration' }, async (t, { page }) => {
  await openConfiguration(page, { text: 'Text of the configuration', submit: 'Confirm' });
  const saved = async (press: () => Promise<void>) => {
    const [download] = await Promise.all([page.waitForEvent('download'), press()]);
    return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')] as const;
  };
  const [name, text] = await saved(() => page.getByRole('button', { name: 'Export with the tree' }).click());
  t.equal(name, 'gateway.yaml');
  t.match(text, /ident: hall_relay/);
  t.notMatch(text, /swordfish/);
  const [schema, content] = await saved(() => page.getByRole('link', { name: 'Schema for editors' }).click());
  t.equal(schema, 'gateway.schema.json');
  t.match(JSON.parse(content), { title: 'gateway.yaml of stellwerk' });
  await page.evaluate("location.hash = '#/scripts'");
  const [types, declarations] = await saved(() =>
    page.getByRole('link', { name: /functions\.d\.ts/ }).click(),
  );
  t.equal(types, 'functions.d.ts');
  t.match(declarations, /declare function GW_GetLog/);
});

systemTest(
  'the configuration is checked, saved, and applied',
  { tab: 'configuration' },
  async (t, system) => {
    const { fixture, page } = system;
    const file = join(fixture.directory, 'gateway.yaml');
    const before = await readFile(file, 'utf8');
    const editor = await openConfiguration(page, { text: 'Text of the configuration', submit: 'Confirm' });
    const save = page.getByRole('button', { name: 'Save and apply' });
    await page.getByText('No problems found.').waitFor();
    t.ok(await save.isDisabled(), 'nothing was changed');
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('nothing: 1');
    await page.getByText('1 problem found').waitFor();
    await page.locator('.findings', { hasText: 'nothing' }).waitFor();
    await page.locator('.cm-lintRange-error').waitFor();
    await save.click();
    await page.getByText('Not saved: the text has errors.').waitFor();
    t.equal(await readFile(file, 'utf8'), before);
    // What was typed survives another tab.
    await page.getByRole('tab', { name: 'Options' }).click();
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await page.getByText('1 problem found').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByText('No problems found.').waitFor();

    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('log: { level: { default: debug } }');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved and applied.').waitFor();
    t.equal(await readFile(file, 'utf8'), `${before}log: { level: { default: debug } }`);
    await page.getByRole('heading', { name: 'Result of the last change' }).waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('  ');
    await page.getByText('Not saved', { exact: true }).waitFor();

    const theirs = `${before}# theirs\n`;
    await writeFile(file, theirs);
    await save.click();
    const conflict = page.getByRole('alert').filter({ hasText: 'Someone else has changed' });
    await conflict.getByText('Text that is saved now').click();
    await conflict.locator('pre', { hasText: '# theirs' }).waitFor();
    t.equal(await readFile(file, 'utf8'), theirs);
    t.strictSame(await layoutFindings(page), []);
    await conflict.getByRole('button', { name: 'Replace theirs with mine' }).click();
    await conflict.waitFor({ state: 'detached' });
    t.equal(await readFile(file, 'utf8'), `${before}log: { level: { default: debug } }  `);
    await writeFile(file, theirs);
    await editor.click();
    await page.keyboard.type('#');
    await save.click();
    await conflict.getByRole('button', { name: 'Discard mine, load theirs' }).click();
    await editor.filter({ hasText: '# theirs' }).waitFor();
    t.ok(await save.isDisabled());
  },
);

systemTest(
  'where the file is write-protected, the configuration goes to an overlay',
  { tab: 'configuration', locale: 'de-DE', width: 390, height: 844, scheme: 'dark' },
  async (t, { fixture, page }) => {
    await chmod(join(fixture.directory, 'gateway.yaml'), 0o444);
    const editor = await openConfiguration(page, { text: 'Text der Konfiguration', submit: 'Bestätigen' });
    await page.getByText(/darf .*gateway.yaml nur lesen/).waitFor();
    await page.getByText('Keine Probleme gefunden.').waitFor();
    t.strictSame(await layoutFindings(page), []);
    await editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# first');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+s');
    await page.getByText(/Eine Überlagerung ist in Gebrauch/).waitFor();
    const overlay = join(fixture.directory, 'data', 'gateway.yaml');
    await page.getByRole('button', { name: 'Zur installierten Datei zurückkehren' }).waitFor();
    t.match(await readFile(overlay, 'utf8'), /^# first\n/);
    t.strictSame(await layoutFindings(page), []);
  },
);

systemTest('a backup goes to a file and back, and is restored', { tab: 'backups' }, async (t, system) => {
  const { fixture, page } = system;
  await page.getByLabel('Note').fill('before the attic');
  await page.getByRole('button', { name: 'Make a backup' }).click();
  const item = page.locator('.cards > li', { hasText: 'before the attic' });
  await item.waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    item.getByRole('link', { name: /^Download/ }).click(),
  ]);
  const path = join(fixture.directory, 'my backup (1).db');
  await download.saveAs(path);
  await page.locator('input[type=file]').setInputFiles(path);
  await page.getByText('my backup (1).db was uploaded.').waitFor();
  const uploaded = page.locator('.cards > li', { hasText: 'upload-my-backup-1-.db' });
  await uploaded.waitFor();
  await writeFile(path, 'no backup');
  await page.locator('input[type=file]').setInputFiles(path);
  await page.getByRole('alert').filter({ hasText: 'did not accept the file' }).waitFor();
  await checkPage(t, page, 'backups');

  const pending = page.getByText(/will be restored at the next start/);
  await uploaded.getByRole('button', { name: 'Restore' }).click();
  const question = page.getByRole('dialog', { name: /^Restore the backup of/ });
  await question.getByText('Records of the archive stay.').waitFor();
  await checkPage(t, page, 'restore');
  await question.getByRole('button', { name: 'Restore' }).click();
  await page.locator('#confirm-password').fill('swordfish');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await pending.waitFor();
  await checkPage(t, page, 'pending restore');
  await page.getByRole('button', { name: 'Restart' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click();
  // The process of this test does not belong to the gateway.
  await page.getByRole('alert').filter({ hasText: 'not supported' }).waitFor();
  await page.getByRole('button', { name: 'Do not restore' }).click();
  await pending.waitFor({ state: 'detached' });
  const backups = (await rpc(fixture, 'GW_GetBackups')) as readonly { IsRestoredAtStart: boolean }[];
  t.notOk(backups.some(({ IsRestoredAtStart }) => IsRestoredAtStart));
});

systemTest('passwords of areas and of the owner are set', { tab: 'passwords' }, async (t, system) => {
  const { fixture, page } = system;
  await page.getByText('without a password').waitFor();
  await checkPage(t, page, 'passwords');
  const dialog = page.getByRole('dialog', { name: /^Set the password/ });
  const set = async (title: string, [first, second]: readonly [string, string]) => {
    if ((await dialog.count()) === 0)
      await page.getByRole('button', { name: `Set the password: ${title}` }).click();
    await dialog.getByLabel('New password').fill(first);
    await dialog.getByLabel('Repeat the password').fill(second);
    await dialog.getByRole('button', { name: 'Set the password' }).click();
  };
  await set('Residents of Family', ['anemone1', 'anemone2']);
  await dialog.getByText('The two entries differ.').waitFor();
  await checkPage(t, page, 'different entries');
  await set('Residents of Family', ['anemone1', 'anemone1']);
  await page.locator('#confirm-password').fill('swordfish');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('The password was set.').waitFor();
  await page.getByText('without a password').waitFor({ state: 'detached' });
  const response = await fetch(`${fixture.front}session`);
  t.equal(response.status, 401, 'the area requires it');

  await set('Owner', ['new swordfish', 'new swordfish']);
  const alert = page.getByRole('alert').filter({ hasText: 'The session has ended' });
  await alert.waitFor();
  await page.getByLabel('User name').fill('owner@example.org');
  await page.getByLabel('Password').fill('new swordfish');
  await page.keyboard.press('Enter');
  await page.locator('[role=tabpanel]').waitFor();
});

systemTest(
  'sessions are listed, and ended',
  { tab: 'sessions', width: 320 },
  async (t, { fixture, page }) => {
    const phone = await fetch(`${fixture.locked}session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: new URL(fixture.locked).origin },
      body: JSON.stringify({ password: 'tulip', device: 'Lost phone' }),
    });
    t.equal(phone.status, 200);
    await page.reload();
    const lost = page.locator('.cards > li', { hasText: 'Lost phone' });
    await lost.getByText(/^Front Locked · 127\.0\.0\.1 · last seen/).waitFor();
    const own = page.locator('.cards > li', { hasText: 'this browser' });
    await own.getByText(/^Console · 127\.0\.0\.1 · connected/).waitFor();
    await checkPage(t, page, 'sessions');
    await lost.getByRole('button', { name: 'Sign out Lost phone' }).click();
    await lost.waitFor({ state: 'detached' });
    await own.getByRole('button', { name: /^Sign out/ }).click();
    await page.getByRole('heading', { name: 'Sign in as owner' }).waitFor();
  },
);

systemTest(
  'the machine, its listeners and the findings of the doctor are shown',
  { tab: 'machine', locale: 'de-DE', width: 390, height: 844 },
  async (t, { fixture, page }) => {
    const port = new URL(fixture.front).port;
    await page.getByText(`web · 127.0.0.1:${port}`).waitFor();
    await page.getByText('nicht verschlüsselt').first().waitFor();
    await page.getByText('Kernel', { exact: true }).waitFor();
    await checkPage(t, page, 'machine');
    await page.getByRole('button', { name: 'Prüfen' }).click();
    await page.getByText(/^Konfiguration: /).waitFor();
    await checkPage(t, page, 'doctor');
  },
);

const LOADING = /^(?:Loading|Lädt) …$/;

t.test('lists are loaded again when a lost connection is back', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const browser = await startBrowser(t);
  const { page } = await openPage(browser, `http://127.0.0.1:${proxy.port}/console/#/system/backups`);
  await signIn(page, { isConfirmed: false });
  await page.getByText('There are no backups yet.').or(page.locator('.cards > li').first()).waitFor();
  await page.getByRole('button', { name: 'Add a target' }).waitFor();
  await page.locator('main').getByText(LOADING).first().waitFor({ state: 'detached' });
  proxy.freeze();
  proxy.cut();
  await page.getByRole('alert').filter({ hasText: 'No connection' }).waitFor();
  await rpc(fixture, 'GW_MakeBackup', 'made meanwhile');
  proxy.thaw();
  proxy.cut();
  await page.locator('.cards > li', { hasText: 'made meanwhile' }).waitFor();
  t.equal(await page.getByRole('alert').count(), 0);
});

const VIEWS: readonly PageOptions[] = [
  { width: 320, height: 640, locale: 'de-DE', scheme: 'dark' },
  { width: 820, height: 1180, locale: 'en-GB', scheme: 'dark' },
  { width: 1280, height: 800, locale: 'de-DE', scheme: 'light' },
];

for (const view of VIEWS)
  systemTest(
    `no tab has findings: ${view.locale}, ${view.width} px, ${view.scheme}`,
    { tab: 'configuration', ...view },
    async (t, { page }) => {
      await page.locator('#confirm-password').fill('swordfish');
      await page.keyboard.press('Enter');
      await page.locator('.cm-content').waitFor();
      const tabs = page.getByRole('tab');
      const count = await tabs.count();
      t.ok(count >= 7);
      for (let index = 0; index < count; index += 1) {
        const tab = tabs.nth(index);
        const name = (await tab.textContent()) ?? '';
        await tab.click();
        await page.getByRole('tabpanel', { name }).waitFor();
        await until('the tab is loaded', async () => (await page.getByText(LOADING).count()) === 0);
        await checkPage(t, page, name);
      }
    },
  );

systemTest(
  'the owner returns from an overlay to the installed file, and sees first what differs',
  { tab: 'backups' },
  async (t, { fixture, page }) => {
    const file = join(fixture.directory, 'gateway.yaml');
    await chmod(file, 0o444);
    const { Digest } = (await rpc(fixture, 'GW_GetSettings')) as { Digest: string };
    await rpc(fixture, 'GW_ChangeSettings', [{ Path: 'store.backups', Value: 3 }], Digest);
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await openConfiguration(page, { text: 'Text of the configuration', submit: 'Confirm' });
    const back = page.getByRole('button', { name: 'Return to the installed file' });
    await back.click();
    const question = page.getByRole('dialog', { name: 'Return to the installed file?' });
    await question.locator('.diff.removed', { hasText: 'backups: 3' }).waitFor();
    t.strictSame(await layoutFindings(page), []);
    await question.getByRole('button', { name: 'Cancel' }).click();
    t.match(await rpc(fixture, 'GW_GetConfigurationText'), { IsOverlay: true });
    await back.click();
    await question.getByRole('button', { name: 'Return to the installed file' }).click();
    await page.getByText('The installed file is the configuration again.').waitFor();
    await back.waitFor({ state: 'detached' });
    t.match(await rpc(fixture, 'GW_GetConfigurationText'), { IsOverlay: false, Path: file });
  },
);
