import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { SAVE_EVERY_MS } from '../../../src/store/store.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openFixture } from './open-store.js';

t.test('a repeated value is written with every sixtieth save, and by a stop', async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock();
  const { store, kernel } = await openFixture(directory, { clock });
  const variable = kernel.variables.create(2, { value: 1 });
  kernel.variables.update(variable, 2, clock.nowMs());
  await store.committed();
  clock.advance(SAVE_EVERY_MS);
  await store.audit(1);
  const onDisk = new DatabaseSync(join(directory, 'stellwerk.db'), { readOnly: true });
  const updated = () => Number(onDisk.prepare('SELECT updated FROM last_values').get()?.['updated']);
  const first = updated();
  const { mtimeMs, size } = statSync(join(directory, 'stellwerk.db-wal'));
  for (let n = 2; n < 60; n++) {
    kernel.variables.update(variable, 2, clock.nowMs());
    clock.advance(SAVE_EVERY_MS);
    await store.audit(1);
  }
  t.equal(updated(), first);
  t.match(statSync(join(directory, 'stellwerk.db-wal')), { mtimeMs, size }, 'nothing was written meanwhile');
  clock.advance(SAVE_EVERY_MS);
  await store.audit(1);
  t.ok(updated() > first, 'the sixtieth');
  kernel.variables.update(variable, 2, clock.nowMs() + 5000);
  await store.close();
  t.equal(updated(), Math.floor(clock.nowMs() / 1000) + 5);
  onDisk.close();
});

t.test('large texts that change all the time stay within their budget, and health reports it', async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock();
  const { store, kernel, findings } = await openFixture(directory, { clock });
  const texts = Array.from({ length: 60 }, () => kernel.variables.create(3));
  const small = kernel.variables.create(1);
  await store.committed();
  const onDisk = new DatabaseSync(join(directory, 'stellwerk.db'), { readOnly: true });
  const stored = () => onDisk.prepare('SELECT id, value FROM last_values').all();
  let written = 0;
  let before = new Map(stored().map(({ id, value }) => [id, value]));
  for (let round = 1; round <= 20; round++) {
    for (const text of texts) kernel.variables.update(text, `${round}`.padEnd(65_000, 'x'), clock.nowMs());
    kernel.variables.update(small, round, clock.nowMs());
    clock.advance(SAVE_EVERY_MS);
    await store.audit(1);
    const now = new Map(stored().map(({ id, value }) => [id, value]));
    for (const [id, value] of now)
      if (typeof value === 'string' && value !== before.get(id)) written += value.length;
    t.equal(now.get(small.id), round, 'small values are not delayed');
    before = now;
  }
  t.ok(written < 2 * 1024 * 1024, `${written} bytes of 78 million`);
  t.match(findings.get('disk budget'), {
    state: 'warning',
    text: /texts of more than 1024 .* MiB written today; at most 64 MiB a day for large texts/,
  });
  await store.close();
  t.ok(
    stored().every(({ value }) => typeof value !== 'string' || value.startsWith('20')),
    'a stop writes all',
  );
  onDisk.close();
});
