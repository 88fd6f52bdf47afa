/**
 * Measures the pages in Debian's chromium: `node dist/test/bench/front/main.js`; `FRONT_BENCH=room,tree` only
 * those families; `SECONDS=60 ROUNDS=2` for longer rounds. Prints a table. Others on the machine only add time, so each figure is of the quietest round.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReached, table, type Figure } from '../statistics.js';
import { launchBrowser, noBrowser } from '../../tools/front/browser.js';
import { roomFigures, startFigures, type Bench } from './room.js';
import { reactionFigures } from './reactions.js';
import { treeFigures } from './tree.js';

const families: Readonly<Record<string, (bench: Bench) => Promise<Figure[]>>> = {
  start: startFigures,
  reactions: reactionFigures,
  tree: treeFigures,
  room: roomFigures,
};

const ROUNDS = Number(process.env['ROUNDS'] ?? 6);

if (noBrowser !== false) throw new Error(noBrowser);

const named = (process.env['FRONT_BENCH'] ?? '').split(',').filter((word) => word in families);
const directory = mkdtempSync(join(tmpdir(), 'stellwerk-front-bench-'));
const browser = await launchBrowser();
const figures: Figure[] = [];
try {
  for (const [name, family] of Object.entries(families)) {
    if (named.length > 0 && !named.includes(name)) continue;
    figures.push(...(await family({ browser, directory, core: undefined, rounds: ROUNDS })));
  }
} finally {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
}
console.log(`${table(figures)}\n`);
console.log(`${figures.filter(isReached).length} of ${figures.length} figures reach their goals`);
