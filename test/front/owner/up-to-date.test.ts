import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { TcpProxy } from '../../tools/client/tcp-proxy.js';
import { noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

const open = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** The console behind a connection that can be cut; `another` opens it in another browser. */
async function openConsole(t: Test, language?: string) {
  const fixture = await startArea(t);
  const proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const browser = await startBrowser(t);
  const another = async (locale = 'en-GB') => {
    const address = `http://127.0.0.1:${proxy.port}/console/`;
    const { page } = await openPage(browser, address, { width: 1280, height: 800, locale });
    await signIn(page);
    return page;
  };
  return { fixture, proxy, page: await another(language), another };
}

t.test('an event that is deleted while the connection is lost is removed', { skip: noBrowser }, async (t) => {
  const { fixture, proxy, page } = await openConsole(t);
  const event = (await rpc(fixture, 'SVC_CreateEvent', 1)) as number;
  await rpc(fixture, 'SVC_SetName', event, 'Doomed');
  await open(page, '#/events');
  const row = page.locator('.rows.events > li', { hasText: 'never ran' });
  await row.waitFor();
  proxy.freeze();
  await rpc(fixture, 'SVC_DeleteEvent', event);
  proxy.cut();
  proxy.thaw();
  await row.waitFor({ state: 'detached' });
});

t.test('the events of an object follow the gateway', { skip: noBrowser }, async (t) => {
  const { fixture, page } = await openConsole(t);
  const event = (await rpc(fixture, 'SVC_CreateEvent', 1)) as number;
  const relay = await fixture.id('area/ground/hall_relay');
  await rpc(fixture, 'SVC_SetParent', event, relay);
  await open(page, `#/tree/${relay}`);
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByRole('checkbox', { name: 'Active', checked: false }).waitFor();
  await rpc(fixture, 'SVC_SetEventActive', event, true);
  await page.getByRole('checkbox', { name: 'Active', checked: true }).waitFor();
});

t.test('a lost connection is no error of the hardware', { skip: noBrowser }, async (t) => {
  const { fixture, proxy, page } = await openConsole(t);
  let [isHeld, held] = [false, 0];
  const creation: (() => void)[] = [];
  await page.routeWebSocket(/\/api\//, (socket) => {
    const gateway = socket.connectToServer();
    socket.onMessage((frame) => {
      if (isHeld && String(frame).includes('GW_GetFound')) held += 1;
      else if (String(frame).includes('SVC_SetHidden')) creation.push(() => gateway.send(frame));
      else gateway.send(frame);
    });
    gateway.onMessage((frame) => socket.send(frame));
  });
  await open(page, '#/hardware');
  await page.reload();
  const search = page.locator('main').getByRole('button', { name: 'Search', exact: true });
  await search.click();
  // The new instance searches for the first time when it is created.
  await page.getByRole('button', { name: 'Create GPIO Input BUTTON5' }).waitFor();
  await until('a part of the creation', () => creation.length > 0);
  t.equal(await search.count(), 0, 'no second search while the first one is being started');
  creation[0]?.();
  await until('the end of the search', () => search.isEnabled());
  isHeld = true;
  await rpc(fixture, 'SVC_StartSearch', await rpc(fixture, 'SVC_GetInstanceIDByName', 'Hardware', 0));
  await until('a call in flight', () => held > 0);
  isHeld = false;
  proxy.freeze();
  proxy.cut();
  await page.locator('.banner').waitFor();
  proxy.thaw();
  await page.locator('.banner').waitFor({ state: 'detached' });
  t.strictSame(await page.locator('.notice.bad').allTextContents(), []);
});

t.test('who stops to follow an instance does not end it for others', { skip: noBrowser }, async (t) => {
  const { fixture, page, another } = await openConsole(t);
  const relay = await fixture.id('area/ground/hall_relay');
  const state = await fixture.id('area/ground/hall_relay/STATE');
  const other = await another();
  for (const one of [page, other]) {
    await open(one, `#/tree/${relay}`);
    await one.getByRole('tab', { name: 'Debug' }).click();
    await one.getByRole('button', { name: 'Start', exact: true }).click();
    await one.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  }
  const lines = other.getByText('write STATE');
  const toggled = async (isOn: boolean, count: number) => {
    await rpc(fixture, 'RequestAction', state, isOn);
    await lines.nth(count - 1).waitFor();
  };
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  await toggled(true, 1);
  t.equal(await page.getByText('write STATE').count(), 0, 'nothing is shown after a stop');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Values' }).click();
  await page.locator('.values > li').first().waitFor();
  await toggled(false, 2);
});

t.test('the value of a device that is gone is marked', { skip: noBrowser }, async (t) => {
  const { fixture, page } = await openConsole(t);
  const state = await fixture.id('area/ground/hall_relay/STATE');
  await open(page, `#/tree/${state}`);
  const value = page.locator(`#row-${state} .row-value`);
  await value.filter({ hasText: /^Off$/ }).waitFor();
  await rpc(fixture, 'GW_SimulateChipGone', 'simulated', true);
  await value.filter({ hasText: /^Unreachable · Off$/ }).waitFor();
  t.equal(await value.locator('.bad').count(), 1);
  await rpc(fixture, 'GW_SimulateChipGone', 'simulated', false);
  await value.filter({ hasText: /^Off$/ }).waitFor();
});

t.test('a lost connection is described in German', { skip: noBrowser }, async (t) => {
  const { fixture, proxy, page } = await openConsole(t, 'de-DE');
  await open(page, `#/tree/${await fixture.id('area/ground/outside')}`);
  const value = page.locator('.value-form input');
  await value.fill('7');
  proxy.freeze();
  await value.press('Enter');
  proxy.cut();
  await page
    .locator('.notice.bad')
    .getByText(/^Die Verbindung ging verloren\. Ob das Gateway/)
    .waitFor();
  await page.locator('.banner').waitFor();
  await value.press('Enter');
  await page
    .locator('.notice.bad')
    .getByText(/^Es gibt keine Verbindung zum Gateway\./)
    .waitFor();
});
