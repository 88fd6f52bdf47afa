import t from 'tap';
import { aggregationSpan } from '../../../src/archive/buckets.js';
import type { AggregatedValue } from '../../../src/archive/port.js';
import { ManualClock } from '../../../src/base/clock.js';
import type { Logging } from '../../../src/kernel/object.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';
import { openArchive, VARIABLE, type ArchiveFixture } from './open-archive.js';

// A time zone with daylight saving time, which ended in the night to the 29th of October 2023.
process.env['TZ'] = 'Europe/Berlin';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEARS_MS = 75 * 365 * DAY_MS;
/** Local midnight of a day of that October, or of a day after it. */
const october = (day: number): number => new Date(2023, 9, day).getTime();
/**
 * From the first of October to the 14th of November: one value per minute, with a different average each
 * hour.
 */
const [FIRST_MS, END_MS] = [october(1), october(45)];
const valueAt = (ms: number): number => Math.floor((ms - FIRST_MS) / HOUR_MS) * 100 + ((ms / MINUTE_MS) % 60);

function keep({ kernel, variable }: ArchiveFixture, compaction: Logging['compaction']): void {
  kernel.variables.setLogging(variable, {
    active: true,
    counter: false,
    ignoreZeros: false,
    graph: true,
    compaction,
  });
}

const countOf = async ({ archive }: ArchiveFixture): Promise<number> =>
  (await archive.statistics())[0]?.count ?? 0;

/** Averages by day, without the incomplete day. */
async function daysOf({ archive }: ArchiveFixture): Promise<AggregatedValue[]> {
  const range = { startS: 0, endS: END_MS / 1000 - 1, limit: 0, span: aggregationSpan.day };
  return [...(await archive.aggregated(VARIABLE, range))];
}

const rounded = (days: readonly AggregatedValue[]) =>
  days.map(({ timeStamp, durationS, avg }) => [timeStamp, durationS, Math.round(avg * 1e6)]);

t.test(
  'old records are compacted day by day, over the end of daylight saving time, including late imports',
  async (t) => {
    const clock = new ManualClock(new Date(2023, 10, 27, 23).getTime());
    const fixture = await openArchive(await tempDirectory(t), clock);
    const { archive } = fixture;
    const values = Array.from(
      { length: (END_MS - FIRST_MS) / MINUTE_MS },
      (_, n) => FIRST_MS + n * MINUTE_MS,
    );
    await archive.add(
      VARIABLE,
      values.map((atMs) => ({ atMs, value: valueAt(atMs) })),
    );
    const before = rounded(await daysOf(fixture));
    t.equal(before.length, 44);
    t.equal(before.find(([start]) => start === october(29) / 1000)?.[1], 25 * 3600);
    keep(fixture, [{ months: 1, kind: 3 }]);
    /** Number of records if all before that day are compacted to one per hour. */
    const thinnedUntil = (day: number) =>
      (october(day) - FIRST_MS) / HOUR_MS + (END_MS - october(day)) / MINUTE_MS;

    clock.advance(10 * MINUTE_MS);
    await until('the first run', async () => (await countOf(fixture)) === thinnedUntil(27));
    // Compaction runs ten minutes after the start, and then daily at the hour of the start.
    clock.advance(DAY_MS - 10 * MINUTE_MS);
    for (const day of [28, 29, 30, 32]) {
      await until(`the run of day ${day}`, async () => (await countOf(fixture)) === thinnedUntil(day));
      t.strictSame(rounded(await daysOf(fixture)), before, `day ${day}`);
      clock.advance(DAY_MS);
    }
    const all = thinnedUntil(33);
    await until('the last run', async () => (await countOf(fixture)) === all);

    const late = [october(10) + 12.5 * HOUR_MS, october(29) + 2.5 * HOUR_MS];
    await archive.add(
      VARIABLE,
      late.map((atMs) => ({ atMs, value: 1_000_000 })),
    );
    t.equal(await countOf(fixture), all + 2);
    const imported = rounded(await daysOf(fixture));
    t.equal(
      imported.filter(([, , avg], n) => avg !== before[n]?.[2]).length,
      2,
      'their days have another average',
    );
    clock.advance(DAY_MS);
    await until('they are compacted', async () => (await countOf(fixture)) === thinnedUntil(34));
    t.strictSame(rounded(await daysOf(fixture)), imported);
    await archive.reaggregate(VARIABLE);
    t.strictSame(rounded(await daysOf(fixture)), imported, 'recalculated sums are the same');
    await archive.close();
  },
);

t.test('nothing is compacted by a clock that is not synchronised', async (t) => {
  const clock = new ManualClock();
  const fixture = await openArchive(await tempDirectory(t), clock);
  const startMs = clock.nowMs() - 400 * DAY_MS;
  await fixture.archive.add(
    VARIABLE,
    Array.from({ length: 1000 }, (_, n) => ({ atMs: startMs + n * HOUR_MS, value: n })),
  );
  keep(fixture, [{ months: 2, kind: 8 }]);
  clock.hasTrustedTime = false;
  clock.stepWallClock(YEARS_MS);
  // Compaction would be started within this time, and before any later request.
  clock.advance(10 * MINUTE_MS);
  clock.advance(DAY_MS);
  t.equal(await countOf(fixture), 1000);
  const [newest] = await fixture.archive.logged(VARIABLE, { startS: 0, endS: 0, limit: 1 });
  t.equal(newest?.value, 999, 'and all can be read');
  clock.stepWallClock(-YEARS_MS);
  clock.hasTrustedTime = true;
  clock.advance(DAY_MS);
  await until('the old ones are deleted', async () => (await countOf(fixture)) === 1);
  await fixture.archive.close();
});
