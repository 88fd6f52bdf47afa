/**
 * Crashes at random moments of what a gateway does (scenarios.ts): the process is killed, or the power is cut. After
 * each, a gateway is started on what the disk has, and nothing that was acknowledged may be missing. POINTS=10000
 * for a long run (`make campaign`).
 */
import { join } from 'node:path';
import t from 'tap';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';
import { compileFileSystem, fuseObstacle } from '../tools/fuse.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';
import { Recording } from './campaign.js';
import { scenarios } from './scenarios.js';

const SOURCE = join(PACKAGE_ROOT, 'test/campaign/recordfs.c');
const POINTS = Number(process.env['POINTS'] ?? 100);
/** Crashes of one recording; recordings differ in what is done. */
const CRASHES = 50;
/** Limit of a point on a busy machine, ms. */
const POINT_MS = 10_000;

const obstacle = await fuseObstacle();
const names = Object.keys(scenarios);
const perScenario = Math.ceil(POINTS / names.length);
const seed = fuzzSeed();
const recordfs = obstacle === false ? await compileFileSystem('recordfs', SOURCE) : '';

for (const [n, name] of names.entries())
  t.test(
    `${name}: ${perScenario} crashes (${seedLabel(seed)})`,
    { skip: obstacle, timeout: 60_000 + perScenario * POINT_MS },
    async (t) => {
      const random = new Random(seed + n);
      let [operations, done] = [0, 0];
      while (done < perScenario) {
        await using recording = await Recording.make(name, random.below(2 ** 31), recordfs);
        operations += recording.operations.length;
        for (let m = 0; m < CRASHES && done < perScenario; m++, done++) {
          const count = 1 + random.below(recording.operations.length);
          const kind = random.chance(0.3) ? 'process' : 'power';
          const problem = await recording.crash(count, kind, random);
          if (problem !== undefined)
            t.fail(`${kind}, after ${count} of ${recording.operations.length} operations: ${problem}`);
        }
      }
      t.comment(`${done} crashes, ${operations} operations recorded`);
      t.ok(operations > 10, 'the directory was changed');
    },
  );
