import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { mediaType } from '../../src/kernel/media.js';
import { rpc, valueAt } from '../tools/client/json-rpc.js';
import { TcpProxy } from '../tools/client/tcp-proxy.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { startArea, type AreaFixture } from '../tools/front/sample-area.js';
import { until } from '../tools/until.js';

/** One pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

interface Setup {
  readonly fixture: AreaFixture;
  readonly proxy: TcpProxy;
  readonly browser: Browser;
  readonly page: Page;
}

/** The room of the sample area behind a connection that can be cut and frozen. */
async function openBehindProxy(t: Test): Promise<Setup> {
  const fixture = await startArea(t);
  const proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const browser = await startBrowser(t);
  const address = fixture.front.replace(/:\d+/, `:${proxy.port}`);
  const { page } = await openPage(browser, `${address}#/room/${await fixture.id('area/ground')}`);
  await page.locator('.tile.wide').first().waitFor();
  return { fixture, proxy, browser, page };
}

const relayIs = (page: Page, isOn: boolean) =>
  page.locator(`[role=switch][aria-checked=${isOn}]`, { hasText: 'Hall relay' }).waitFor();

t.test('after a cut the page is as of then, and misses nothing', { skip: noBrowser }, async (t) => {
  const { fixture, proxy, page } = await openBehindProxy(t);
  await page.evaluate('window.isSamePage = true');
  const relay = await fixture.id('area/ground/hall_relay/STATE');
  const { kernel } = fixture.gateway;
  const parent = kernel.tree.get(await fixture.id('area/ground/hall_relay'));
  const media = kernel.media.create(mediaType.image, { parent, name: 'Porch camera' });
  kernel.media.setDeclared(media, true);
  kernel.media.report(media, GIF, { updated: 1, available: true });
  const failed = page.waitForEvent('requestfailed');
  await page.route('**/media/**', (route) => route.abort(), { times: 1 });
  kernel.media.announceContent(media, media.data);
  await failed;
  proxy.freeze();
  proxy.cut();
  await page
    .getByRole('alert')
    .filter({ hasText: /No connection · as of (?:\d+ \w+(?: \d{4})?, )?\d\d:\d\d/ })
    .waitFor();
  const tile = page.getByRole('switch', { name: /Hall relay/ });
  t.equal(await tile.getAttribute('aria-disabled'), 'true', 'tiles are inert, not hidden');
  await tile.click({ force: true });
  await rpc(fixture, 'RequestAction', relay, true);
  await rpc(fixture, 'WFC_SendNotification', await fixture.id('wf'), 'Water', 'It came meanwhile', '', 0);
  proxy.thaw();
  proxy.cut();
  await relayIs(page, true);
  await page.locator('.banner').waitFor({ state: 'detached' });
  const picture = page.locator('.tile img.picture');
  await until('the picture', () => picture.evaluate((image) => image.naturalWidth === 1));
  t.equal(await page.evaluate('window.isSamePage'), true, 'without a reload');
  t.equal(await valueAt(fixture, 'area/ground/hall_relay/STATE'), true, 'the click did nothing');
  const room = await page.evaluate<string>('location.hash');
  await rpc(fixture, 'WFC_SendNotification', await fixture.id('wf'), 'Bell', 'It came now', '', 0);
  await page.evaluate("location.hash = '#/messages'");
  const messageOf = (text: string) => page.getByRole('listitem').filter({ hasText: text });
  t.match(await messageOf('It came now').locator('small').textContent(), /\d\d:\d\d|moment/);
  t.equal(await messageOf('It came meanwhile').locator('small').count(), 0, 'not the time of the reconnect');
  await page.evaluate(`location.hash = ${JSON.stringify(room)}`);

  await page.getByRole('link', { name: 'Details: Hall relay' }).click();
  const sheet = page.getByRole('dialog', { name: 'Hall relay' });
  const alert = sheet.getByRole('alert').filter({ hasText: 'not carried out' });
  await rpc(fixture, 'GW_SimulateRefusal', 'RELAY1', true);
  await sheet.getByRole('switch').click();
  await alert.waitFor();
  const first = await alert.textContent();
  await sheet.getByRole('switch').click();
  await until('the second announcement', async () => (await alert.textContent()) !== first);
  await rpc(fixture, 'WFC_SendPopup', await fixture.id('wf'), 'A popup', 'for all');
  const popup = page.getByRole('dialog', { name: 'A popup' });
  await popup.waitFor();
  proxy.freeze();
  proxy.cut();
  // Nothing covers it, and it is not inert.
  await popup.locator('.banner').click({ trial: true });
  await popup.getByRole('button', { name: 'Close' }).click();
  await sheet.locator('.banner').click({ trial: true });
  t.equal(await page.evaluate("getComputedStyle(document.querySelector('.variable')).opacity"), '0.75');
  await sheet.getByRole('button', { name: 'Close' }).click();
  await page.locator('.banner').click({ trial: true });
});

const DAY_MS = 86_400_000;

t.test('a silent connection is noticed, and a command on it is unknown', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const browser = await startBrowser(t);
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  await page.clock.install();
  const address = fixture.front.replace(/:\d+/, `:${proxy.port}`);
  await page.goto(`${address}#/room/${await fixture.id('area/ground')}`);
  await page.locator('.tile.wide').first().waitFor();
  await rpc(fixture, 'WFC_SendNotification', await fixture.id('wf'), 'A notification', '', '', 0);
  await page.locator('.tabs .count').waitFor();
  proxy.freeze();
  await page.getByRole('switch', { name: /Hall relay/ }).click();
  await page.clock.runFor(200);
  await page.locator('.tile[aria-busy=true]', { hasText: 'Hall relay' }).waitFor();
  await page.clock.runFor(26_000);
  await page.locator('.banner').waitFor();
  const alerts = page.getByRole('alert');
  await alerts.filter({ hasText: 'Hall relay: Not known whether it was done' }).waitFor();
  await page.clock.fastForward(DAY_MS);
  await page.locator('.banner', { hasText: /as of \d+ \w+(?: \d{4})?, \d\d:\d\d/ }).waitFor();
  proxy.thaw();
  await page.clock.runFor(16_000);
  await page.clock.resume();
  await page.locator('.banner').waitFor({ state: 'detached' });
  await page.clock.fastForward(DAY_MS);
  await page.evaluate("location.hash = '#/messages'");
  await page.locator('.list small', { hasText: /^\d+ \w+(?: \d{4})?, \d\d:\d\d$/ }).waitFor();
});

t.test('after a restart of the gateway the page shows its state again', { skip: noBrowser }, async (t) => {
  const { fixture, proxy, page } = await openBehindProxy(t);
  await page.evaluate('window.isSamePage = true');
  await fixture.gateway.close();
  await page.locator('.banner').waitFor();
  const next = await startArea(t, { directory: fixture.directory });
  t.not(next.gateway.port('web'), 0);
  proxy.redirect(next.gateway.port('web') ?? 0);
  await rpc(next, 'RequestAction', await next.id('area/ground/hall_relay/STATE'), true);
  await relayIs(page, true);
  await page.locator('.banner').waitFor({ state: 'detached' });
  t.equal(await page.evaluate('window.isSamePage'), true);
});

t.test('a page that was hidden verifies its connection when it is shown', { skip: noBrowser }, async (t) => {
  const { proxy, page } = await openBehindProxy(t);
  const requests: string[] = [];
  page.on('websocket', (socket) => requests.push(socket.url()));
  proxy.cut();
  await page.evaluate("dispatchEvent(new Event('online'))");
  await until('a new socket', () => requests.length > 0);
  await page.locator('.banner').waitFor({ state: 'detached' });
  t.match(requests[0], /since=\d+/);
});

t.test(
  'times are those of the gateway, whatever the clock of the device says',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const browser = await startBrowser(t);
    const context = await browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    await page.clock.install({ time: Date.now() - 7 * 86_400_000 });
    await page.goto(`${fixture.front}#/room/${await fixture.id('area/ground')}`);
    await page.locator('.tile.wide').first().waitFor();
    await rpc(fixture, 'RequestAction', await fixture.id('area/ground/boiler/STATE'), true);
    await page.locator('.tile', { hasText: /Boiler.*min\. on until \d\d:\d\d:\d\d/ }).waitFor();
    t.pass('the end of the rule is near, by the time of the gateway');
  },
);

t.test('a page that must wait says for how long, and then connects', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  let isRejected = false;
  await page.routeWebSocket(/\/api\//, (socket) => {
    if (isRejected) return void socket.connectToServer();
    isRejected = true;
    return socket.close({ code: 4429, reason: '2' });
  });
  const said = page.getByText('Try again in 2 seconds').waitFor();
  await page.goto(fixture.front);
  await said;
  await page.locator('.room').first().waitFor();
  t.equal(await page.getByText('Try again').count(), 0);
});
