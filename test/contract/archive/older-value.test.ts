import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openArchive, VARIABLE } from './open-archive.js';

const SECOND_MS = 1000;

t.test('a last value that is older than the newest record is not recorded', async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock();
  const first = await openArchive(directory, clock);
  for (const value of [12_341, 12_342, 12_345]) {
    first.kernel.variables.update(first.variable, value, clock.nowMs());
    clock.advance(10 * SECOND_MS);
  }
  await first.archive.close();
  const valuesOf = async ({ archive }: typeof first) =>
    (await archive.logged(VARIABLE, { startS: 0, endS: 0, limit: 0 })).map(({ value }) => value).toReversed();
  // As after a power cut, or from a backup.
  const updated = Math.floor(clock.nowMs() / SECOND_MS) - 20;
  const older = await openArchive(directory, clock, { value: 12_342, updated });
  t.strictSame(await valuesOf(older), [12_341, 12_342, 12_345]);
  await older.archive.close();
  const newer = await openArchive(directory, clock, { value: 12_346, updated: updated + 20 });
  clock.advance(SECOND_MS);
  t.strictSame(await valuesOf(newer), [12_341, 12_342, 12_345, 12_346], 'a newer one is');
  await newer.archive.close();
});
