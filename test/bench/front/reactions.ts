import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Figure } from '../statistics.js';
import { MeasuredPage } from '../../tools/front/measured-page.js';
import { reservePort } from '../../tools/reserve-port.js';
import { call, startGateway } from '../gateway.js';
import { msFigure, type Bench } from './room.js';

/** Resolves with the time at which an element with this selector and text is painted, unix ms. */
const WATCH = `window.painted = (selector, text) => new Promise((resolve) => {
  const check = () =>
    [...document.querySelectorAll(selector)].some((one) => one.textContent.includes(text))
      ? resolve(Date.now())
      : requestAnimationFrame(check);
  check();
});`;

/** Time from before `act` until an element with this selector and text is painted, ms. */
async function timeUntil(page: Page, what: readonly [string, string], act: () => Promise<unknown>) {
  await page.evaluate(WATCH);
  const painted = page.evaluate<number>(`painted(${what.map((one) => JSON.stringify(one)).join(', ')})`);
  const startMs = Date.now();
  await act();
  return (await painted) - startMs;
}

/** The limits of the brief's acceptance checks 2, 4 and 6: signing in, a change, lost hardware. */
export async function reactionFigures({ browser, directory, core, rounds }: Bench): Promise<Figure[]> {
  const place = join(directory, 'reactions');
  mkdirSync(place);
  const web = await reservePort();
  const relay = { instance: 'Hall relay', ident: 'relay', module: 'Relay', properties: { Line: 'RELAY1' } };
  const config = {
    webServers: [{ name: 'web', host: '127.0.0.1', port: web, serve: 'front' }],
    tree: [{ category: 'House', ident: 'house', children: [relay] }],
    configurators: [{ title: 'Family', ident: 'wf', base: 'house', password: 'tulip' }],
  };
  await using gateway = await startGateway({ directory: place, config, core });
  const id = async (ident: string, parent: number) =>
    Number(await call(gateway.port, 'SVC_GetObjectIDByIdent', ident, parent));
  const state = await id('STATE', await id('relay', await id('house', 0)));
  const front = `http://127.0.0.1:${web}/wfc/${await id('wf', 0)}/`;
  const gone = (isGone: boolean) => call(gateway.port, 'GW_SimulateChipGone', 'simulated', isGone);

  const round = async () => {
    await using measured = await MeasuredPage.open(browser);
    const { page } = measured;
    await page.goto(front);
    const password = page.getByLabel('Password');
    const enter = () => password.press('Enter');
    await password.fill('rose');
    const wrong = await timeUntil(page, ['[role=alert]', 'wrong'], enter);
    await password.fill('tulip');
    const right = await timeUntil(page, ['.tile', 'Hall relay'], enter);
    await call(gateway.port, 'RequestAction', state, false);
    const changed = await timeUntil(page, ['[aria-checked=true]', 'Hall relay'], () =>
      call(gateway.port, 'RequestAction', state, true),
    );
    const lost = await timeUntil(page, ['.tile.bad', 'Unreachable'], () => gone(true));
    const back = await timeUntil(page, ['.tile.live', 'Hall relay'], () => gone(false));
    return { wrong, right, changed, lost, back };
  };
  const all: Awaited<ReturnType<typeof round>>[] = [];
  for (let one = 0; one < rounds; one++) all.push(await round());
  const best = (name: keyof (typeof all)[number]) => Math.min(...all.map((one) => one[name]));
  return [
    msFigure('a wrong password: the alert', best('wrong'), { atMost: 1000 }),
    msFigure('the correct password: the first tile', best('right'), { atMost: 1000 }),
    msFigure('a change through the API is shown', best('changed'), { atMost: 250 }),
    msFigure('lost hardware is shown', best('lost'), { atMost: 2000 }),
    msFigure('hardware that is back is shown', best('back'), { atMost: 2000 }),
  ];
}
