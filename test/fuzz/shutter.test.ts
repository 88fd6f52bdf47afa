import t from 'tap';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';
import { ShutterSimulation } from './shutter-simulation.js';

/** Bounds the suite: about 5 s. */
const SIMULATIONS = 20;
const STEPS = 40;

const seed = fuzzSeed();

await t.test(
  `a shutter obeys its limits under random commands and failures (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    const problems: string[] = [];
    const seen: Record<string, number> = {};
    for (let n = 0; n < SIMULATIONS; n++) {
      const simulation = new ShutterSimulation(t, random);
      await simulation.begin();
      for (let step = 0; step < STEPS; step++) await simulation.step();
      await simulation.settle();
      problems.push(...simulation.violations.map((text) => `simulation ${n}: ${text}`));
      for (const [what, times] of Object.entries(simulation.seen)) seen[what] = (seen[what] ?? 0) + times;
    }
    t.strictSame(problems.slice(0, 10), [], 'never both, never too long, and at the reported position');
    for (const [what, times] of Object.entries(seen)) t.ok(times > 10, `${what}: ${times}`);
  },
);
