import { cpSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import type { Kernel } from '../../../src/kernel/kernel.js';
import type { WriteBudget } from '../../../src/kernel/object.js';
import { type Value, variableType } from '../../../src/kernel/value.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openFixture } from './open-store.js';

/** The interval of all values, so long that anything on the disk sooner was written because of its budget. */
const SELDOM_MS = 3_600_000;

const meterOf = ({ tree, variables }: Kernel) => variables.get(tree.root.children?.byIdent('meter')?.id ?? 0);

async function metered(t: Test, { every, withinS }: WriteBudget, initial: Value = 0) {
  const directory = await tempDirectory(t);
  const runtimeDirectory = await tempDirectory(t);
  const clock = new ManualClock();
  const { store, kernel } = await openFixture(directory, { clock, runtimeDirectory });
  t.teardown(() => store.close());
  store.setSaveInterval(SELDOM_MS);
  const type =
    typeof initial === 'number'
      ? variableType.integer
      : typeof initial === 'string'
        ? variableType.string
        : variableType.boolean;
  const meter = kernel.variables.create(type, { ident: 'meter', value: initial });
  meter.data.writeBudget = { every, withinS };
  await store.committed();
  /** A second passes, and the disk has done its work. */
  const second = async () => {
    clock.advance(1000);
    await store.audit(1);
  };
  /**
   * What a start finds on the disk in its present state: with the runtime directory after a crash, without it
   * after a power cut.
   */
  const found = async (after: 'crash' | 'power cut') => {
    const copy = await tempDirectory(t);
    const runtime = await tempDirectory(t);
    cpSync(directory, copy, { recursive: true });
    if (after === 'crash') cpSync(join(runtimeDirectory, 'values.db'), join(runtime, 'values.db'));
    const other = await openFixture(copy, { clock: new ManualClock(), runtimeDirectory: runtime });
    const { value } = meterOf(other.kernel).data;
    await other.store.close();
    return value;
  };
  const count = (value: Value) => kernel.variables.update(meter, value, clock.nowMs());
  return { clock, count, second, found, store, kernel };
}

const seed = fuzzSeed();
t.test(`a power cut costs a counter no more than its budget (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const [every, withinS] = [20, 4];
  const { count, second, found } = await metered(t, { every, withinS });
  /** The count at the end of each second. */
  const counts = [0];
  let value = 0;
  let before = 0;
  for (let n = 1; n <= 40; n++) {
    const few = random.chance(0.3) ? 0 : random.below(random.chance(0.2) ? 100 : 6);
    for (let i = 0; i < few; i++) count(++value);
    await second();
    counts.push(value);
    const kept = Number(await found('power cut'));
    t.ok(kept >= before && kept <= value, 'never less');
    t.ok(value - kept < every, `second ${n}: ${kept} of ${value}`);
    t.ok(kept >= (counts[n - withinS] ?? 0), `second ${n}: ${kept}, and ${withinS} s ago it was more`);
    before = kept;
  }
});

t.test(
  'a crash: values written because of their budget are not considered older than they are',
  async (t) => {
    const { count, second, found } = await metered(t, { every: 10, withinS: 100 });
    count(3);
    await second();
    t.strictSame([await found('crash'), await found('power cut')], [3, 0]);
    count(15);
    await second();
    t.strictSame([await found('crash'), await found('power cut')], [15, 15]);
    count(16);
    await second();
    t.strictSame([await found('crash'), await found('power cut')], [16, 15]);
  },
);

t.test('a clock that is set back does not delay it', async (t) => {
  const { clock, count, second, found } = await metered(t, { every: 10, withinS: 100 });
  count(3);
  clock.stepWallClock(-86_400_000);
  await second();
  t.equal(await found('power cut'), 3);
});

t.test('a switch or a text is written at the next check, whatever it was before', async (t) => {
  const relay = await metered(t, { every: 1, withinS: 1 }, false);
  for (const value of [true, false, true]) {
    relay.count(value);
    await relay.second();
    t.equal(await relay.found('power cut'), value);
  }
  const rest = await metered(t, { every: 1, withinS: 1 }, '');
  for (const value of ['[0,1]', '']) {
    rest.count(value);
    await rest.second();
    t.equal(await rest.found('power cut'), value);
  }
});

t.test('a large text with a budget of its own does not wait for that of large texts', async (t) => {
  const { count, second, found, store, kernel, clock } = await metered(t, { every: 1, withinS: 5 }, '');
  const large = (mark: string) => mark.padEnd(700_000, mark);
  const others = ['a', 'b'].map((ident) => kernel.variables.create(variableType.string, { ident }));
  store.setSaveInterval(500);
  await second();
  for (const other of others) kernel.variables.update(other, large('o'), clock.nowMs());
  count(large('1'));
  for (let n = 0; n < 6; n++) await second();
  t.equal(await found('power cut'), large('1'));
});
