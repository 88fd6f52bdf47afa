import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { TcpProxy } from '../../tools/client/tcp-proxy.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea, type AreaFixture } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

/** A page of the console, signed in as the owner. */
async function openConsole(t: Test, fixture: AreaFixture, hash: string) {
  const browser = await startBrowser(t);
  const address = `${new URL(fixture.front).origin}/console/${hash}`;
  const { page, problems } = await openPage(browser, address, { width: 1280, height: 800 });
  await signIn(page);
  return { page, problems };
}

t.test('a script is written with completion, and its error is marked', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const { page, problems } = await openConsole(t, fixture, '#/scripts');
  await page.getByRole('button', { name: 'New script' }).click();
  await page.getByLabel('Name').fill('Evening');
  await page.getByRole('button', { name: 'New script' }).click();
  const text = page.getByRole('textbox', { name: 'Text of Evening' });
  const hints = page.getByRole('status', { name: 'Hints about the text' });
  await text.click();
  // With this hint the functions are known.
  await page.keyboard.type('GetVal(1);');
  await hints.getByText('did you mean GetValue?').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('const name = SVC_GetNa');
  await page.getByRole('option', { name: /^SVC_GetName/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.type('me(0;');
  await page.keyboard.press('Control+s');
  await page.getByRole('alert').filter({ hasText: 'Syntax error in line 1:' }).waitFor();
  await page.locator('.cm-lintRange-error').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type('GetVal(1);');
  await hints.getByText('Line 1: There is no function GetVal; did you mean GetValue?').waitFor();
  await page.locator('.cm-lintRange-warning').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('GetValue();');
  await hints.getByText(/Line 1: 0 arguments; the function is GetValue\(VariableID: number\)/).waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('SVC_GetObjectIDByIdent("hall_re');
  await page.getByRole('option', { name: /^hall_relay/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('const one = SVC_GetObject(0); one.ObjectNa');
  await page.getByRole('option', { name: /^ObjectName/ }).waitFor();
  t.equal(await page.getByRole('option', { name: /^SVC_/ }).count(), 0, 'no functions after a dot');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('SVC_CreateVariable(2');
  const signature = page.locator('.cm-signature');
  t.equal(await signature.locator('b').textContent(), 'VariableType: number');
  await signature.getByText('2: vtFloat').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('GW_CheckSettings([');
  await signature.getByText('SettingChange: { Path: string, Value: unknown }').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('print("good evening");');
  await page.locator('.cm-lintRange').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Enter');
  await page.locator('pre.output', { hasText: 'good evening' }).waitFor();
  t.strictSame(problems, [], 'no errors on the page');
  // Last: axe copies the styles of shadow roots into style elements, which the policy reports.
  t.strictSame(await axeFindings(page), []);
});

t.test('the log shows messages as they arrive, filtered', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  await rpc(fixture, 'SVC_LogMessage', 'Heating', 'earlier message');
  await rpc(fixture, 'SVC_SetName', await fixture.id('area'), 'My house');
  const { page, problems } = await openConsole(t, fixture, '#/log');
  await page.getByText('earlier message').waitFor();
  await rpc(fixture, 'SVC_LogMessage', 'Garden', '<b>later</b> message');
  await page.getByText('<b>later</b> message').waitFor();
  await page.getByLabel('Search the text').fill('earlier');
  await page.getByText('<b>later</b> message').waitFor({ state: 'detached' });
  await page.getByLabel('Search the text').fill('');
  await page.getByLabel('Level').selectOption('error');
  await page.getByText('earlier message').waitFor({ state: 'detached' });
  await page.getByLabel('Level').selectOption('info');
  await page.getByLabel('Subject').selectOption('call');
  await page.getByText('earlier message').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await rpc(fixture, 'SVC_LogMessage', 'Garden', 'while paused');
  await rpc(fixture, 'SVC_SetName', await fixture.id('area/ground'), 'Below');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('while paused').waitFor();
  t.strictSame(await axeFindings(page), []);
  await page.getByRole('tab', { name: 'Debug' }).click();
  await page.getByRole('button', { name: /Select an instance/ }).click();
  await page.getByRole('combobox').fill('Hall relay');
  await page
    .getByRole('option', { name: /^Hall relay/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  await rpc(fixture, 'RequestAction', await fixture.id('area/ground/hall_relay/STATE'), true);
  await page.getByText('write STATE').waitFor();
  t.strictSame(await axeFindings(page), []);
  await page.getByRole('tab', { name: 'Calls' }).click();
  await page.getByText('Owner renamed').first().waitFor();
  t.strictSame(await axeFindings(page), []);
  t.strictSame(problems, [], 'no errors on the page');
});

t.test('a backup is made, an option is set, and a device is signed out', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const { page, problems } = await openConsole(t, fixture, '#/system');
  await page.getByRole('button', { name: 'Make a backup' }).click();
  await page.getByRole('link', { name: /^Download/ }).waitFor();
  t.strictSame(await axeFindings(page), []);
  await page.getByRole('tab', { name: 'Options' }).click();
  const option = page.locator('form', { hasText: 'ScriptTimeLimit' });
  await option.getByRole('spinbutton').fill('40');
  await option.getByRole('button', { name: 'Set' }).click();
  await option.locator('button:disabled').waitFor();
  t.equal(await rpc(fixture, 'SVC_GetOption', 'ScriptTimeLimit'), 40);
  t.strictSame(await axeFindings(page), []);
  await page.getByRole('tab', { name: 'Sessions' }).click();
  await page.getByRole('button', { name: 'Sign out Chrome, Linux' }).click();
  await page.getByRole('heading', { name: 'Sign in as owner' }).waitFor();
  t.strictSame(problems, [], 'no errors on the page');
});

t.test('the archive records a variable, and fronts have an address', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const outside = await fixture.id('area/ground/outside');
  const { page, problems } = await openConsole(t, fixture, `#/archive/${outside}`);
  await page.getByRole('link', { name: /^Outside/ }).waitFor();
  await page.getByLabel('Aggregation').selectOption('1');
  await page.getByRole('heading', { name: 'Outside' }).waitFor();
  t.strictSame(await axeFindings(page), []);
  await page.evaluate("location.hash = '#/fronts'");
  await page.getByRole('heading', { name: 'Family' }).waitFor();
  const addresses = page.getByRole('link', { name: 'View as a resident' });
  t.match(await addresses.first().getAttribute('href'), /^\/wfc\/\d+\/$/);
  t.strictSame(await axeFindings(page), []);
  t.strictSame(problems, [], 'no errors on the page');
});

t.test(
  'the debug output continues after a restart, and its button ends with it',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
    t.teardown(() => proxy[Symbol.asyncDispose]());
    const page = await (await (await startBrowser(t)).newContext({ locale: 'en-GB' })).newPage();
    // The function `end` ends ten minutes.
    await page.addInitScript(`
    const real = setTimeout;
    setTimeout = (run, ms, ...rest) => {
      if (ms === 600_000) globalThis.end = run;
      return real(run, ms, ...rest);
    };
  `);
    const relay = await fixture.id('area/ground/hall_relay');
    const state = await fixture.id('area/ground/hall_relay/STATE');
    await page.goto(`http://127.0.0.1:${proxy.port}/console/#/tree/${relay}`);
    await signIn(page);
    await page.getByRole('tab', { name: 'Debug' }).click();
    const [start, stop] = ['Start', 'Stop'].map((name) => page.getByRole('button', { name, exact: true }));
    await start?.click();
    await stop?.waitFor();
    // As a restart does.
    await rpc(fixture, 'SVC_DisableDebug', relay);
    proxy.freeze();
    proxy.cut();
    await page.locator('.banner').waitFor();
    proxy.thaw();
    await page.locator('.banner').waitFor({ state: 'detached' });
    await until('a line', async () => {
      await rpc(fixture, 'RequestAction', state, (await rpc(fixture, 'GetValue', state)) !== true);
      return (await page.getByText('write STATE').count()) > 0;
    });
    await stop?.click();
    await start?.waitFor();
    await page.evaluate('delete globalThis.end');
    await start?.click();
    await stop?.waitFor();
    await page.waitForFunction('globalThis.end');
    await page.evaluate('globalThis.end()');
    await start?.waitFor();
  },
);
