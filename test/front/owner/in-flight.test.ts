import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { TcpProxy } from '../../tools/client/tcp-proxy.js';
import { noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { openConsoleHolding } from '../../tools/front/held-reply.js';
import { startArea } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

const open = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** A page of the console whose connection can be frozen. */
async function openBehindProxy(t: Test) {
  const fixture = await startArea(t);
  const proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const browser = await startBrowser(t);
  const address = `http://127.0.0.1:${proxy.port}/console/`;
  const { page } = await openPage(browser, address, { width: 1280, height: 800 });
  await signIn(page);
  return { fixture, proxy, page };
}

t.test('what is typed while a script or properties are saved is kept', { skip: noBrowser }, async (t) => {
  const { fixture, proxy, page } = await openBehindProxy(t);
  const script = await fixture.id('area/ground/off');
  await open(page, `#/scripts/${script}`);
  const text = page.getByRole('textbox', { name: 'Text of All off' });
  const save = page.getByRole('button', { name: 'Save' });
  await text.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('print(1);');
  proxy.freeze();
  await page.keyboard.press('Control+s');
  await page.keyboard.type(' print(2);');
  proxy.thaw();
  await page.getByText('Saved', { exact: true }).waitFor();
  t.equal(await rpc(fixture, 'SVC_GetScriptContent', script), 'print(1);');
  await save.click();
  await until(
    'the text typed meanwhile',
    async () => (await rpc(fixture, 'SVC_GetScriptContent', script)) === 'print(1); print(2);',
  );
  await page.locator('button:disabled', { hasText: 'Save' }).waitFor();

  const boiler = await fixture.id('area/ground/boiler');
  const property = async (name: string) =>
    (JSON.parse((await rpc(fixture, 'SVC_GetConfiguration', boiler)) as string) as Record<string, unknown>)[
      name
    ];
  await open(page, `#/tree/${boiler}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  const field = (name: string) => page.locator('.properties').getByLabel(name, { exact: true });
  const apply = page.getByRole('button', { name: 'Apply' });
  await field('Min on').fill('30');
  proxy.freeze();
  await apply.click();
  await page.locator('button:disabled', { hasText: 'Apply' }).waitFor();
  await field('Min off').fill('40');
  proxy.thaw();
  await page.getByText('Applied', { exact: true }).waitFor();
  await page.getByText('Changed, not applied').waitFor();
  t.strictSame([await property('MinOnS'), await property('MinOffS')], [30, 0]);
  await until('what was applied', async () => (await field('Min on').inputValue()) === '30');
  t.equal(await field('Min off').inputValue(), '40');
  t.equal(
    await page.evaluate('document.activeElement.id'),
    await field('Min off').getAttribute('id'),
    'the field keeps the focus',
  );
  await apply.click();
  await until('the second property', async () => (await property('MinOffS')) === 40);
  await page.locator('button:disabled', { hasText: 'Apply' }).waitFor();
});

t.test('what is typed while the pages of a front are saved is kept', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const configurator = await fixture.id('wf');
  const stored = async () => JSON.stringify(await rpc(fixture, 'WFC_GetItems', configurator));
  const { page, reply: saving } = await openConsoleHolding(t, {
    fixture,
    hash: '#/fronts',
    method: 'WFC_SetItems',
  });
  await page.getByRole('button', { name: 'Edit the pages of Family' }).click();
  await page.getByRole('button', { name: 'Add a page' }).click();
  const title = page.getByRole('group', { name: 'Page 1' }).getByLabel('Title');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await title.fill('Evening');
  await save.click();
  await saving.held();
  await title.fill('Late evening');
  saving.deliver();
  await until('the end of the save', () => saving.passedOn.includes('WFC_Reload'));
  t.match(await stored(), 'Evening');
  t.equal(await title.inputValue(), 'Late evening');
  await save.click();
  await until('what was typed meanwhile', async () => (await stored()).includes('Late evening'));
});

t.test('lists show what is reported, not what is requested', { skip: noBrowser }, async (t) => {
  const { fixture, proxy, page } = await openBehindProxy(t);
  /** Chooses while no reply arrives. */
  const check = async (where: string, label: string, choice: string) => {
    const list = page
      .locator('.inspector, main')
      .locator('select')
      .and(page.getByLabel(label, { exact: true }));
    const before = await list.inputValue();
    proxy.freeze();
    await list.selectOption(choice);
    t.equal(await list.inputValue(), before, `${where}: what is reported`);
    proxy.thaw();
    await until(`${where}: the choice`, async () => (await list.inputValue()) === choice);
  };
  await open(page, `#/tree/${await fixture.id('area/ground/outside')}`);
  await page.getByRole('tab', { name: 'Object' }).click();
  await check('the profile', 'Profile', '~Temperature.Room');
  await check('publishing', 'Publish (MQTT Publisher)', 'home-assistant');
  await open(page, `#/tree/${await fixture.id('area/ground/radio/garden')}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await check('the connection', 'Connected to', '0');
});

t.test('the error of a script stays if the reply to the save is late', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const { page, reply: save } = await openConsoleHolding(t, { fixture, method: 'SVC_SetScriptContent' });
  await open(page, `#/scripts/${await fixture.id('area/ground/off')}`);
  await page.getByRole('textbox', { name: 'Text of All off' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('print(1;');
  await page.keyboard.press('Control+s');
  const error = page.getByRole('alert').filter({ hasText: 'Syntax error in line 1:' });
  await error.waitFor();
  await save.held();
  save.deliver();
  await page.getByText('Saved', { exact: true }).waitFor();
  await error.waitFor();
  await page.locator('.cm-lintRange-error').waitFor();
});

t.test(
  'a list of an object that changes faster than the gateway replies is shown',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const outside = await fixture.id('area/ground/outside');
    // Not the overview, which reads the same list.
    const { page, reply: audit } = await openConsoleHolding(t, {
      fixture,
      hash: `#/tree/${outside}`,
      method: 'GW_GetAudit',
    });
    await page.getByRole('tab', { name: 'Calls' }).click();
    await audit.held();
    const before = audit.methods.filter((name) => name === 'GW_GetAudit').length;
    for (const value of [1, 2, 3]) {
      await rpc(fixture, 'SetValue', outside, value);
      await rpc(fixture, 'SVC_SetName', outside, `Outside ${value}`);
      await page.getByRole('heading', { name: `Outside ${value}` }).waitFor();
    }
    t.equal(
      audit.methods.filter((name) => name === 'GW_GetAudit').length,
      before,
      'no second call meanwhile',
    );
    audit.deliver();
    await page.getByRole('tabpanel').getByRole('listitem').or(page.getByText(/^No /)).first().waitFor();
  },
);

t.test('the console waits as long as the gateway says, each time', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  let attempts = 0;
  let lose = () => undefined as unknown;
  await page.routeWebSocket(/\/api\//, (socket) => {
    attempts += 1;
    lose = () => socket.close({ code: 1001 });
    if (attempts === 2 || attempts === 3) void socket.close({ code: 4429, reason: '1' });
    else socket.connectToServer();
  });
  await page.goto(`${new URL(fixture.front).origin}/console/`);
  await signIn(page);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await until('the first connection', () => attempts === 1);
  await lose();
  await page.locator('.banner', { hasText: 'Try again in 1 second' }).waitFor();
  await until('the fourth attempt', () => attempts === 4);
  await page.locator('.banner').waitFor({ state: 'detached' });
});

t.test('an import that is cancelled during its check does not start', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const { page, reply: check } = await openConsoleHolding(t, {
    fixture,
    hash: '#/archive',
    method: 'AC_GetLoggingStatus',
  });
  await page.getByRole('button', { name: 'Import …' }).click();
  const dialog = page.getByRole('dialog');
  const rows = `variable,time,value\n${await fixture.id('area/ground/outside')},1750000000,1`;
  await dialog
    .getByLabel('File')
    .setInputFiles({ name: 'one.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
  await dialog.getByRole('button', { name: 'Check and import' }).click();
  await check.held();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  check.deliver();
  // A call of the page after the check.
  await open(page, '#/call/GetValue');
  await page.getByLabel('VariableID').waitFor();
  t.notOk(check.methods.includes('GW_BeginTask'), 'no import');
});

t.test('a search finds what arrives after it was typed', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const { page, reply: snapshot } = await openConsoleHolding(t, { fixture, method: 'SVC_GetSnapshot' });
  await snapshot.held();
  await page.getByRole('button', { name: /^Search/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').fill('hall relay');
  await until('the functions', () => snapshot.passedOn.includes('SVC_GetFunctionList'));
  await dialog.locator('.unseen[role=status]', { hasText: /^$/ }).waitFor({ state: 'attached' });
  t.equal(await page.getByRole('option').count(), 0);
  snapshot.deliver();
  await page
    .getByRole('option', { name: /Hall relay/ })
    .first()
    .waitFor();
  await dialog.getByRole('combobox').fill('GW_GetVersion');
  await page.getByRole('option', { name: /GW_GetVersion/ }).waitFor();
});

t.test('a second click does not create a second object', { skip: noBrowser }, async (t) => {
  const { fixture, proxy, page } = await openBehindProxy(t);
  const upper = await fixture.id('area/upper');
  const before = (await rpc(fixture, 'SVC_GetChildrenIDs', upper)) as number[];
  await open(page, `#/tree/${upper}`);
  await page.getByRole('button', { name: 'New', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Attic');
  proxy.freeze();
  await dialog.getByRole('button', { name: 'Create' }).click();
  t.ok(await dialog.getByRole('button', { name: 'Create' }).isDisabled());
  proxy.thaw();
  await page.getByRole('heading', { name: 'Attic' }).waitFor();
  t.equal(((await rpc(fixture, 'SVC_GetChildrenIDs', upper)) as number[]).length, before.length + 1);
});

t.test('a second click does not create a second script or event', { skip: noBrowser }, async (t) => {
  const { fixture, proxy, page } = await openBehindProxy(t);
  const lists = async () => [
    ((await rpc(fixture, 'SVC_GetScriptList')) as number[]).length,
    ((await rpc(fixture, 'SVC_GetEventList')) as number[]).length,
  ];
  const [scripts = 0, events = 0] = await lists();
  await open(page, '#/scripts');
  await page.getByRole('button', { name: 'New script' }).click();
  await page.getByLabel('Name').fill('Evening');
  const create = page.locator('form').getByRole('button', { name: 'New script' });
  proxy.freeze();
  await create.click();
  t.ok(await create.isDisabled());
  proxy.thaw();
  await page.getByRole('heading', { name: 'Evening' }).waitFor();

  await open(page, '#/events');
  await page.getByRole('button', { name: 'New event' }).click();
  const dialog = page.getByRole('dialog');
  const submit = dialog.getByRole('button', { name: 'Create' });
  await dialog.getByLabel('Name').fill('x'.repeat(100_000));
  await submit.click();
  await page.locator('.notice.bad').waitFor();
  t.strictSame(await lists(), [scripts + 1, events], 'an event whose name is rejected is removed');
  await dialog.getByLabel('Name').fill('Morning');
  proxy.freeze();
  await submit.click();
  t.ok(await submit.isDisabled());
  proxy.thaw();
  await page.getByRole('heading', { name: 'Morning' }).waitFor();
  t.strictSame(await lists(), [scripts + 1, events + 1]);
});

t.test('signing out without a connection says that it failed', { skip: noBrowser }, async (t) => {
  const { page } = await openBehindProxy(t);
  const sessions = /\/console\/session$/;
  const signOut = page.getByRole('button', { name: 'Sign out' });
  const notice = page.locator('.notice').getByText('The gateway did not reply.');
  for (const answer of ['nothing', 'an error'] as const) {
    await page.route(sessions, (route) =>
      answer === 'nothing' ? route.abort() : route.fulfill({ status: 500, body: '' }),
    );
    await signOut.click();
    await notice.waitFor();
    await page.locator('.notice').getByRole('button', { name: 'Close' }).click();
    await page.unroute(sessions);
  }
  await signOut.click();
  await page.getByRole('heading', { name: 'Sign in as owner' }).waitFor();
});
