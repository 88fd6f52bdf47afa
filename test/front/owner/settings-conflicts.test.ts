import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea, type AreaFixture } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

const CONFLICT = /configuration has changed/;

/** A page of the console, signed in as the owner. */
async function openConsole(t: Test) {
  const fixture = await startArea(t);
  const address = `${new URL(fixture.front).origin}/console/`;
  const { page, problems } = await openPage(await startBrowser(t), address, { width: 1280, height: 800 });
  await signIn(page);
  return { fixture, page, problems };
}

const open = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

interface Settings {
  readonly Digest: string;
  readonly Settings: { readonly configurators: readonly Readonly<Record<string, unknown>>[] };
}

const readSettings = async (fixture: AreaFixture) => (await rpc(fixture, 'GW_GetSettings')) as Settings;

/** Changes settings as another owner does. */
async function change(fixture: AreaFixture, changes: Readonly<Record<string, unknown>>): Promise<void> {
  const given = Object.entries(changes).map(([Path, Value]) => ({ Path, Value }));
  await rpc(fixture, 'GW_ChangeSettings', given, (await readSettings(fixture)).Digest);
}

t.test('saving an area again keeps what another owner changed', { skip: noBrowser }, async (t) => {
  const { fixture, page, problems } = await openConsole(t);
  await open(page, '#/system/passwords');
  await page.getByRole('button', { name: /^Change: .*Family/ }).click();
  const dialog = page.getByRole('dialog');
  const isOpen = dialog.getByLabel('Without a password');
  await dialog.getByLabel('Title').fill('Home');
  // Switched and switched back: nothing was entered.
  await isOpen.uncheck();
  await isOpen.check();
  await change(fixture, { 'configurators[0].mobile': true });
  await rpc(fixture, 'GW_SetPassword', 'wf', 'four tulips');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.locator('.notice').getByText(CONFLICT).waitFor();
  await until('the form shows the other changes', async () => !(await isOpen.isChecked()));
  t.ok(await dialog.getByLabel('Devices may register').isChecked());
  t.equal(await dialog.getByLabel('Title').inputValue(), 'Home');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const [area] = (await readSettings(fixture)).Settings.configurators;
  t.match(area, { title: 'Home', mobile: true });
  t.not(area?.['passwordRequired'], false);
  t.equal((await fetch(`${fixture.front}session`)).status, 401, 'the area still requires the password');
  t.strictSame(problems, []);
});

t.test('saving settings again keeps what another owner changed', { skip: noBrowser }, async (t) => {
  const { fixture, page, problems } = await openConsole(t);
  await open(page, '#/system/settings');
  await page.locator('details.setting > summary', { hasText: 'API' }).click();
  await page.getByLabel('Calls in a batch').fill('50');
  await change(fixture, { 'api.bodyLimit': 65_536, 'log.level': 'debug' });
  const review = page.getByRole('button', { name: 'Review and save' });
  const dialog = page.getByRole('dialog');
  await review.click();
  await dialog.getByRole('button', { name: 'Save and apply' }).click();
  await page.locator('.notice').getByText(CONFLICT).waitFor();
  await page.locator('details.setting > summary', { hasText: 'API' }).click();
  const size = page.getByLabel('Size of calls');
  await until('the other change', async () => (await size.inputValue()) === '65536');
  await review.click();
  t.strictSame(await dialog.locator('.differences li').allTextContents(), ['api.batchLimit: default → 50']);
  await dialog.getByRole('button', { name: 'Save and apply' }).click();
  await page.getByText('Nothing has changed.').waitFor();
  t.match((await readSettings(fixture)).Settings, {
    api: { batchLimit: 50, bodyLimit: 65_536 },
    log: { level: 'debug' },
  });
  t.strictSame(problems, []);
});

t.test('passwords of web servers stay when the settings are left', { skip: noBrowser }, async (t) => {
  const { fixture, page, problems } = await openConsole(t);
  const file = join(fixture.directory, 'gateway.yaml');
  // A password that the owner wrote into the file; the gateway itself writes a hash.
  const guests =
    '{ name: guests, host: 127.0.0.1, port: 0, serve: front, basicAuth: { username: a, password: b } }';
  await writeFile(file, (await readFile(file, 'utf8')).replace('webServers:', `webServers:\n  - ${guests}`));
  await open(page, '#/system/settings');
  const leave = async () => {
    await page.getByRole('tab', { name: 'Options' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
  };
  const servers = page.locator('details.setting > summary', { hasText: 'Web servers' });
  const server = page.getByRole('group', { name: 'Web servers 1' });
  await servers.click();
  await server.getByLabel('Password', { exact: true }).fill('blackbird');
  await leave();
  await page.getByText('Nothing has changed.').waitFor();
  await servers.click();
  await server.getByLabel('Name', { exact: true }).first().fill('visitors');
  await leave();
  await page.getByRole('button', { name: 'Review and save' }).click();
  t.strictSame(await page.getByRole('dialog').locator('.differences li').allTextContents(), [
    'webServers[0].name: "guests" → "visitors"',
  ]);
  t.strictSame(problems, []);
});

t.test('saving a target again keeps what another owner changed', { skip: noBrowser }, async (t) => {
  const { fixture, page, problems } = await openConsole(t);
  const webdav = { url: 'https://nas.example/', username: 'box' };
  await change(fixture, {
    'backup.targets': [{ name: 'nas', webdav: { ...webdav, password: 'nightingale' } }],
  });
  await open(page, '#/system/backups');
  await page.getByRole('button', { name: 'Change: nas' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User name').fill('gateway');
  await dialog.getByLabel('Password').fill('blackbird');
  await change(fixture, { 'backup.targets[0].webdav.url': 'https://disk.example/' });
  const save = dialog.getByRole('button', { name: 'Save' });
  await save.click();
  await dialog.getByRole('alert').getByText(CONFLICT).waitFor();
  await until(
    'the other change',
    async () => (await dialog.getByLabel('URL').inputValue()) === 'https://disk.example/',
  );
  t.equal(await dialog.getByLabel('User name').inputValue(), 'gateway');
  t.equal(await dialog.getByLabel('Password').inputValue(), 'blackbird');
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  const { Settings } = (await rpc(fixture, 'GW_GetSettings')) as { readonly Settings: object };
  t.match(Settings, {
    backup: { targets: [{ name: 'nas', webdav: { url: 'https://disk.example/', username: 'gateway' } }] },
  });
  t.match(await readFile(join(fixture.directory, 'gateway.yaml'), 'utf8'), 'blackbird');
  t.strictSame(problems, []);
});

t.test('an overlay is removed after another change of it was shown', { skip: noBrowser }, async (t) => {
  const { fixture, page, problems } = await openConsole(t);
  await chmod(join(fixture.directory, 'gateway.yaml'), 0o444);
  await change(fixture, { 'store.backups': 3 });
  await open(page, '#/system/configuration');
  const back = page.getByRole('button', { name: 'Return to the installed file' });
  const dialog = page.getByRole('dialog');
  await back.click();
  await dialog.locator('.diff.removed', { hasText: 'backups: 3' }).waitFor();
  await change(fixture, { 'store.backups': 4 });
  await dialog.getByRole('button', { name: 'Return to the installed file' }).click();
  await page.locator('.notice').getByText(CONFLICT).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await back.click();
  await dialog.locator('.diff.removed', { hasText: 'backups: 4' }).waitFor();
  await dialog.getByRole('button', { name: 'Return to the installed file' }).click();
  await page.getByText('The installed file is the configuration again.').waitFor();
  t.match(await rpc(fixture, 'GW_GetConfigurationText'), { IsOverlay: false });
  t.strictSame(problems, []);
});
