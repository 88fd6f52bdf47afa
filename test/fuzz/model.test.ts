import t from 'tap';
import { Fault } from '../../src/base/fault.js';
import { wholeOf } from '../tools/conform.js';
import { bus, Desk, owner } from '../tools/desk.js';
import { Random, fuzzSeed, seedNote } from '../tools/random.js';
import { snapshotOf, type Frame } from '../tools/replica.js';
import type { ShownProfile } from './model/model.js';
import { Run, complaintOf, shortened, written, type Outcome, type World } from './model/run.js';
import { Author, type Step } from './model/steps.js';

/** Bound the suite: about 10 s. */
const SEQUENCES = 80;
const STEPS = 80;

/** A kernel with the command reference over it. */
class DeskWorld implements World {
  readonly module = { moduleID: bus.id, moduleName: bus.name, moduleType: bus.kind };
  readonly #desk: Desk;
  #seen: number;
  /** The profiles as they were last read: they are many, and change seldom. */
  #profiles: { readonly text: string; readonly shown: Record<string, ShownProfile> } = {
    text: '',
    shown: {},
  };

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#seen = desk.kernel.changes.counter;
  }

  get nowS(): number {
    return this.#desk.clock.nowMs() / 1000;
  }

  async call(name: string, params: readonly unknown[]): Promise<Outcome> {
    this.#desk.clock.advance(1000);
    try {
      return { result: await wholeOf(await this.#desk.registry.call(name, params, owner)) };
    } catch (thrown) {
      if (thrown instanceof Fault) return { code: thrown.code };
      throw thrown;
    }
  }

  async look() {
    const { kernel } = this.#desk;
    const { text } = kernel.profiles;
    if (this.#profiles.text !== text)
      this.#profiles = { text, shown: JSON.parse(text) as Record<string, ShownProfile> };
    const frames = kernel.changes.since(this.#seen).map(({ frame }) => JSON.parse(frame) as Frame);
    this.#seen = kernel.changes.counter;
    return { snapshot: { objects: snapshotOf(kernel), profiles: this.#profiles.shown }, frames };
  }
}

const seed = fuzzSeed();

await t.test(`gateway, messages and model agree after every call (${seedNote(seed)})`, async (t) => {
  const seen = { taken: 0, refused: 0 };
  const tried = async (steps: readonly Step[], asking: Random | undefined) => {
    await using desk = new Desk();
    const run = await Run.begin(new DeskWorld(desk), asking);
    const complaint = await complaintOf(run, steps);
    seen.taken += run.seen.taken;
    seen.refused += run.seen.refused;
    return complaint;
  };
  for (let n = 0; n < SEQUENCES; n++) {
    const steps = new Author(new Random(seed + n), 'Bus').sequence(STEPS);
    const asking = () => new Random(seed + n);
    const complaint = await tried(steps, asking());
    if (complaint === undefined) continue;
    const least = await shortened(steps, async (some) => (await tried(some, asking())) !== undefined);
    t.fail(`${await tried(least, asking())}\n${written(least)}`);
    break;
  }
  const { taken, refused } = seen;
  t.ok(taken > SEQUENCES * 10 && refused > SEQUENCES * 5, `${taken} taken, ${refused} refused`);
});
