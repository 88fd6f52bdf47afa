/**
 * Crashes at random moments of what a gateway does (scenarios.ts): the process is killed, or the power is cut. After
 * each, a gateway is started on what the disk has, and nothing that was acknowledged may be missing. POINTS=10000
 * for a long run (`make campaign`).
 */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import t from 'tap';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';
import { compileC } from '../tools/compile-c.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';
import { Recording } from './campaign.js';
import { scenarios } from './scenarios.js';

const run = promisify(execFile);
const POINTS = Number(process.env['POINTS'] ?? 100);
/** Crashes of one recording; recordings differ in what is done. */
const CRASHES = 50;
/** Limit of a point on a busy machine, ms. */
const POINT_MS = 10_000;

const obstacle = await findObstacle();
const names = Object.keys(scenarios);
const perScenario = Math.ceil(POINTS / names.length);
const seed = fuzzSeed();
const recordfs = obstacle === false ? await compileRecorder() : '';

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

async function compileRecorder(): Promise<string> {
  const { stdout } = await run('pkg-config', ['--cflags', '--libs', 'fuse3']);
  const source = join(PACKAGE_ROOT, 'test/campaign/recordfs.c');
  return compileC('recordfs', [source], stdout.trim().split(/\s+/));
}

async function findObstacle(): Promise<string | false> {
  if (process.getuid?.() !== 0) return 'mounting takes root';
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    await run('pkg-config', ['--exists', 'fuse3']);
    return false;
  } catch {
    return 'needs /dev/fuse and libfuse3-dev';
  }
}
