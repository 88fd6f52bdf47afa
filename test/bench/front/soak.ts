/**
 * A soak test of the pages: `MINUTES=30 node dist/test/bench/front/soak.js`. A front and a console show a
 * gateway whose variables change 100 times a second, walk through their pages, and lose their connection 200
 * times. Their heaps must return to their starting size within 5 MB.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../../src/base/fault.js';
import { TcpProxy } from '../../tools/client/tcp-proxy.js';
import { launchBrowser, noBrowser } from '../../tools/front/browser.js';
import { MeasuredPage } from '../../tools/front/measured-page.js';
import { call, LOGIN } from '../gateway.js';
import { change, startFrontGateway } from './front-gateway.js';

const MINUTES = Number(process.env['MINUTES'] ?? 30);
const VARIABLES = 200;
const PER_SECOND = 100;
const RECONNECTS = 200;
const MAX_GROWTH_MB = 5;
/** Rounds through all pages before the heap is measured first: every chunk is loaded, every cache is filled. */
const WARM_UP = 2;

if (noBrowser !== false) throw new Error(noBrowser);
const directory = mkdtempSync(join(tmpdir(), 'stellwerk-front-soak-'));
const browser = await launchBrowser();
const problems: string[] = [];
try {
  await soak();
} finally {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
}
for (const problem of problems) console.log(`WRONG  ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

async function soak(): Promise<void> {
  await using gateway = await startFrontGateway(directory, VARIABLES, undefined);
  await using proxy = await TcpProxy.start(Number(new URL(gateway.origin).port));
  const origin = `http://127.0.0.1:${proxy.port}`;
  const [variable = 0] = gateway.variables;
  await using front = await MeasuredPage.open(browser);
  await using owner = await MeasuredPage.open(browser, { width: 1280, height: 800 });
  let sockets = 0;
  for (const { page } of [front, owner]) {
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('websocket', () => (sockets += 1));
  }
  await front.page.goto(`${origin}${gateway.front}`);
  await owner.page.goto(`${origin}/console/`);
  await owner.page.locator('[name=username]').fill(LOGIN.username);
  await owner.page.locator('[name=password]').fill(LOGIN.password);
  await owner.page.locator('[name=password]').press('Enter');
  await owner.page.locator('.rail').waitFor();
  const addresses = [
    ['', '#/tree'],
    [`#/room/${gateway.room}`, `#/tree/${variable}`],
    [`#/object/${variable}`, '#/log'],
    [`#/history/${variable}`, '#/archive'],
    ['#/messages', '#/system'],
    ['#/device', '#/hardware'],
    [`#/room/${gateway.room}`, '#/overview'],
  ] as const;
  const configurator = Number(gateway.front.split('/').at(-2));
  const walk = async (pauseS: number) => {
    for (const [resident, owned] of addresses) {
      await front.page.evaluate(`location.hash = '${resident}'`);
      await owner.page.evaluate(`location.hash = '${owned}'`);
      await call(gateway.server.port, 'WFC_SendNotification', configurator, 'Title', 'Text', '', 1);
      await change(gateway, PER_SECOND, pauseS);
    }
  };
  const reconnect = async () => {
    proxy.cut();
    await front.page.evaluate("dispatchEvent(new Event('online'))");
    await owner.page.evaluate("dispatchEvent(new Event('online'))");
  };
  const heaps = async () => [(await front.heapBytes()) / 1e6, (await owner.heapBytes()) / 1e6] as const;
  for (let round = 0; round < WARM_UP; round++) {
    await reconnect();
    await walk(2);
  }
  const before = await heaps();
  console.log(`before: front ${before[0].toFixed(1)} MB, console ${before[1].toFixed(1)} MB`);
  const startMs = performance.now();
  const soFar = () => (performance.now() - startMs) / 60_000 / MINUTES;
  let cuts = 0;
  let changes = 0;
  for (let reported = 0; soFar() < 1;) {
    await Promise.all([
      walk(2).then(() => (changes += addresses.length * 2 * PER_SECOND)),
      (async () => {
        while (cuts < RECONNECTS * Math.min(1, soFar() + 0.002)) {
          cuts += 1;
          await reconnect();
          // The connections are there again before they are cut again.
          await front.page.locator('.banner').waitFor({ state: 'detached' });
        }
      })(),
    ]);
    if (Math.floor(soFar() * 10) <= reported) continue;
    reported = Math.floor(soFar() * 10);
    const [resident, owned] = await heaps();
    console.log(
      `${(soFar() * MINUTES).toFixed(1)} min: front ${resident.toFixed(1)} MB, console ${owned.toFixed(1)} MB; ` +
        `${cuts} cuts, ${sockets} sockets, ${changes} changes`,
    );
  }
  await change(gateway, PER_SECOND, 2);
  const after = await heaps();
  for (const [at, name] of ['front', 'console'].entries()) {
    const growth = (after[at] ?? Infinity) - (before[at] ?? 0);
    console.log(`growth of the heap of the ${name}: ${growth.toFixed(2)} MB (at most ${MAX_GROWTH_MB} MB)`);
    if (!(growth <= MAX_GROWTH_MB)) problems.push(`the heap of the ${name} grew by ${growth.toFixed(1)} MB`);
  }
  await isLive().catch((thrown: unknown) => problems.push(messageOf(thrown)));

  /** A change reaches the front. */
  async function isLive(): Promise<void> {
    await front.page.evaluate(`location.hash = '#/room/${gateway.room}'`);
    await call(gateway.server.port, 'SetValue', variable, 12.3);
    await front.page.locator('.tile').first().filter({ hasText: '12.3' }).waitFor();
  }
}
