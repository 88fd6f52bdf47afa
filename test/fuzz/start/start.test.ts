import { rm } from 'node:fs/promises';
import t from 'tap';
import { fuzzSeed, seedLabel } from '../../tools/random.js';
import { RestartChain, makeBase, newStatistics } from './restart-chain.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

/** Bounds the suite; nightly: `make fuzz ROUNDS=2000`. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 100);
/** Restarts of one data directory; after these it has enough damage. */
const CHAIN = 5;
/** Limit of a round on a busy machine, ms. */
const ROUND_MS = 5_000;

const seed = fuzzSeed();

await t.test(
  `a gateway starts with any stored data, and reports what is wrong (${seedLabel(seed)})`,
  { timeout: ROUNDS * ROUND_MS },
  async (t) => {
    const base = await makeBase();
    t.teardown(() => rm(base, { recursive: true, force: true }));
    const figures = newStatistics();
    for (let n = 0; n * CHAIN < ROUNDS; n++) {
      const problem = await RestartChain.run(base, CHAIN, { seed: seed + n, figures });
      if (problem !== undefined) t.fail(`ROUNDS=${CHAIN} ${seedLabel(seed + n)}: ${problem}`);
    }
    t.comment(JSON.stringify(figures));
    t.ok(figures.rounds >= ROUNDS * 0.9, JSON.stringify(figures));
  },
);
