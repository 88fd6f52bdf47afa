import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea } from '../../tools/front/sample-area.js';

/** A page of the console, and what ends its session and signs in again. */
async function openConsole(t: Test) {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const address = `${new URL(fixture.front).origin}/console/`;
  const { page, problems } = await openPage(browser, address, { width: 1280, height: 800 });
  await signIn(page);
  const endSession = async () => {
    const sessions = (await rpc(fixture, 'GW_GetSessions')) as { ID: string; Kind: string }[];
    for (const { ID, Kind } of sessions) if (Kind === 'console') await rpc(fixture, 'GW_EndSession', ID);
    await page.locator('[name=username]').waitFor();
    await signIn(page);
  };
  return { fixture, page, problems, endSession };
}

const open = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

t.test(
  'a new object, a new event and a name survive the end of the session',
  { skip: noBrowser },
  async (t) => {
    const { fixture, page, problems, endSession } = await openConsole(t);
    const dialog = page.getByRole('dialog');
    await open(page, `#/tree/${await fixture.id('area/ground/boiler')}`);
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await dialog.getByLabel('Variable').check();
    await dialog.getByLabel('Name').fill('Return temperature');
    await endSession();
    t.equal(await dialog.getByLabel('Name').inputValue(), 'Return temperature');
    t.ok(await dialog.getByLabel('Variable').isChecked());
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Return temperature' }).waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Flow temperature');
    await endSession();
    t.equal(await name.inputValue(), 'Flow temperature');
    await name.press('Enter');
    await page.getByRole('heading', { name: 'Flow temperature' }).waitFor();

    await open(page, '#/events');
    await page.getByRole('button', { name: 'New event' }).click();
    await dialog.getByLabel('Name').fill('Evening');
    await dialog.getByLabel('Runs').selectOption('2');
    await endSession();
    t.equal(await dialog.getByLabel('Name').inputValue(), 'Evening');
    t.equal(await dialog.getByLabel('Runs').inputValue(), '2');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Evening' }).waitFor();
    await page.getByRole('button', { name: 'New event' }).click();
    t.equal(await dialog.getByLabel('Name').inputValue(), '', 'what was saved is forgotten');
    t.strictSame(problems, []);
  },
);

t.test('what is typed for values, options, calls and exports survives', { skip: noBrowser }, async (t) => {
  const { fixture, page, problems, endSession } = await openConsole(t);
  const temperature = await fixture.id('area/ground/outside');
  await open(page, `#/tree/${temperature}`);
  const value = page.locator('.value-form input');
  await value.fill('21.5');
  await endSession();
  t.equal(await value.inputValue(), '21.5');
  await value.press('Enter');
  await page.locator('.value-form button').click();
  await page.getByRole('tab', { name: 'Object' }).click();
  await page.getByLabel('Notes').fill('north wall');
  await endSession();
  t.equal(await page.getByLabel('Notes').inputValue(), 'north wall');
  await page.getByLabel('Notes').press('Control+Enter');

  await open(page, '#/system/options');
  const option = page.locator('form', { hasText: 'ScriptTimeLimit' });
  await option.getByRole('spinbutton').fill('41');
  await endSession();
  t.equal(await option.getByRole('spinbutton').inputValue(), '41');
  await option.getByRole('button', { name: 'Set' }).click();
  await option.locator('button:disabled').waitFor();
  t.equal(await rpc(fixture, 'SVC_GetOption', 'ScriptTimeLimit'), 41);

  await open(page, '#/call/GW_SetPassword');
  await page.getByLabel('Target').fill('family');
  await page.getByLabel('Password').fill('secret tulips');
  t.equal(await page.getByLabel('Password').getAttribute('type'), 'password');
  await endSession();
  t.equal(await page.getByLabel('Target').inputValue(), 'family');
  t.equal(await page.getByLabel('Password').inputValue(), '', 'a password is not kept');

  await open(page, '#/call/GetValue');
  await page.getByLabel('VariableID').fill(String(temperature));
  await open(page, '#/call/GetValueFormatted');
  await page.getByRole('heading', { name: 'GetValueFormatted' }).waitFor();
  await page.getByLabel('VariableID').waitFor();
  t.equal(await page.getByLabel('VariableID').inputValue(), '', 'of another function');

  await open(page, '#/archive');
  await page.getByRole('button', { name: 'Export' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('From').fill('2026-01-02T03:04');
  await dialog.getByLabel('Format').selectOption('jsonl');
  await endSession();
  t.equal(await dialog.getByLabel('From').inputValue(), '2026-01-02T03:04');
  t.equal(await dialog.getByLabel('Format').inputValue(), 'jsonl');
  t.strictSame(problems, []);
});

t.test('areas, the owner and targets keep what was typed, except secrets', { skip: noBrowser }, async (t) => {
  const { page, problems, endSession } = await openConsole(t);
  const dialog = page.getByRole('dialog');
  const close = async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  await open(page, '#/system/passwords');
  await page.getByRole('button', { name: 'Add an area' }).click();
  await dialog.getByLabel('Title').fill('Guests');
  await dialog.getByLabel('Ident').fill('guests');
  await dialog.getByLabel('Devices may register').check();
  await dialog.getByLabel('New password').fill('four tulips');
  await endSession();
  t.equal(await dialog.getByLabel('Title').inputValue(), 'Guests');
  t.equal(await dialog.getByLabel('Ident').inputValue(), 'guests');
  t.ok(await dialog.getByLabel('Devices may register').isChecked());
  t.equal(await dialog.getByLabel('New password').inputValue(), '', 'a password is not kept');
  await close();
  await page.getByRole('button', { name: 'Change: Owner' }).click();
  await dialog.getByLabel('User name').fill('anna@example.org');
  await endSession();
  t.equal(await dialog.getByLabel('User name').inputValue(), 'anna@example.org');
  await close();

  await open(page, '#/system/backups');
  await page.getByRole('button', { name: 'Add a target' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('cloud');
  await dialog.getByLabel('Kind').selectOption('webdav');
  await dialog.getByLabel('URL').fill('https://nas.example/');
  await dialog.getByLabel('Password').fill('nightingale');
  await endSession();
  t.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'cloud');
  t.equal(await dialog.getByLabel('Kind').inputValue(), 'webdav');
  t.equal(await dialog.getByLabel('URL').inputValue(), 'https://nas.example/');
  t.equal(await dialog.getByLabel('Password').inputValue(), '', 'a password is not kept');
  await close();
  await page.getByRole('button', { name: 'Add a target' }).click();
  t.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), '', 'cancelled is forgotten');
  t.strictSame(problems, []);
});

t.test('properties and settings keep what was typed, except passwords', { skip: noBrowser }, async (t) => {
  const { fixture, page, problems, endSession } = await openConsole(t);
  const dialog = page.getByRole('dialog');
  const broker = (await rpc(
    fixture,
    'SVC_CreateInstance',
    '{F7A0DD2E-7684-95C0-64C2-D2A9DC47577B}',
  )) as number;
  await open(page, `#/tree/${broker}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByLabel('User name').fill('anna');
  await page.getByLabel('Password').fill('nightingale');
  await page.getByRole('tab', { name: 'Object' }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  t.equal(await page.getByLabel('User name').inputValue(), 'anna');
  t.equal(await page.getByLabel('Password').inputValue(), '', 'the password of an instance is not kept');
  await page.getByLabel('Password').fill('nightingale');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Applied', { exact: true }).waitFor();
  const saved = JSON.parse((await rpc(fixture, 'SVC_GetConfiguration', broker)) as string) as object;
  t.match(saved, { UserName: 'anna', Password: '***' }, 'both are saved');

  await open(page, `#/tree/${await fixture.id('area/ground')}`);
  await page.getByRole('button', { name: 'New', exact: true }).click();
  await dialog.getByRole('radio', { name: 'Instance' }).check();
  await dialog.getByLabel('Module').first().fill('MQTT Client');
  await dialog.getByRole('option', { name: /^MQTT Client/ }).click();
  await dialog.getByLabel('User name').fill('anna');
  await dialog.getByLabel('Password').fill('nightingale');
  await endSession();
  t.equal(await dialog.getByLabel('User name').inputValue(), 'anna');
  t.equal(await dialog.getByLabel('Password').inputValue(), '', 'that of a new one is not kept');
  await page.keyboard.press('Escape');

  await open(page, '#/system/settings');
  const servers = page.locator('details.setting', { has: page.getByText('Web servers', { exact: true }) });
  const server = page.getByRole('group', { name: 'Web servers 1' });
  await servers.locator('summary').click();
  await server.getByLabel('User name').fill('guest');
  await server.getByLabel('Password', { exact: true }).fill('nightingale');
  await endSession();
  await servers.locator('summary').click();
  t.equal(await server.getByLabel('User name').inputValue(), 'guest');
  t.equal(
    await server.getByLabel('Password', { exact: true }).inputValue(),
    '',
    'that of a setting is not kept',
  );
  t.strictSame(problems, []);
});
