import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { Figure } from '../statistics.js';
import {
  MeasuredPage,
  frameAt,
  quietest,
  type MeasuredPageOptions,
  type Pace,
} from '../../tools/front/measured-page.js';
import { change, startFrontGateway, type FrontGateway } from './front-gateway.js';

const PER_SECOND = 100;
/** Of one round. The goals are for 60 s; others on the machine disturb short rounds less. */
const SECONDS = Number(process.env['SECONDS'] ?? 10);

/** What a benchmark of pages runs in. */
export interface Bench {
  readonly browser: Browser;
  readonly directory: string;
  readonly core: number | undefined;
  readonly rounds: number;
}

/** Opens the room with all tiles and waits until they have settled. */
async function openRoom(
  browser: Browser,
  gateway: FrontGateway,
  options: MeasuredPageOptions,
): Promise<MeasuredPage> {
  const bench = await MeasuredPage.open(browser, options);
  await bench.page.goto(`${gateway.origin}${gateway.front}#/room/${gateway.room}`);
  await bench.page.locator('.tile').first().waitFor();
  await bench.record();
  // The fonts, the style of all tiles and the compiler's work after a load belong to the load.
  await bench.during(() => change(gateway, PER_SECOND, 3));
  return bench;
}

const describe = (pace: Pace): string =>
  `p50 ${frameAt(pace, 0.5).toFixed(0)}, p95 ${frameAt(pace, 0.95).toFixed(0)}, p99 ${frameAt(pace, 0.99).toFixed(0)} ms; ` +
  `main thread ${pace.busyMs.toFixed(0)} ms/s`;

/** 1,000 tiles and 100 changes a second: frames, long tasks, heap; on a slow phone; and with twice the tiles. */
export async function roomFigures({ browser, directory, core, rounds }: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  const busy: number[] = [];
  for (const count of [1000, 2000]) {
    const place = join(directory, `room-${count}`);
    mkdirSync(place);
    await using gateway = await startFrontGateway(place, count, core);
    const round = (bench: MeasuredPage) => () => bench.during(() => change(gateway, PER_SECOND, SECONDS));
    await using fast = await openRoom(browser, gateway, {});
    const heap = await fast.heapBytes();
    const all: Pace[] = [];
    const pace = await quietest(
      rounds,
      async () => {
        const one = await round(fast)();
        all.push(one);
        return one;
      },
      (one) => frameAt(one, 0.99),
    );
    busy.push(Math.min(...all.map(({ busyMs }) => busyMs)));
    if (count > 1000) break;
    const growth = ((await fast.heapBytes()) - heap) / 1e6;
    const longest = await quietest(
      3,
      () => fast.longestTaskMs(() => change(gateway, PER_SECOND, 3)),
      (ms) => ms,
    );
    const name = `${count} tiles, ${PER_SECOND} changes/s:`;
    figures.push(
      msFigure(`${name} frames, p99`, frameAt(pace, 0.99), { atMost: 34, ours: describe(pace) }),
      msFigure(`${name} longest task, processor time`, longest, {
        atMost: 50,
        ours: `${pace.longTasks.length} of more than 50 ms in ${SECONDS} s`,
      }),
      {
        ...msFigure(`${name} growth of the heap`, growth, {
          atMost: 5,
          ours: `${(heap / 1e6).toFixed(1)} MB before`,
        }),
        unit: 'MB',
      },
    );
    await using slow = await openRoom(browser, gateway, { slowdown: 6 });
    const slowPace = await quietest(rounds, round(slow), (one) => frameAt(one, 0.95));
    figures.push(
      msFigure(`${name} frames at CPU ÷ 6, p50`, frameAt(slowPace, 0.5), {
        atMost: 17.5,
        ours: describe(slowPace),
      }),
      msFigure(`${name} frames at CPU ÷ 6, p95`, frameAt(slowPace, 0.95), {
        atMost: 150,
        ours: describe(slowPace),
      }),
    );
  }
  const [once = Number.NaN, twice = Number.NaN] = busy;
  figures.push({
    name: 'twice the tiles, processor time of the page',
    value: twice / once,
    unit: '×',
    goal: { is: 'at most', value: 2.2 },
    ours: `${twice.toFixed(0)} ms/s`,
    baseline: `${once.toFixed(0)} ms/s`,
  });
  return figures;
}

/** The time until the first paint and until 50 tiles are live, on a slow phone in a slow network. */
export async function startFigures({ browser, directory, core, rounds }: Bench): Promise<Figure[]> {
  const place = join(directory, 'start');
  mkdirSync(place);
  await using gateway = await startFrontGateway(place, 50, core);
  const once = async () => {
    await using bench = await MeasuredPage.open(browser, { slowdown: 6, isSlowNetwork: true });
    await bench.page.goto(`${gateway.origin}${gateway.front}#/room/${gateway.room}`, { waitUntil: 'commit' });
    const liveMs = await bench.page.evaluate<number>(`new Promise((resolve) => {
      const check = () =>
        document.querySelectorAll('.tile').length < 50
          ? requestAnimationFrame(check)
          : requestAnimationFrame(() => resolve(performance.now()));
      check();
    })`);
    const first = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
    return { paintMs: await bench.page.evaluate<number>(first), liveMs };
  };
  const best = await quietest(rounds, once, ({ liveMs }) => liveMs);
  const name = '50 tiles, CPU ÷ 6, 6.4 Mbit/s, 40 ms:';
  return [
    msFigure(`${name} first paint`, best.paintMs, { atMost: 1500 }),
    msFigure(`${name} live`, best.liveMs, { atMost: 2000 }),
  ];
}

/** A figure in ms. `ours`: the raw numbers behind it. */
export function msFigure(name: string, value: number, { atMost, ours = '' }: MsGoal): Figure {
  return { name, value, unit: 'ms', goal: { is: 'at most', value: atMost }, ours, baseline: '' };
}

interface MsGoal {
  readonly atMost: number;
  readonly ours?: string;
}
