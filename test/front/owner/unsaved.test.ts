import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { noBrowser, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

/** A page of the console, signed in as the owner; the gateway rejects the functions of `rejected`. */
async function openConsole(t: Test, hash: string, rejected: readonly string[] = []) {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await page.routeWebSocket(/\/api\//, (socket) => {
    const gateway = socket.connectToServer();
    socket.onMessage((frame) => {
      const { id, method } = JSON.parse(String(frame)) as { id: string; method: string };
      const error = { code: -32_000, message: 'The disk is full' };
      if (rejected.includes(method)) socket.send(JSON.stringify({ jsonrpc: '2.0', id, error }));
      else gateway.send(frame);
    });
    gateway.onMessage((frame) => socket.send(frame));
  });
  await page.goto(`${new URL(fixture.front).origin}/console/${hash}`);
  await signIn(page);
  return { fixture, page };
}

const open = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** Whether the page asks before it is closed. */
const isUnsaved = (page: Page) =>
  page.evaluate<boolean>("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");

t.test('a value that is typed is taken back', { skip: noBrowser }, async (t) => {
  const { fixture, page } = await openConsole(t, '#/tree');
  const outside = await fixture.id('area/ground/outside');
  await open(page, `#/tree/${outside}`);
  const value = page.locator('.value-form input');
  await value.fill('21.5');
  t.equal(await isUnsaved(page), true);
  await value.fill('4.3');
  await value.blur();
  t.equal(await isUnsaved(page), false, 'the current value');
  await value.fill('21.5');
  await value.press('Escape');
  t.equal(await value.inputValue(), '4.3');
  t.equal(await isUnsaved(page), false, 'Escape');
  await value.fill('21.5');
  await value.fill('');
  t.equal(await value.inputValue(), '', 'a number is deleted before another one is typed');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  t.equal(await value.inputValue(), '', 'no number is not sent');
  await value.blur();
  await until('the current value', async () => (await value.inputValue()) === '4.3');
  t.equal(await isUnsaved(page), false, 'no number');
  await rpc(fixture, 'SetValue', outside, 5.5);
  await until('what is reported', async () => (await value.inputValue()) === '5.5');
});

t.test(
  'what is taken back, or was entered for a deleted object, is not unsaved',
  { skip: noBrowser },
  async (t) => {
    const { fixture, page } = await openConsole(t, '#/events');
    await page.getByRole('button', { name: 'New event' }).click();
    const name = page.getByRole('dialog').getByLabel('Name');
    await name.fill('Evening');
    t.equal(await isUnsaved(page), true);
    await name.fill('');
    t.equal(await isUnsaved(page), false, 'a draft without entries');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    const [variable, script] = [await fixture.id('area/ground/outside'), await fixture.id('area/ground/off')];
    await open(page, `#/tree/${variable}`);
    await page.locator('.value-form input').fill('21.5');
    await open(page, `#/scripts/${script}`);
    await page.getByRole('textbox', { name: 'Text of All off' }).click();
    await page.keyboard.type('// ');
    await page.getByText('not saved').waitFor();
    await open(page, '#/tree');
    await rpc(fixture, 'GW_DeleteObject', variable, true);
    t.equal(await isUnsaved(page), true);
    await rpc(fixture, 'GW_DeleteObject', script, true);
    await until('nothing is unsaved', async () => !(await isUnsaved(page)));
  },
);

t.test('an event without changes is not unsaved', { skip: noBrowser }, async (t) => {
  const { fixture, page } = await openConsole(t, '#/events');
  const event = (await rpc(fixture, 'SVC_CreateEvent', 1)) as number;
  await rpc(fixture, 'SVC_SetName', event, 'Morning');
  await open(page, `#/events/${event}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Evening');
  t.equal(await isUnsaved(page), true);
  await name.fill('Morning');
  t.equal(await isUnsaved(page), false);
});

t.test('a script keeps its draft if it cannot be deleted', { skip: noBrowser }, async (t) => {
  const { fixture, page } = await openConsole(t, '#/scripts', ['GW_DeleteObject']);
  await open(page, `#/scripts/${await fixture.id('area/ground/off')}`);
  await page.getByRole('textbox', { name: 'Text of All off' }).click();
  await page.keyboard.type('// a draft ');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.locator('.notice.bad').getByText('The disk is full').waitFor();
  t.equal(await isUnsaved(page), true);
  t.ok(await page.getByText('not saved').isVisible());
});

t.test('a deletion can be undone after another action', { skip: noBrowser }, async (t) => {
  const { fixture, page } = await openConsole(t, '#/tree');
  await open(page, `#/tree/${await fixture.id('area/upper/bath/battery')}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('was deleted').waitFor();
  await open(page, `#/tree/${await fixture.id('area/ground/outside')}`);
  await page.locator('.value-form input').fill('7');
  await page.locator('.value-form input').press('Enter');
  await page.locator('.value-now', { hasText: '7.0 °C' }).waitFor();
  await page.getByRole('tab', { name: 'Object' }).click();
  await page.getByLabel('Position', { exact: true }).fill('7');
  await page.getByLabel('Position', { exact: true }).blur();
  await until('the position is saved', async () => !(await isUnsaved(page)));
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('was restored').waitFor();
});

t.test('a script with CR LF is changed by what is typed alone', { skip: noBrowser }, async (t) => {
  const { fixture, page } = await openConsole(t, '#/scripts');
  const script = await fixture.id('area/ground/off');
  await rpc(fixture, 'SVC_SetScriptContent', script, 'print(1);\r\nprint(2);\r\n');
  await open(page, `#/scripts/${script}`);
  const text = page.getByRole('textbox', { name: 'Text of All off' });
  const save = page.getByRole('button', { name: 'Save' });
  await text.filter({ hasText: 'print(2)' }).waitFor();
  t.equal(await isUnsaved(page), false);
  t.ok(await save.isDisabled());
  t.equal(await page.getByText('not saved').count(), 0);
  await text.click();
  for (const takeBack of ['Discard changes', 'Control+z']) {
    await page.keyboard.type('7');
    await page.locator('button:enabled', { hasText: 'Save' }).waitFor();
    if (takeBack.includes('+')) await page.keyboard.press(takeBack);
    else await page.getByRole('button', { name: takeBack }).click();
    await page.locator('button:disabled', { hasText: 'Save' }).waitFor();
    t.equal(await isUnsaved(page), false, takeBack);
    await text.focus();
  }
});
