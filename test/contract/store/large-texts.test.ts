import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { variableType } from '../../../src/kernel/value.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';
import { openFixture } from './open-store.js';

/** Nearly the longest text of a variable. */
const CHARACTERS = 900_000;

const textsOf = ({ tree, variables }: Kernel, count: number) =>
  Array.from({ length: count }, (_, n) => {
    const { value } = variables.get(tree.root.children?.byIdent(`text${n}`)?.id ?? 0).data;
    return typeof value === 'string' ? `${value.length} ${value.slice(-4)}` : '';
  });

/** Stores texts that end with their number, some at a time, and returns what the next start reads. */
async function storeTexts(t: Test, { count, character }: { count: number; character: string }) {
  const directory = await tempDirectory(t);
  const first = await openFixture(directory);
  t.teardown(() => first.store.close());
  const text = character.repeat(CHARACTERS);
  for (let n = 0; n < count; n++) {
    first.kernel.variables.create(variableType.string, { ident: `text${n}`, value: `${text}${1000 + n}` });
    if (n % 10 === 9) await first.store.committed();
  }
  const before = textsOf(first.kernel, count);
  await first.store.close();
  const second = await openFixture(directory);
  t.teardown(() => second.store.close());
  return { before, after: textsOf(second.kernel, count), report: second.report };
}

for (const [count, character] of [
  [36, 'a'],
  [20, '€'],
] as const)
  t.test(`${count} of the longest texts of “${character}” exist again after a start`, async (t) => {
    const { before, after, report } = await storeTexts(t, { count, character });
    t.equal(before[0], `${CHARACTERS + 4} 1000`);
    t.strictSame(after, before);
    t.equal(report.objects, count);
  });

t.test('many of the longest texts that change together are stored at a stop', async (t) => {
  const count = 40;
  const directory = await tempDirectory(t);
  const { store, kernel } = await openFixture(directory);
  t.teardown(() => store.close());
  const variables = Array.from({ length: count }, (_, n) =>
    kernel.variables.create(variableType.string, { ident: `text${n}`, value: '' }),
  );
  await store.committed();
  const text = '€'.repeat(CHARACTERS);
  for (const [n, variable] of variables.entries()) kernel.variables.update(variable, `${text}${1000 + n}`, 0);
  await store.close();
  const next = await openFixture(directory);
  t.teardown(() => next.store.close());
  t.strictSame(textsOf(next.kernel, count), textsOf(kernel, count));
});

t.test('many of the longest texts survive a crash in the runtime directory', async (t) => {
  const count = 24;
  const [directory, runtimeDirectory] = [await tempDirectory(t), await tempDirectory(t)];
  const clock = new ManualClock();
  const { store, kernel } = await openFixture(directory, { runtimeDirectory, clock });
  t.teardown(() => store.close());
  const variables = Array.from({ length: count }, (_, n) =>
    kernel.variables.create(variableType.string, { ident: `text${n}`, value: '' }),
  );
  await store.committed();
  const text = '€'.repeat(CHARACTERS);
  for (const [n, variable] of variables.entries())
    kernel.variables.update(variable, `${text}${1000 + n}`, clock.nowMs());
  clock.advance(1000);
  using runtime = new DatabaseSync(join(runtimeDirectory, 'values.db'), { readOnly: true, timeout: 5000 });
  const kept = runtime.prepare('SELECT count(*) AS n FROM last_values');
  await until('all texts in the runtime directory', () => kept.get()?.['n'] === count);
  const [data, left] = [await tempDirectory(t), await tempDirectory(t)];
  cpSync(directory, data, { recursive: true });
  cpSync(runtimeDirectory, left, { recursive: true });
  const next = await openFixture(data, { runtimeDirectory: left });
  t.teardown(() => next.store.close());
  t.strictSame(textsOf(next.kernel, count), textsOf(kernel, count));
});
