import t from 'tap';
import { Random, fuzzSeed, seedLabel } from '../tools/random.js';
import { CallGenerator } from './model/call-generator.js';
import { functionVocabulary, FunctionTarget } from './model/function-target.js';
import { ModelRun } from './model/model-run.js';
import type { Step } from './model/steps.js';
import { runSequence, shrinkSequence, sequenceText } from './model/sequences.js';

/** Bounds the suite: about 10 s. */
const SEQUENCES = 120;
const STEPS = 80;

const seed = fuzzSeed();

await t.test(`gateway, messages and model agree after every call (${seedLabel(seed)})`, async (t) => {
  const seen = { taken: 0, refused: 0, ran: 0 };
  const tried = async (steps: readonly Step[], asking: Random | undefined) => {
    await using target = await FunctionTarget.open(seed);
    const run = await ModelRun.begin(target, asking);
    const problem = await runSequence(run, steps);
    seen.taken += run.seen.taken;
    seen.refused += run.seen.refused;
    seen.ran += run.model.ran;
    return problem;
  };
  for (let n = 0; n < SEQUENCES; n++) {
    const steps = new CallGenerator(new Random(seed + n), functionVocabulary).sequence(STEPS);
    const asking = () => new Random(seed + n);
    const problem = await tried(steps, asking());
    if (problem === undefined) continue;
    const least = await shrinkSequence(steps, async (some) => (await tried(some, asking())) !== undefined);
    t.fail(`${await tried(least, asking())}\n${sequenceText(least)}`);
    break;
  }
  const { taken, refused: rejected, ran } = seen;
  t.ok(
    taken > SEQUENCES * 10 && rejected > SEQUENCES * 5 && ran > SEQUENCES / 3,
    `${taken} accepted, ${rejected} rejected; ${ran} runs of events`,
  );
});
