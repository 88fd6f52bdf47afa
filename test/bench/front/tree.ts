import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LOGIN } from '../gateway.js';
import type { Figure } from '../statistics.js';
import { MeasuredPage, frameAt, quietest } from '../../tools/front/measured-page.js';
import { startFrontGateway } from './front-gateway.js';
import { msFigure, type Bench } from './room.js';

const OBJECTS = 10_000;
const WHEEL_STEPS = 60;
/** Three rows and a bit, as a notch of a wheel. */
const WHEEL_PX = 120;

/** The tree of the console with 10,000 objects: how long it takes to open, and how it scrolls. */
export async function treeFigures({ browser, directory, core, rounds }: Bench): Promise<Figure[]> {
  const place = join(directory, 'tree');
  mkdirSync(place);
  await using gateway = await startFrontGateway(place, OBJECTS, core);
  await using bench = await MeasuredPage.open(browser, { width: 1280, height: 800 });
  const { page } = bench;
  await page.goto(`${gateway.origin}/console/`);
  await page.locator('[name=username]').fill(LOGIN.username);
  await page.locator('[name=password]').fill(LOGIN.password);
  await page.locator('[name=password]').press('Enter');
  await page.locator('.health').waitFor();
  const opened = async () => {
    await page.evaluate("location.hash = '#/overview'");
    await page.locator('.health').waitFor();
    return page.evaluate<number>(`new Promise((resolve) => {
      const startMs = performance.now();
      location.hash = '#/tree/${gateway.variables[OBJECTS / 2]}';
      const check = () =>
        document.querySelector('.tree-row[aria-selected=true]') === null
          ? requestAnimationFrame(check)
          : resolve(performance.now() - startMs);
      requestAnimationFrame(check);
    })`);
  };
  const loaded = async () => {
    await page.goto('about:blank');
    await page.goto(`${gateway.origin}/console/#/tree`, { waitUntil: 'commit' });
    return page.evaluate<number>(`new Promise((resolve) => {
      const check = () =>
        document.querySelector('.tree-row') === null
          ? requestAnimationFrame(check)
          : requestAnimationFrame(() => resolve(performance.now()));
      check();
    })`);
  };
  const loadMs = await quietest(rounds, loaded, (ms) => ms);
  await bench.record();
  const openMs = await quietest(rounds, opened, (ms) => ms);
  await page.locator('.virtual').hover();
  const scroll = async () => {
    await page.evaluate("document.querySelector('.virtual').scrollTop = 20000");
    const pace = await bench.during(async () => {
      for (let step = 0; step < WHEEL_STEPS; step++) {
        await page.mouse.wheel(0, WHEEL_PX);
        await page.evaluate('new Promise(requestAnimationFrame)');
      }
    });
    return pace;
  };
  const pace = await quietest(rounds, scroll, (one) => frameAt(one, 0.95));
  const name = `tree of ${OBJECTS} objects:`;
  return [
    msFigure(`${name} opens with the console`, loadMs, { atMost: 1000 }),
    msFigure(`${name} opens`, openMs, { atMost: 1000 }),
    msFigure(`${name} scrolls, frames p95`, frameAt(pace, 0.95), {
      atMost: 34,
      ours: `p50 ${frameAt(pace, 0.5).toFixed(0)} ms, main thread ${pace.busyMs.toFixed(0)} ms/s`,
    }),
  ];
}
