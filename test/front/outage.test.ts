import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { idOf, rpc } from '../tools/client/json-rpc.js';
import { TcpProxy } from '../tools/client/tcp-proxy.js';
import { noBrowser, openPage, startBrowser, stopClock } from '../tools/front/browser.js';
import { areaConfiguration } from '../tools/front/sample-area.js';
import {
  configDirectory,
  startGatewayProcess,
  type GatewayProcess,
} from '../tools/gateway/gateway-fixture.js';
import { until } from '../tools/until.js';

interface House extends GatewayProcess {
  /** The port of the fronts. */
  readonly web: number;
}

/** A gateway as a process of its own, on the data of an earlier one. */
async function startHouse(t: Test, directory: string): Promise<House> {
  const gateway = await startGatewayProcess(t, directory);
  const [, web] = await gateway.program.waitFor(/"name":"web",.*"port":(\d+)/);
  return { ...gateway, web: Number(web) };
}

/** A page whose clock stands still: what happens on it happens without any of its timers. */
async function openStopped(t: Test, house: House) {
  const proxy = await TcpProxy.start(house.web);
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const browser = await startBrowser(t);
  const { page } = await openPage(browser, `http://127.0.0.1:${proxy.port}/`);
  await page.clock.install();
  const room = await idOf(house, 'area/ground');
  await page.goto(`http://127.0.0.1:${proxy.port}/wfc/${await idOf(house, 'wf')}/#/room/${room}`);
  await page.locator('.tile.wide').first().waitFor();
  await page.evaluate('window.isSamePage = true');
  const sockets = { opened: 0, closed: 0, received: '' };
  page.on('websocket', (socket) => {
    sockets.opened += 1;
    socket.on('close', () => (sockets.closed += 1));
    socket.on('framereceived', ({ payload }) => (sockets.received += String(payload)));
  });
  await stopClock(page);
  return { page, proxy, sockets };
}

const relay = (page: Page) => page.getByRole('switch', { name: /Hall relay/ });
const relayIs = (page: Page, isOn: boolean) =>
  page.locator(`[role=switch][aria-checked=${isOn}]`, { hasText: 'Hall relay' }).waitFor();

t.test('a gateway that is killed and restarted', { skip: noBrowser }, async (t) => {
  const directory = await configDirectory(t, areaConfiguration());
  const house = await startHouse(t, directory);
  const { page, proxy, sockets } = await openStopped(t, house);
  house.program.process.kill('SIGSTOP');
  await relay(page).click();
  await page.getByRole('button', { name: /All off/ }).click();
  await house.program.end('SIGKILL');
  await page
    .getByRole('alert')
    .filter({ hasText: /No connection · as of (?:\d+ \w+(?: \d{4})?, )?\d\d:\d\d/ })
    .waitFor();
  t.pass('the page says so without a timer');
  t.equal(await relay(page).getAttribute('aria-disabled'), 'true', 'its tiles are inert');
  for (let attempt = 1; attempt <= 8; attempt++) {
    await page.clock.runFor(3000);
    // The page waits for the next attempt only after this one has failed.
    await until(`attempt ${attempt}`, () => sockets.opened >= attempt && sockets.closed >= attempt);
  }
  const next = await startHouse(t, directory);
  await rpc(next, 'RequestAction', await idOf(next, 'area/ground/hall_relay/STATE'), true);
  proxy.redirect(next.web);
  const before = sockets.opened;
  await page.clock.runFor(3000);
  await until('a new socket, within 3 s of the restart', () => sockets.opened > before);
  await relayIs(page, true);
  await page.clock.resume();
  await page.getByRole('alert').filter({ hasText: 'Connected again' }).waitFor();
  await page.locator('.banner').waitFor({ state: 'detached' });
  t.equal(await page.evaluate('window.isSamePage'), true, 'without a reload');
  await page.locator('.tile.live', { hasText: 'Hall relay' }).waitFor();
  t.pass('it has reported since the command whose reply was lost');
  await page.locator('.tile.unknown', { hasText: 'All off' }).waitFor();
  // The ten minutes begin when the new process has replied that it knows neither of the two commands.
  await until('the outcomes of both commands', () => sockets.received.split('"State":"unknown"').length >= 3);
  await page.clock.fastForward(600_000);
  await page.locator('.tile.live', { hasText: 'All off' }).waitFor();
});

t.test('a gateway that hangs', { skip: noBrowser }, async (t) => {
  const house = await startHouse(t, await configDirectory(t, areaConfiguration()));
  const { page } = await openStopped(t, house);
  t.teardown(() => house.program.process.kill('SIGCONT'));
  house.program.process.kill('SIGSTOP');
  await relay(page).click();
  await page.clock.runFor(200);
  await page.locator('.tile[aria-busy=true]', { hasText: 'Hall relay' }).waitFor();
  t.equal(await relay(page).getAttribute('aria-checked'), 'false', 'what is requested is no state');
  await page.clock.runFor(26_000);
  await page.locator('.banner').waitFor();
  await page.getByRole('alert').filter({ hasText: 'Hall relay: Not known whether it was done' }).waitFor();
  t.equal(await relay(page).getAttribute('aria-disabled'), 'true');
  house.program.process.kill('SIGCONT');
  await page.clock.resume();
  await relayIs(page, true);
  await page.locator('.banner').waitFor({ state: 'detached' });
  await page.locator('.tile.live', { hasText: 'Hall relay' }).waitFor();
  t.equal(await page.evaluate('window.isSamePage'), true, 'without a reload');
});
