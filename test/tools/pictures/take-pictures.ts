/**
 * Writes the pictures of the pages for docs/images: `TZ=Europe/Berlin node dist/test/tools/pictures/take-pictures.js`.
 * The clock of the gateway and of the pages stands still, so that a picture changes only if its page does.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { systemClock } from '../../../src/base/clock.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { Gateway } from '../../../src/composition/gateway.js';
import { ServiceLog } from '../../../src/service/log.js';
import { idOf, rpc, type ApiAddress } from '../client/json-rpc.js';
import { signIn } from '../front/console-pages.js';
import { launchBrowser } from '../front/browser.js';
import { HOUSE } from './house.js';

const NOW_MS = Date.UTC(2026, 5, 15, 16, 40);
const DAY_S = 86_400;
const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 1.5,
  hasTouch: true,
  isMobile: true,
};
const DESKTOP = { viewport: { width: 1280, height: 800 } };
const IMAGES = join(PACKAGE_ROOT, 'docs', 'images');
/** Quality of WebP: texts stay sharp. */
const QUALITY = 80;

const directory = mkdtempSync(join(tmpdir(), 'stellwerk-pictures-'));
const configFile = join(directory, 'gateway.yaml');
writeFileSync(configFile, HOUSE);
const gateway = await Gateway.start({
  configFile,
  directory: join(directory, 'data'),
  log: new ServiceLog({ write: () => undefined, form: 'json' }),
  clock: { ...systemClock(), nowMs: () => NOW_MS },
});
const browser = await launchBrowser();
try {
  const at = { port: gateway.port() ?? 0 };
  await liveIn(at);
  await takeFront(browser, at);
  await takeConsole(browser, at);
} finally {
  await browser.close();
  await gateway.close();
  rmSync(directory, { recursive: true, force: true });
}

/** Brings the house into the state of an evening, with a history. */
async function liveIn(at: ApiAddress): Promise<void> {
  const state = (path: string) => idOf(at, `house/${path}/STATE`);
  const [archive] = (await rpc(at, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[];
  for (const [path, middle, range] of [
    ['heating/outside', 14, 6],
    ['ground/inside', 21, 0.8],
  ] as const) {
    const records = Array.from({ length: 7 * 96 }, (_, quarter) => {
      const TimeStamp = NOW_MS / 1000 - quarter * 900 - 60;
      const wave = Math.cos(((TimeStamp % DAY_S) / DAY_S - 0.6) * 2 * Math.PI) + Math.sin(quarter / 7) / 6;
      return { TimeStamp, Value: Math.round((middle + range * wave) * 10) / 10 };
    });
    await rpc(at, 'AC_AddLoggedValues', archive, await idOf(at, `house/${path}`), records);
  }
  for (const path of ['ground/kitchen', 'heating/boiler'])
    await rpc(at, 'RequestAction', await state(path), true);
  await rpc(at, 'GW_SimulateLine', 'BUTTON1', true);
  await rpc(at, 'GW_SimulateLine', 'BUTTON1', false);
  await rpc(at, 'RequestAction', await idOf(at, 'house/ground/lamp/LEVEL'), 0.6);
  await rpc(at, 'SVC_SetIcon', await idOf(at, 'house/ground/hall'), 'Bulb');
  await rpc(at, 'SVC_SetIcon', await idOf(at, 'house/ground/kitchen'), 'Bulb');
  await rpc(at, 'SVC_SetIcon', await idOf(at, 'house/upper/bath'), 'Bulb');
}

async function takeFront(of: Browser, at: ApiAddress): Promise<void> {
  const address = `http://127.0.0.1:${gateway.port('web')}/wfc/${await idOf(at, 'wf')}/`;
  const [ground, boiler] = [await idOf(at, 'house/ground'), await idOf(at, 'house/heating/boiler')];
  const outside = await idOf(at, 'house/heating/outside');
  const page = await open(of, { ...PHONE, colorScheme: 'light', locale: 'en-GB' }, address);
  await take(page, 'front-home', '.room');
  await go(page, `#/room/${ground}`);
  await take(page, 'front-room', '.tile.wide');
  await go(page, `#/history/${outside}`);
  await take(page, 'front-history', 'main svg path');
  const dark = await open(
    of,
    { ...PHONE, colorScheme: 'dark', locale: 'en-GB' },
    `${address}#/object/${boiler}`,
  );
  await take(dark, 'front-sheet-dark', 'dialog.sheet');
  const tablet = { viewport: { width: 1180, height: 820 }, hasTouch: true, isMobile: true };
  const kiosk = await open(of, { ...tablet, colorScheme: 'dark', locale: 'de-DE' }, `${address}#/device`);
  await kiosk.getByRole('button', { name: 'Kiosk starten' }).click();
  await go(kiosk, `#/room/${ground}`);
  await take(kiosk, 'front-kiosk-de', '.tile.wide');
}

async function takeConsole(of: Browser, at: ApiAddress): Promise<void> {
  const address = `http://127.0.0.1:${gateway.port('web')}/console/`;
  const boiler = await idOf(at, 'house/heating/boiler');
  const page = await open(of, { ...DESKTOP, colorScheme: 'light', locale: 'en-GB' }, address);
  await signIn(page);
  await take(page, 'console-overview', '.health');
  await go(page, `#/tree/${boiler}`);
  await take(page, 'console-tree', '.values > li');
  await go(page, `#/tree/${await idOf(at, 'house/heating/outside')}`);
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('button', { name: 'Week' }).click();
  await take(page, 'console-history', '.plot canvas');
  await go(page, '#/hardware');
  await page.locator('main').getByRole('button', { name: 'Search', exact: true }).click();
  await take(page, 'console-hardware', '.found');
  await go(page, `#/scripts/${await idOf(at, 'house/heating/off')}`);
  await take(page, 'console-scripts', '.cm-line');
  const phone = await open(of, { ...PHONE, colorScheme: 'dark', locale: 'de-DE' }, address);
  await signIn(phone);
  await go(phone, `#/tree/${boiler}`);
  await take(phone, 'console-phone-de', '.values > li');
}

async function open(of: Browser, options: BrowserContextOptions, address: string): Promise<Page> {
  const context = await of.newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW_MS);
  await page.goto(address);
  return page;
}

async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Waits until an element is there and nothing moves, and writes the picture. */
async function take(page: Page, name: string, loaded: string): Promise<void> {
  await page.locator(loaded).first().waitFor();
  // What arrives later than the first element: further values, images, the chart.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1000))');
  const cdp = await page.context().newCDPSession(page);
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  const image = Buffer.from(data, 'base64');
  writeFileSync(join(IMAGES, `${name}.webp`), image);
  console.log(`${name}.webp: ${(image.length / 1000).toFixed(0)} kB`);
}
