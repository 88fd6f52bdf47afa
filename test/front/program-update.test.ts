import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import { TcpProxy } from '../tools/client/tcp-proxy.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { signIn } from '../tools/front/console-pages.js';
import { startArea } from '../tools/front/sample-area.js';
import { until } from '../tools/until.js';

/** A page behind a connection that can be cut. */
async function openBehindProxy(t: Test, path: 'front' | 'console', lacks?: string) {
  const fixture = await startArea(t);
  const proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const browser = await startBrowser(t);
  const front = fixture.front.replace(/:\d+/, `:${proxy.port}`);
  const address = path === 'front' ? front : new URL('/console/', front).href;
  const { page } = await openPage(browser, address, { width: 1280, height: 800 });
  if (lacks !== undefined) {
    await page.route(lacks, (route) => route.abort());
    await page.reload();
  }
  return { fixture, proxy, page };
}

/** From now on the gateway serves the page with the files of another build; resolves when it was requested. */
async function update(page: Page, proxy: TcpProxy): Promise<void> {
  const path = await page.evaluate<string>('location.pathname');
  const isPage = ({ pathname }: URL) => pathname === path;
  const requested = new Promise<void>((resolve) => {
    void page.route(isPage, async (route) => {
      if (route.request().resourceType() !== 'fetch') return route.continue();
      const reply = await route.fetch();
      const body = (await reply.text()).replace(
        /(\/front\/\w+)-\w+\.js"><\/script>/,
        '$1-ANOTHER1.js"></script>',
      );
      await route.fulfill({ response: reply, body });
      resolve();
    });
  });
  proxy.cut();
  await requested;
}

t.test(
  'after an update the front is loaded again, once its messages are read',
  { skip: noBrowser },
  async (t) => {
    const { fixture, proxy, page } = await openBehindProxy(t, 'front');
    await page.locator('.room').first().waitFor();
    await page.evaluate('window.isSamePage = true');
    await until('the overlay is loaded before it is needed', () =>
      page.evaluate<boolean>(
        "performance.getEntriesByType('resource').some(({ name }) => /overlay-/.test(name))",
      ),
    );
    const unchanged = page.waitForResponse(
      (reply) => reply.request().resourceType() === 'fetch' && reply.url() === page.url(),
    );
    proxy.cut();
    await unchanged;
    await page.route('**/front/overlay-*', (route) => route.abort());
    await rpc(fixture, 'WFC_SendNotification', await fixture.id('wf'), 'A notification', '', '', 0);
    await rpc(fixture, 'WFC_SendPopup', await fixture.id('wf'), 'A popup', 'for all');
    await page.getByText('A popup').waitFor();
    t.equal(await page.evaluate('window.isSamePage'), true, 'a lost connection alone changes nothing');
    await update(page, proxy);
    await page.locator('.banner').waitFor({ state: 'detached' });
    t.equal(await page.evaluate('window.isSamePage'), true, 'the popup is still shown');
    const loaded = page.waitForEvent('load');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await loaded;
    await page.locator('.room').first().waitFor();
  },
);

t.test('a popup that cannot be shown does not prevent the reload', { skip: noBrowser }, async (t) => {
  const { fixture, proxy, page } = await openBehindProxy(t, 'front', '**/front/overlay-*');
  await page.locator('.room').first().waitFor();
  await rpc(fixture, 'WFC_SendPopup', await fixture.id('wf'), 'A popup', 'for all');
  await page.locator('.tabs .count').waitFor();
  const loaded = page.waitForEvent('load');
  await update(page, proxy);
  await loaded;
});

t.test(
  'after an update the console is loaded again, unless there are drafts',
  { skip: noBrowser },
  async (t) => {
    const { fixture, proxy, page } = await openBehindProxy(t, 'console');
    await signIn(page);
    await page.evaluate(`location.hash = '#/tree/${await fixture.id('area/ground/outside')}'`);
    const value = page.locator('.value-form input');
    await value.fill('21.5');
    await update(page, proxy);
    await page.getByText('The gateway was updated.').waitFor();
    t.equal(await value.inputValue(), '21.5');
    await value.press('Enter');
    await page.locator('.value-now', { hasText: '21.5' }).waitFor();
    // What was typed is what is reported: no draft, whether the reply has arrived or not.
    await value.press('Tab');
    t.ok(await page.getByText('The gateway was updated.').isVisible(), 'until the page is loaded again');
    const loaded = page.waitForEvent('load');
    proxy.cut();
    await loaded;
    await page.locator('.rail').waitFor();
  },
);
