import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import {
  axeFindings,
  noBrowser,
  openPage,
  startBrowser,
  type PageOptions,
} from '../../tools/front/browser.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { until } from '../../tools/until.js';
import {
  SAMPLE_TREE,
  SIMULATED_CONFIG,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';

interface ConsolePage {
  readonly fixture: GatewayFixture;
  readonly page: Page;
}

/** A test in the console of the sample tree, signed in as owner; no errors may occur on the page. */
function consoleTest(
  name: string,
  { tree = SAMPLE_TREE, ...options }: PageOptions & { readonly tree?: string },
  check: (t: Test, console: ConsolePage) => Promise<void>,
): void {
  t.test(name, { skip: noBrowser }, async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + tree);
    const browser = await startBrowser(t);
    const address = `http://127.0.0.1:${fixture.gateway.port('api')}/console/`;
    const { page, problems } = await openPage(browser, address, { width: 1280, height: 800, ...options });
    await page.locator('[name=username]').fill(OWNER.username);
    await page.locator('[name=password]').fill(OWNER.password);
    await page.locator('[name=password]').press('Enter');
    await page.locator('.rail').waitFor();
    await check(t, { fixture, page });
    t.strictSame(problems, [], 'no errors on the page');
  });
}

const RELAY_TREE = `tree:
  - { instance: Hall relay, ident: hall_relay, module: Relay, properties: { Line: RELAY1, Boot: inactive } }
`;

async function open(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

consoleTest(
  'forms that appear have the focus; Escape leaves one, and the focus returns',
  { tree: RELAY_TREE },
  async (t, { fixture, page }) => {
    const relay = await idOf(fixture, 'hall_relay');
    await open(page, `#/tree/${relay}`);
    const rename = page.getByRole('button', { name: 'Rename' });
    await rename.focus();
    await page.keyboard.press('Enter');
    await page.locator('form.row-head input:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('header.row-head button:focus', { hasText: 'Rename' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('form.row-head input:focus').waitFor();
    await page.keyboard.type('Lamp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Lamp' }).waitFor();
    t.equal(await rpc(fixture, 'SVC_GetName', relay), 'Lamp', 'the name was selected, and replaced');
    await open(page, '#/scripts');
    await page.getByRole('button', { name: 'New script' }).click();
    await page.locator('#script-name:focus').waitFor();
  },
);

consoleTest(
  'a button that was found becomes an instance with one tap, and its count is live',
  {},
  async (t, { fixture, page }) => {
    await page.getByRole('link', { name: 'Hardware' }).click();
    await page.locator('main').getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('button', { name: 'Create GPIO Input BUTTON5' }).click();
    const row = page.locator('.found > li', { hasText: 'BUTTON5' });
    const count = row.locator('dl > div', { hasText: 'Count' }).locator('dd');
    await count.filter({ hasText: /^0$/ }).waitFor();
    await page.getByRole('button', { name: /^BUTTON5/ }).click();
    await page.getByRole('button', { name: 'Set active', exact: true }).click();
    await count.filter({ hasText: /^1$/ }).waitFor();
    await page.getByRole('button', { name: /^BUTTON5.*input · active/ }).waitFor();
    t.strictSame(await axeFindings(page), []);
    await row.getByRole('button', { name: 'Rename' }).click();
    await row.getByLabel('Name').fill('Garden button');
    await row.getByLabel('Name').press('Enter');
    await row.getByRole('link', { name: 'Garden button' }).waitFor();
    const children = (await rpc(
      fixture,
      'SVC_GetChildrenIDs',
      await idOf(fixture, 'ground_floor'),
    )) as number[];
    const names = await Promise.all(children.map((id) => rpc(fixture, 'SVC_GetName', id)));
    t.ok(names.includes('Garden button'), 'below the category that was preselected');
    // On a slow machine, a search ends only now: for it, the line is in use.
    const [hardware] = (await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Hardware')) as number[];
    await rpc(fixture, 'SVC_StartSearch', hardware);
    await until('its end', async () => (await rpc(fixture, 'SVC_IsSearching', hardware)) === false);
    await row.getByRole('button', { name: 'Undo' }).click();
    await row.getByRole('button', { name: 'Create GPIO Input BUTTON5' }).waitFor();
  },
);

consoleTest('an output of the board is switched by a click', {}, async (_t, { page }) => {
  await page.getByRole('link', { name: 'Hardware' }).click();
  await page.getByRole('button', { name: /^RELAY1/ }).click();
  await page.getByRole('group', { name: 'Test' }).getByRole('button', { name: 'On' }).click();
  await page.getByRole('button', { name: /^RELAY1.*output · active/ }).waitFor();
  await page.getByRole('button', { name: /^SENSE1.*input · active/ }).waitFor();
});

for (const [locale, { settings, apply, range, caption, help, group, word }] of Object.entries({
  'en-GB': {
    settings: 'Settings',
    apply: 'Apply',
    range: 'A number from 0 to 604800',
    caption: 'Min on',
    help: 'After switching on, the relay stays on for at least this time.',
    group: 'Rules',
    word: 'inactive',
  },
  'de-DE': {
    settings: 'Einstellungen',
    apply: 'Übernehmen',
    range: 'Eine Zahl von 0 bis 604800',
    caption: 'Mindesteinschaltzeit',
    help: 'So lange bleibt das Relais nach dem Einschalten mindestens ein.',
    group: 'Regeln',
    word: 'inaktiv',
  },
}))
  consoleTest(
    `a form changes a property and marks what is invalid at its field: ${locale}`,
    { locale, tree: RELAY_TREE },
    async (t, { fixture, page }) => {
      const relay = await idOf(fixture, 'hall_relay');
      await open(page, `#/tree/${relay}`);
      await page.getByRole('tab', { name: settings }).click();
      const minimum = page.getByRole('group', { name: group }).getByLabel(caption);
      await minimum.fill('-3');
      await page.getByText(help, { exact: true }).waitFor();
      await page.getByRole('option', { name: word, exact: true }).first().waitFor({ state: 'attached' });
      await page.getByRole('alert').filter({ hasText: range }).waitFor();
      t.equal(await minimum.getAttribute('aria-invalid'), 'true');
      t.ok(await page.getByRole('button', { name: apply }).isDisabled());
      await minimum.fill('20');
      t.equal(await minimum.getAttribute('aria-invalid'), 'false');
      await page.getByRole('button', { name: apply }).click();
      await page
        .locator('.notice')
        .getByText(/Applied|Übernommen/)
        .waitFor();
      t.equal(await rpc(fixture, 'SVC_GetProperty', relay, 'MinOnS'), 20);
      t.strictSame(await axeFindings(page), []);
    },
  );

consoleTest(
  'an instance is created with its properties; problems are at their fields before it is saved',
  { tree: RELAY_TREE },
  async (t, { fixture, page }) => {
    await open(page, `#/tree/${await idOf(fixture, 'hall_relay')}`);
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Line', { exact: true }).waitFor();
    t.equal(await page.getByLabel('Boot').isVisible(), true);
    await open(page, '#/tree/0');
    await page.getByRole('button', { name: 'New' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Instance' }).click();
    await dialog.getByLabel('Module').first().fill('Relay');
    await dialog.getByRole('option', { name: /^Relay/ }).click();
    const line = dialog.getByLabel('Line', { exact: true });
    await line.fill('RELAY1');
    await dialog.getByRole('alert').filter({ hasText: 'line RELAY1 is used by Hall relay' }).waitFor();
    t.equal(await line.getAttribute('aria-invalid'), 'true');
    await dialog.locator('datalist option[value=RELAY2]').first().waitFor({ state: 'attached' });
    await line.fill('RELAY2');
    t.equal(await line.getAttribute('aria-invalid'), 'false', 'nothing is known of the new value yet');
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    await dialog.getByLabel('Min on').fill('7');
    t.strictSame(await axeFindings(page), []);
    await dialog.getByLabel('Name').fill('Garden relay');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Garden relay' }).waitFor();
    const id = Number(new URL(page.url()).hash.split('/')[2]);
    t.equal(await rpc(fixture, 'SVC_GetProperty', id, 'Line'), 'RELAY2');
    t.equal(await rpc(fixture, 'SVC_GetProperty', id, 'MinOnS'), 7);
  },
);

consoleTest('objects are created, moved and deleted', {}, async (t, { fixture, page }) => {
  await open(page, `#/tree/${await idOf(fixture, 'ground_floor')}`);
  await page.getByRole('button', { name: 'New' }).click();
  await page.getByRole('radio', { name: 'Variable' }).click();
  await page.getByLabel('Type').selectOption('Whole number');
  await page.getByLabel('Name').fill('<b>Counter</b>');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: '<b>Counter</b>' }).waitFor();
  await page.getByRole('spinbutton', { name: '<b>Counter</b>' }).fill('42');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.locator('.value-now', { hasText: '42' }).waitFor();
  await page.getByRole('tab', { name: 'Object' }).click();
  await page.getByLabel('Ident').fill('counter');
  await page.getByLabel('Ident').press('Tab');
  await page.getByText('· counter').waitFor();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByRole('dialog').getByRole('combobox').fill('Upper');
  await page.getByRole('dialog').getByRole('combobox').press('Enter');
  await page.locator('.path', { hasText: 'Upper floor' }).waitFor();
  t.equal(await valueAt(fixture, 'upper_floor/counter'), 42);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('“<b>Counter</b>” was deleted.').waitFor();
  await t.rejects(idOf(fixture, 'upper_floor/counter'));
});

consoleTest('everything is found with the keyboard', {}, async (_t, { page }) => {
  // The page sets its title when it listens to the keyboard.
  await page.waitForFunction("document.title.startsWith('Overview')");
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').pressSequentially('hall sen');
  await page.getByRole('option', { name: /Hall sense/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Hall sense' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').pressSequentially('GW_GetVersion');
  await page.getByRole('option', { name: /GW_GetVersion/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Call' }).click();
  await page.locator('pre', { hasText: /\d+\.\d+/ }).waitFor();
});

consoleTest('what an instance receives is shown live', {}, async (_t, { fixture, page }) => {
  await open(page, `#/tree/${await idOf(fixture, 'ground_floor/hall_button')}`);
  await page.getByRole('tab', { name: 'Debug' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', true);
  await page.getByRole('log').getByText('edge BUTTON1').first().waitFor();
});

for (const width of [390, 820])
  consoleTest(
    `the pages fit ${width} pixels, and axe finds nothing`,
    { width },
    async (t, { fixture, page }) => {
      const relay = await idOf(fixture, 'ground_floor/hall_relay');
      for (const [hash, loaded] of [
        ['#/overview', '.health'],
        ['#/tree', '.tree-row'],
        [`#/tree/${relay}`, '.values > li'],
        ['#/hardware', '.board'],
        ['#/call/GetValue', 'main form'],
      ] as const) {
        await open(page, hash);
        await page.locator(loaded).first().waitFor();
        t.strictSame(await axeFindings(page), [], hash);
        t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, hash);
      }
    },
  );
