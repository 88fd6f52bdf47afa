import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { TcpProxy } from '../../tools/client/tcp-proxy.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { startArea } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

const open = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

const conflictOf = (page: Page) => page.getByRole('alert').filter({ hasText: 'Someone else has changed' });

t.test('a script that somebody else has changed is not overwritten', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const address = `http://127.0.0.1:${proxy.port}/console/#/scripts`;
  const { page } = await openPage(await startBrowser(t), address, { width: 1280, height: 800 });
  await signIn(page);
  const script = await fixture.id('area/ground/off');
  const stored = () => rpc(fixture, 'SVC_GetScriptContent', script);
  const reconnect = async () => {
    proxy.freeze();
    proxy.cut();
    await page.locator('.banner').waitFor();
    proxy.thaw();
    await page.locator('.banner').waitFor({ state: 'detached' });
  };
  const text = page.getByRole('textbox', { name: 'Text of All off' });
  const conflict = conflictOf(page);
  await page.getByRole('link', { name: /^All off/ }).waitFor();
  proxy.freeze();
  await open(page, `#/scripts/${script}`);
  await page.locator('a[aria-current=true]').waitFor();
  proxy.cut();
  proxy.thaw();
  await text.waitFor();

  await rpc(fixture, 'SVC_SetScriptContent', script, 'print("theirs");');
  await reconnect();
  await text.filter({ hasText: 'theirs' }).waitFor();
  await text.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('print("mine");');
  // The draft stays based on the text that it began with.
  await rpc(fixture, 'SVC_SetScriptContent', script, 'print("newer");');
  await reconnect();
  await open(page, '#/scripts');
  await open(page, `#/scripts/${script}`);
  await text.filter({ hasText: 'mine' }).waitFor();
  await text.click();
  await page.keyboard.press('Control+s');
  await conflict.getByText('Text that is saved now').click();
  await conflict.locator('pre', { hasText: 'newer' }).waitFor();
  t.equal(await stored(), 'print("newer");');
  t.strictSame(await layoutFindings(page), []);
  await conflict.getByRole('button', { name: 'Replace theirs with mine' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await conflict.waitFor({ state: 'detached' });
  t.equal(await stored(), 'print("mine");');

  await rpc(fixture, 'SVC_SetScriptContent', script, 'print("third");');
  await text.click();
  await page.keyboard.type('//');
  await page.getByRole('button', { name: 'Run' }).click();
  await conflict.getByRole('button', { name: 'Discard mine, load theirs' }).click();
  await text.filter({ hasText: 'third' }).waitFor();
  await page.locator('button:disabled', { hasText: 'Save' }).waitFor();
  t.equal(await stored(), 'print("third");');
  t.equal(await page.locator('pre.output').count(), 0, 'nothing was run');
});

t.test(
  "a front's pages that somebody else has changed are not overwritten",
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const configurator = await fixture.id('wf');
    const pageOf = (title: string) =>
      JSON.stringify([{ ID: 'one', ClassName: 'stellwerk.page', Configuration: JSON.stringify({ title }) }]);
    const set = (title: string) => rpc(fixture, 'WFC_SetItems', configurator, pageOf(title));
    const stored = () => rpc(fixture, 'WFC_GetItems', configurator);
    await set('Evening');
    const address = `${new URL(fixture.front).origin}/console/#/fronts`;
    const { page, problems } = await openPage(await startBrowser(t), address, { width: 1280, height: 800 });
    await signIn(page);
    const edit = page.getByRole('button', { name: 'Edit the pages of Family' });
    const title = page.getByRole('group', { name: 'Page 1' }).getByLabel('Title');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const conflict = conflictOf(page);
    await edit.click();
    await title.fill('Mine');
    await set('Theirs');
    // What was entered stays based on the pages that it began with.
    await open(page, '#/log');
    await page.getByRole('tab').first().waitFor();
    await open(page, '#/fronts');
    await save.click();
    await conflict.waitFor();
    t.match(await stored(), [{ Configuration: '{"title":"Theirs"}' }]);
    t.strictSame(await axeFindings(page), []);
    t.strictSame(await layoutFindings(page), []);
    await conflict.getByRole('button', { name: 'Replace theirs with mine' }).click();
    await edit.waitFor();
    t.match(await stored(), [{ Configuration: '{"title":"Mine"}' }]);

    await edit.click();
    await title.fill('Mine again');
    await set('Theirs again');
    await save.click();
    await conflict.getByRole('button', { name: 'Discard mine, load theirs' }).click();
    await conflict.waitFor({ state: 'detached' });
    await until('theirs', async () => (await title.inputValue()) === 'Theirs again');
    t.match(await stored(), [{ Configuration: '{"title":"Theirs again"}' }]);
    t.strictSame(problems, []);
  },
);

t.test('a configuration whose reply was lost is saved, not in conflict', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const file = join(fixture.directory, 'gateway.yaml');
  const before = await readFile(file, 'utf8');
  const page = await (await (await startBrowser(t)).newContext({ locale: 'en-GB' })).newPage();
  let isLost = false;
  await page.routeWebSocket(/\/api\//, (socket) => {
    const gateway = socket.connectToServer();
    let saving: string | undefined;
    socket.onMessage((frame) => {
      const { id, method } = JSON.parse(String(frame)) as { id: string; method: string };
      if (method === 'GW_SetConfigurationText' && !isLost) saving = id;
      gateway.send(frame);
    });
    gateway.onMessage((frame) => {
      if (saving === undefined || (JSON.parse(String(frame)) as { id?: string }).id !== saving)
        return socket.send(frame);
      isLost = true;
      void socket.close({ code: 1001 });
    });
  });
  await page.goto(`${new URL(fixture.front).origin}/console/`);
  await signIn(page);
  await open(page, '#/system/configuration');
  await page.getByRole('textbox', { name: 'Text of the configuration' }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# mine');
  const save = page.getByRole('button', { name: 'Save and apply' });
  await save.click();
  await page.locator('.notice.bad').waitFor();
  t.equal(await readFile(file, 'utf8'), `${before}# mine`);
  await page.locator('.banner').waitFor({ state: 'detached' });
  await save.click();
  await page.getByText('Saved and applied.').or(conflictOf(page)).waitFor();
  t.equal(await conflictOf(page).count(), 0);
  t.ok(await save.isDisabled());
});

t.test(
  'a list of a property that somebody else has changed is not overwritten',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const garden = await fixture.id('area/ground/radio/garden');
    const rules = async () =>
      (
        JSON.parse((await rpc(fixture, 'SVC_GetConfiguration', garden)) as string) as {
          readonly Rules: readonly Readonly<Record<string, unknown>>[];
        }
      ).Rules;
    const patterns = async () => (await rules()).map(({ Pattern }) => Pattern);
    const add = async (Pattern: string) => {
      const all = await rules();
      const Rules = [...all, { ...all[0], Pattern, Ident: `X${all.length}` }];
      await rpc(fixture, 'SVC_SetConfiguration', garden, JSON.stringify({ Rules }));
      await rpc(fixture, 'SVC_ApplyChanges', garden);
    };
    const address = `${new URL(fixture.front).origin}/console/#/tree/${garden}`;
    const { page, problems } = await openPage(await startBrowser(t), address, { width: 1280, height: 800 });
    await signIn(page);
    await page.getByRole('tab', { name: 'Settings' }).click();
    const pattern = page.locator('.list-field td input').first();
    const apply = page.getByRole('button', { name: 'Apply', exact: true });
    const conflict = conflictOf(page);
    await pattern.fill('^M=(.+)$');
    await add('^N=(.+)$');
    // What was entered stays based on the list that it began with.
    await open(page, '#/log');
    await page.getByRole('tab').first().waitFor();
    await open(page, `#/tree/${garden}`);
    await apply.click();
    await conflict.or(page.getByText('Applied', { exact: true })).waitFor();
    t.strictSame(await patterns(), ['^T=(.+)$', '^N=(.+)$']);
    await conflict.getByRole('button', { name: 'Discard mine, load theirs' }).click();
    await page.locator('button:disabled', { hasText: 'Apply' }).waitFor();
    await until('theirs', async () => (await pattern.inputValue()) === '^T=(.+)$');
    await pattern.fill('^M=(.+)$');
    await add('^O=(.+)$');
    await apply.click();
    await conflict.getByRole('button', { name: 'Replace theirs with mine' }).click();
    await page.getByText('Applied', { exact: true }).waitFor();
    t.strictSame(await patterns(), ['^M=(.+)$', '^N=(.+)$']);
    t.strictSame(problems, []);
  },
);
