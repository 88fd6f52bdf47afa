import { cp } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { ManualClock } from '../../src/base/clock.js';
import {
  SIMULATED_CONFIG,
  configDirectory,
  startGatewayProcess,
  startGateway,
} from '../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../tools/temp-directory.js';
import { Random, fuzzSeed, seedLabel } from '../tools/random.js';
import { CallGenerator } from './model/call-generator.js';
import { ModelRun } from './model/model-run.js';
import { socketVocabulary, socketModules, SocketTarget } from './model/socket-target.js';
import type { Vocabulary, Step } from './model/steps.js';
import { runSequence, sequenceText } from './model/sequences.js';

/** Bounds the suite: about 10 s. */
const STOPS = 9;
const KILLS = 2;
const STEPS = 24;

const seed = fuzzSeed();
const modules = await socketModules();

/**
 * One sequence in parts, each about one kind of object; the gateway restarts between two parts. The last call
 * of each waits until all changes are written.
 */
function parts(count: number, seed: number, cast: Vocabulary): Step[][] {
  const author = new CallGenerator(new Random(seed), cast);
  const themeOf = (n: number) => cast.families[(seed + n) % cast.families.length];
  return Array.from({ length: count }, (_, n) => [...author.sequence(STEPS, themeOf(n)), author.last()]);
}

await t.test(
  `after a stop or a power cut a gateway has its previous state (${seedLabel(seed)})`,
  async (t) => {
    const clock = new ManualClock();
    let fixture = await startGateway(t, SIMULATED_CONFIG, { clock });
    let target = new SocketTarget(fixture, modules, clock);
    const run = await ModelRun.begin(target, new Random(seed));
    const done: Step[] = [];
    for (const [round, steps] of parts(STOPS, seed, socketVocabulary).entries()) {
      done.push(...steps);
      for (const step of steps) {
        const problem = await run.step(step);
        if (problem !== undefined) return void t.fail(`${problem}\n${sequenceText(done)}`);
      }
      const after = round % 2 === 0 ? 'a cut' : 'a stop';
      await target[Symbol.asyncDispose]();
      // A copy of the disk at this moment is its state after the power cut.
      const directory = after === 'a cut' ? await copied(t, fixture.directory) : fixture.directory;
      await fixture.gateway.close();
      fixture = await startGateway(t, undefined, { directory, clock });
      target = new SocketTarget(fixture, modules, clock);
      const problem = await run.goOn(target, after);
      if (problem !== undefined) return void t.fail(`${problem}\n${sequenceText(done)}`);
    }
    await target[Symbol.asyncDispose]();
    t.ok(run.seen.taken > STOPS * STEPS * 0.2, JSON.stringify(run.seen));
  },
);

async function copied(t: Test, directory: string): Promise<string> {
  const copy = await tempDirectory(t);
  await cp(directory, copy, { recursive: true });
  return copy;
}

await t.test(`a killed gateway has everything that it had acknowledged (${seedLabel(seed)})`, async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG);
  let served = await startGatewayProcess(t, directory);
  let target = new SocketTarget(served, modules);
  const run = await ModelRun.begin(target);
  const done: Step[] = [];
  for (const steps of parts(KILLS, seed + 1, { ...socketVocabulary, active: [] })) {
    done.push(...steps);
    const wrong = await runSequence(run, steps);
    await target[Symbol.asyncDispose]();
    await served.program.end('SIGKILL');
    served = await startGatewayProcess(t, directory);
    target = new SocketTarget(served, modules);
    const problem = wrong ?? (await run.goOn(target, 'a cut'));
    if (problem !== undefined) return void t.fail(`${problem}\n${sequenceText(done)}`);
  }
  await target[Symbol.asyncDispose]();
  t.ok(run.seen.taken > KILLS * STEPS * 0.2, JSON.stringify(run.seen));
});
