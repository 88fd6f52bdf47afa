import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { openConsoleHolding } from '../../tools/front/held-reply.js';
import { startArea } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

const SWITCH = '{3644F802-C152-464A-868A-242C2A3DEC5C}';

/** A page of the console, signed in as the owner. */
async function openConsole(t: Test) {
  const fixture = await startArea(t);
  const address = `${new URL(fixture.front).origin}/console/`;
  const { page, problems } = await openPage(await startBrowser(t), address, { width: 1280, height: 800 });
  await signIn(page);
  return { fixture, page, problems };
}

const open = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** Types numbers key by key; the field must show each of them. */
async function typeNumbers(t: Test, name: string, field: Locator): Promise<void> {
  for (const text of ['1.05', '0.5', '-0.05']) {
    await field.fill('');
    await field.pressSequentially(text);
    t.equal(await field.inputValue(), text, name);
  }
}

t.test('decimals can be typed into all fields for numbers', { skip: noBrowser }, async (t) => {
  const { fixture, page, problems } = await openConsole(t);
  await open(page, `#/tree/${await fixture.id('area/ground/radio/garden')}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await typeNumbers(t, 'a property', page.getByLabel('Scale 1', { exact: true }));

  const event = (await rpc(fixture, 'SVC_CreateEvent', 0)) as number;
  await rpc(fixture, 'SVC_SetParent', event, await fixture.id('area/ground/setpoint'));
  await rpc(fixture, 'SVC_SetEventAction', event, SWITCH, { VALUE: 20 });
  await open(page, `#/events/${event}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await typeNumbers(
    t,
    'a value of an event',
    page.getByRole('group', { name: 'Action' }).getByLabel('Value'),
  );

  await open(page, '#/system/settings');
  await page.locator('details.setting > summary', { hasText: 'Profiles' }).click();
  const profile = page.getByRole('group', { name: 'Mode', exact: true }).first();
  await typeNumbers(t, 'a setting', profile.getByLabel('Step', { exact: true }));
  const value = profile.getByRole('group', { name: 'Associations 1' }).getByLabel('Value');
  await typeNumbers(t, 'a setting of any type', value);
  await page.getByRole('button', { name: 'Review and save' }).click();
  const review = page.getByRole('dialog');
  await review.getByText(/"step":-0\.05/).waitFor();
  t.match(await review.textContent(), /"value":-0\.05/, 'as a number');
  await page.keyboard.press('Escape');
  t.strictSame(problems, []);
});

t.test('optional members of a list are not stored while they are empty', { skip: noBrowser }, async (t) => {
  const { fixture, page, problems } = await openConsole(t);
  const garden = await fixture.id('area/ground/radio/garden');
  await open(page, `#/tree/${garden}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  const cell = (label: string) => page.getByLabel(label, { exact: true });
  await cell('Stale after 1').fill('');
  await page.getByRole('button', { name: 'Add a row' }).first().click();
  await cell('Pattern 2').fill('^H=(.+)$');
  await cell('Ident 2').fill('DAMP');
  t.equal(await cell('Scale 2').inputValue(), '');
  await cell('Scale 2').fill('2');
  await cell('Scale 2').fill('');
  await cell('Profile 2').fill('~Humidity');
  await cell('Profile 2').fill('');
  t.equal(await cell('Scale 2').getAttribute('aria-invalid'), 'false');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Applied', { exact: true }).waitFor();
  const { Rules } = JSON.parse((await rpc(fixture, 'SVC_GetConfiguration', garden)) as string) as {
    Rules: readonly object[];
  };
  t.notOk('StaleAfterS' in (Rules[0] ?? {}), 'it was emptied');
  t.strictSame(Object.keys(Rules[1] ?? {}).sort(), ['Format', 'Ident', 'Pattern', 'Type']);
  t.strictSame(problems, []);
});

t.test('lines that are typed stay when the settings were checked', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const { page, reply: check } = await openConsoleHolding(t, { fixture, method: 'GW_CheckSettings' });
  await open(page, '#/system/settings');
  const checks = () => check.methods.filter((one) => one === 'GW_CheckSettings').length;
  await page.locator('details.setting > summary', { hasText: 'API' }).click();
  await check.held();
  const hosts = page.getByLabel('Allowed host names');
  await hosts.pressSequentially('box.example\n\nb');
  const before = checks();
  check.deliver();
  await hosts.pressSequentially('ox.example');
  t.equal(await hosts.inputValue(), 'box.example\n\nbox.example');
  await until('the lines are checked while they are typed', () => checks() > before);
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByText('["box.example","box.example"]').waitFor();
});

for (const [locale, number, json] of [
  ['en-GB', 'VariableID: enter a number, such as 21.5.', 'Changes: enter JSON.'],
  ['de-DE', 'VariableID: Bitte eine Zahl eingeben, etwa 21.5.', 'Changes: Bitte JSON eingeben.'],
] as const)
  t.test(`a parameter that is no number is explained (${locale})`, { skip: noBrowser }, async (t) => {
    const fixture = await startArea(t);
    const address = `${new URL(fixture.front).origin}/console/#/call/GetValue`;
    const { page, problems } = await openPage(await startBrowser(t), address, { locale });
    await signIn(page);
    const result = page.locator('main pre');
    const call = async (parameter: string, text: string) => {
      await page.getByLabel(parameter).fill(text);
      await page.getByLabel(parameter).press('Enter');
      return result.textContent();
    };
    t.equal(await call('VariableID', '21,5'), number);
    t.equal(await call('VariableID', ''), number);
    await open(page, '#/call/GW_CheckSettings');
    t.equal(await call('Changes', '[1'), json);
    // Both of its parameters are optional.
    await open(page, '#/call/GW_GetAudit');
    t.match(await call('Limit', ''), /^\[/);
    await open(page, '#/call/SVC_SetInfo');
    await page.getByLabel('ID', { exact: true }).fill(String(await fixture.id('area/ground/outside')));
    t.equal(await call('Info', ''), 'true', 'a required text may be empty');
    t.strictSame(problems, []);
  });
