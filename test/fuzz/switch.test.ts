import t from 'tap';
import { Random, fuzzSeed, seedLabel } from '../tools/random.js';
import { SwitchSimulation } from './switch-simulation.js';

/** Bounds the suite: about 5 s. */
const SIMULATIONS = 150;
const STEPS = 120;

const seed = fuzzSeed();

await t.test(
  `interlocked outputs obey their rules under random commands and failures (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    const problems: string[] = [];
    const seen: Record<string, number> = {};
    for (let n = 0; n < SIMULATIONS; n++) {
      const simulation = new SwitchSimulation(random);
      for (let step = 0; step < STEPS; step++) await simulation.step();
      await simulation.settle();
      problems.push(...simulation.violations.map((text) => `simulation ${n}: ${text}`));
      for (const [what, times] of Object.entries(simulation.seen)) seen[what] = (seen[what] ?? 0) + times;
    }
    t.strictSame(problems.slice(0, 10), [], 'never two, never too early, never too long');
    for (const [what, times] of Object.entries(seen)) t.ok(times > 20, `${what}: ${times}`);
  },
);
