import { cpSync, readdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { AGGREGATED_FIELDS } from '../../../src/archive/aggregate.js';
import { aggregationSpan } from '../../../src/archive/buckets.js';
import { downsample } from '../../../src/archive/downsampling.js';
import { deleteRecords, moveRecords, rebuildSummaries } from '../../../src/archive/mutations.js';
import { recordedVariables, seriesStatistics } from '../../../src/archive/statistics.js';
import { ArchiveFile } from '../../../src/archive/archive-file.js';
import type { AggregationRange } from '../../../src/archive/worker-protocol.js';
import { queryAggregated, queryLogged } from '../../../src/archive/queries.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { contents, allRecords, ID, openArchiveFile, write } from './archive-file.js';
import { referenceAggregation, type GivenRecord } from './reference-aggregation.js';

// A time zone with daylight saving time; the days of its begin and end have 23 and 25 hours.
process.env['TZ'] = 'Europe/Berlin';

/** Daylight saving time ended that night, and began on the 29th of March. */
const AUTUMN_MS = Date.parse('2025-10-26T00:00:00Z');
const SPRING_MS = Date.parse('2026-03-29T00:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const seed = fuzzSeed();

/** The expected records: of several with the same time, the last one written. */
function expected(given: readonly GivenRecord[]): GivenRecord[] {
  const last = new Map(given.map(({ atMs, value }) => [atMs, value]));
  return [...last].map(([atMs, value]) => ({ atMs, value })).sort((a, b) => a.atMs - b.atMs);
}

/** The values of a meter: it rises, wraps at the end of its register, restarts, and reports zeros. */
function meter(random: Random): () => number {
  const size = 2 ** random.pick([16, 32] as const);
  const step = size / random.pick([20, 200, 20_000] as const);
  let shows = random.below(size);
  return () => {
    if (random.chance(0.02)) return 0;
    shows = random.chance(0.01) ? random.below(step) : (shows + random.below(step)) % size;
    return Math.floor(shows);
  };
}

/** Values of many kinds around a change of daylight saving time, most in order, some not. */
function around(random: Random, centreMs: number, count: number): GivenRecord[] {
  const complete = random.chance(0.5);
  const read = random.chance(0.4) ? meter(random) : undefined;
  let atMs = centreMs - random.below(60) * DAY_MS;
  const paceMs = random.pick([1_000, 60_000, HOUR_MS / 2, 3 * HOUR_MS] as const);
  return Array.from({ length: count }, () => {
    atMs += 1 + random.below(2 * paceMs);
    const value =
      read?.() ??
      (complete ? random.below(50) : random.pick([random.next() * 100, random.below(1000) / 10, 0]));
    const when = random.chance(0.02) ? atMs - random.below(20 * paceMs) : atMs;
    return { atMs: when, value };
  });
}

t.test(
  `records written in batches, including late ones, are read, even after a restart (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    const directory = await tempDirectory(t);
    let file = openArchiveFile(directory);
    const all: GivenRecord[] = [];
    for (let round = 0; round < 40; round++) {
      const batch = around(random, AUTUMN_MS + round * DAY_MS, random.below(200));
      write(file, batch);
      all.push(...batch);
      if (random.chance(0.2)) {
        file.close();
        file = openArchiveFile(directory);
      }
    }
    t.strictSame(contents(file), expected(all));
    file.close();
  },
);

for (const [name, counter, ignoreZeros] of [
  ['averages', false, false],
  ['the increase of a counter', true, false],
  ['the increase of a counter, without zeros', true, true],
] as const)
  t.test(
    `${name}: equal to the reference aggregation, over changes of daylight saving time (${seedLabel(seed)})`,
    async (t) => {
      const random = new Random(seed + Number(counter) + Number(ignoreZeros) * 2);
      for (let round = 0; round < 4; round++) {
        const file = openArchiveFile(await tempDirectory(t));
        const given = around(random, random.pick([AUTUMN_MS, SPRING_MS]), 1 + random.below(800));
        write(file, given);
        const all = expected(given);
        const lastMs = all.at(-1)?.atMs ?? 0;
        const nowMs = lastMs + random.below(3 * DAY_MS);
        for (const span of [0, 1, 2, 3, 4, 5, 6, 8] as const) {
          const fromMs = random.chance(0.5) ? 0 : (all[0]?.atMs ?? 0) + random.below(10 * DAY_MS);
          const toMs = random.chance(0.5) ? nowMs : nowMs - random.below(5 * DAY_MS);
          const limit = random.pick([5, 1_000]);
          const range: AggregationRange = {
            ...allRecords(toMs),
            fromMs,
            nowMs,
            limit,
            span,
            counter,
            ignoreZeros,
          };
          const made = recordsIn(queryAggregated(file, range));
          const required = referenceAggregation(all, range);
          const difference = firstDifference(made, required);
          t.equal(difference, '', `round ${round}, span ${span}`);
        }
        file.close();
        if (!t.passing()) break;
      }
    },
  );

/** The records of a reply, oldest first. */
function recordsIn(fields: Float64Array): number[][] {
  const records: number[][] = [];
  for (let n = 0; n < fields.length; n += AGGREGATED_FIELDS)
    records.push([...fields.subarray(n, n + AGGREGATED_FIELDS)]);
  return records.reverse();
}

function firstDifference(made: number[][], required: number[][]): string {
  for (let n = 0; n < Math.max(made.length, required.length); n++) {
    const [one, other] = [made[n], required[n]];
    const isSame = one?.every(
      (field, k) => Math.abs(field - (other?.[k] ?? NaN)) <= 1e-9 * Math.max(1, Math.abs(field)),
    );
    if (isSame !== true) return `${n}: ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`;
  }
  return '';
}

t.test('a day has 25 hours at the end of daylight saving time, and 23 at its beginning', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  write(file, [{ atMs: AUTUMN_MS - 30 * DAY_MS, value: 1 }]);
  const nowMs = SPRING_MS + 10 * DAY_MS;
  const range = { ...allRecords(nowMs), counter: false, ignoreZeros: false, span: aggregationSpan.day };
  const hours = new Map(
    recordsIn(queryAggregated(file, range)).map(([start = 0, coveredMs = 0]) => [
      new Date(start).toDateString(),
      coveredMs / HOUR_MS,
    ]),
  );
  t.equal(hours.get('Sun Oct 26 2025'), 25);
  t.equal(hours.get('Sun Mar 29 2026'), 23);
  t.equal(hours.get('Mon Mar 30 2026'), 24);
  file.close();
});

for (const [name, counter, ignoreZeros] of [
  ['a gauge has averages', false, false],
  ['a counter has increases', true, false],
  ['a counter that ignores zeros has increases', true, true],
] as const)
  t.test(`compacted, ${name} over longer spans is unchanged (${seedLabel(seed)})`, async (t) => {
    const random = new Random(seed + Number(ignoreZeros));
    for (let round = 0; round < 10; round++) {
      const file = openArchiveFile(await tempDirectory(t));
      const given = expected(
        around(random, random.pick([AUTUMN_MS, SPRING_MS]), 2000 + random.below(20_000)),
      );
      write(file, given);
      const nowMs = (given.at(-1)?.atMs ?? 0) + random.below(10 * DAY_MS);
      const sums = (span: AggregationRange['span']) =>
        recordsIn(
          queryAggregated(file, {
            ...allRecords(nowMs),
            nowMs,
            limit: 10_000,
            span,
            counter,
            ignoreZeros,
          }),
        ).map((fields) => fields.slice(0, 3));
      const before = [aggregationSpan.day, aggregationSpan.month].map(sums);
      const [newest] = queryLogged(file, allRecords(nowMs)).values;
      const rule = { months: 0, kind: 1 + random.below(4) };
      const thin = () => {
        while (downsample(file, { variableId: ID, rule, counter, nowMs }).more);
      };
      thin();
      const after = [aggregationSpan.day, aggregationSpan.month].map(sums);
      for (const n of [0, 1]) t.equal(firstDifference(after[n] ?? [], before[n] ?? []), '', `round ${round}`);
      t.equal(queryLogged(file, allRecords(nowMs)).values[0], newest);
      const thinned = contents(file);
      t.ok(thinned.length <= given.length * 2);
      thin();
      t.strictSame(contents(file), thinned, 'compacted records are not compacted again');
      file.close();
      if (!t.passing()) break;
    }
  });

t.test('a counter that begins a chunk at the start of the range has its rise', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  const at = (n: number) => AUTUMN_MS + n * HOUR_MS;
  write(
    file,
    Array.from({ length: 1000 }, (_, n) => ({ atMs: at(n), value: n })),
  );
  for (const n of [255, 256, 257, 512, 768]) {
    const range = { ...allRecords(at(n + 1) - 1), fromMs: at(n), counter: true, ignoreZeros: false };
    const [[, , amount] = []] = recordsIn(
      queryAggregated(file, { ...range, nowMs: at(1000), span: aggregationSpan.hour }),
    );
    t.equal(amount, 1, `record ${n}`);
  }
  file.close();
});

t.test('old records are deleted, except for the value that is still valid', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  const day = (n: number) => SPRING_MS + n * DAY_MS;
  write(
    file,
    Array.from({ length: 20_000 }, (_, n) => ({ atMs: day(0) + n * 1000, value: n })),
  );
  write(file, [{ atMs: day(40), value: 7 }]);
  const rule = { months: 1, kind: 8 };
  while (downsample(file, { variableId: ID, rule, counter: false, nowMs: day(41) }).more);
  const endMs = new Date(
    new Date(day(41)).getFullYear(),
    new Date(day(41)).getMonth() - 1,
    new Date(day(41)).getDate(),
  );
  t.strictSame(contents(file), [
    { atMs: endMs.getTime(), value: 19_999 },
    { atMs: day(40), value: 7 },
  ]);
  file.close();
});

t.test('a day that an earlier month does not have becomes the last day of that month', async (t) => {
  for (const [now, months, limit] of [
    [new Date(2026, 2, 31, 12), 1, new Date(2026, 1, 28)],
    [new Date(2028, 1, 29, 12), 12, new Date(2027, 1, 28)],
    [new Date(2026, 0, 31, 12), 2, new Date(2025, 10, 30)],
  ] as const) {
    const file = openArchiveFile(await tempDirectory(t));
    const [limitMs, nowMs] = [limit.getTime(), now.getTime()];
    const kept = [0, 1, 2].map((n) => ({ atMs: limitMs + n * DAY_MS, value: n }));
    write(file, [{ atMs: limitMs - DAY_MS, value: 7 }, ...kept]);
    const rule = { months, kind: 8 };
    while (downsample(file, { variableId: ID, rule, counter: false, nowMs }).more);
    t.strictSame(contents(file), kept, now.toISOString());
    file.close();
  }
});

t.test('variables with records are listed once each, with and without chunks', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  t.strictSame(recordedVariables(file), []);
  const many = Array.from({ length: 600 }, (_, n) => ({ atMs: SPRING_MS + n, value: n }));
  write(file, many, 20_001);
  write(file, many.slice(0, 1), 20_000);
  const text = { ids: [20_001, 20_002], times: [1, 2], values: ['a', 'b'], marks: [0, 0] };
  file.write({ records: text, clocks: [] });
  t.strictSame(recordedVariables(file).sort(), [20_000, 20_001, 20_002]);
  const [plan] = file.chunks
    .statement('EXPLAIN QUERY PLAN SELECT min(series) FROM chunks WHERE series > ?')
    .all(0) as unknown as readonly [number, number, number, string][];
  t.match(plan?.[3], /^SEARCH chunks USING COVERING INDEX/, 'no chunk is read for it');
  deleteRecords(file, { variableId: 20_001, fromMs: 0, toMs: 2 ** 43 });
  t.strictSame(recordedVariables(file).sort(), [20_000, 20_002]);
  file.close();
});

t.test('records are deleted between two times, and of one variable only', async (t) => {
  const random = new Random(seed);
  const file = openArchiveFile(await tempDirectory(t));
  const given = around(random, SPRING_MS, 2000);
  write(file, given);
  write(file, given, ID + 1);
  const all = expected(given);
  const [fromMs, toMs] = [all[300]?.atMs ?? 0, all[1100]?.atMs ?? 0];
  t.strictSame(deleteRecords(file, { variableId: ID, fromMs, toMs }), { count: 801 });
  const left = all.filter(({ atMs }) => atMs < fromMs || atMs > toMs);
  t.strictSame(contents(file), left);
  t.strictSame(contents(file, ID + 1), all);
  t.strictSame(deleteRecords(file, { variableId: ID, fromMs: 0, toMs: 2 ** 43 }), { count: left.length });
  t.strictSame(
    seriesStatistics(file).map(({ id, count }) => [id, count]),
    [[ID + 1, all.length]],
  );
  file.close();
});

t.test('records of a variable are moved to another one, among its own', async (t) => {
  const random = new Random(seed);
  const file = openArchiveFile(await tempDirectory(t));
  const [old, own] = [around(random, AUTUMN_MS, 900), around(random, AUTUMN_MS, 900)];
  write(file, old);
  moveRecords(file, { variableId: ID, toId: 20_000 });
  t.strictSame(contents(file, 20_000), expected(old));
  write(file, own);
  moveRecords(file, { variableId: 20_000, toId: ID });
  t.strictSame(contents(file), expected([...own, ...expected(old)]));
  t.strictSame(contents(file, 20_000), []);
  file.close();
});

t.test('the changes of a counter that ignores zeros are found before any number of zeros', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  const values = [10, 12, ...Array.from({ length: 700 }, () => 0)];
  write(
    file,
    values.map((value, n) => ({ atMs: 1_000 * (n + 1), value })),
  );
  const range = { ...allRecords(800_000), counter: true, ignoreZeros: true, span: aggregationSpan.changes };
  const newest = (limit: number) =>
    recordsIn(queryAggregated(file, { ...range, limit })).map((fields) => fields.slice(0, 3));
  t.strictSame(newest(1), [[2_000, 1_000, 2]]);
  t.strictSame(newest(1_000).at(-1), [2_000, 1_000, 2]);
  file.close();
});

t.test('wrong summaries are rebuilt', async (t) => {
  const random = new Random(seed);
  const file = openArchiveFile(await tempDirectory(t));
  const given = around(random, SPRING_MS, 3000);
  write(file, given);
  const nowMs = (expected(given).at(-1)?.atMs ?? 0) + DAY_MS;
  const range: AggregationRange = {
    ...allRecords(nowMs),
    span: aggregationSpan.year,
    counter: false,
    ignoreZeros: false,
  };
  const before = recordsIn(queryAggregated(file, range));
  file.chunks.statement('UPDATE chunks SET sum = NULL, summary = zeroblob(104)').run();
  t.not(firstDifference(recordsIn(queryAggregated(file, range)), before), '');
  for (let after: number | undefined = 0; after !== undefined;)
    after = rebuildSummaries(file, { variableId: ID, after }).next;
  t.equal(firstDifference(recordsIn(queryAggregated(file, range)), before), '');
  file.close();
});

t.test('texts are stored unchanged, separate from numbers under the same id', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  const texts = ['', 'ä', 'long '.repeat(20_000), '\u0000x', 'end'];
  const times = texts.map((_, n) => 1_000 * (n + 1));
  const ids = texts.map(() => ID);
  const marks = texts.map(() => 0);
  file.write({ records: { ids, times, values: texts, marks }, clocks: [] });
  write(file, [{ atMs: 2_500, value: 7 }]);
  t.strictSame(queryLogged(file, { ...allRecords(9_000), isText: true }).values, [...texts].reverse());
  t.strictSame(contents(file), [{ atMs: 2_500, value: 7 }]);
  file.close();
});

t.test('a damaged archive is quarantined and reported; a missing one is created', async (t) => {
  const directory = await tempDirectory(t);
  await writeFile(join(directory, 'archive.db'), 'this is not a database, but as long as the header of one');
  const file = new ArchiveFile(directory);
  const { text, quarantined: aside } = file.open(1_700_000_000_000);
  t.match(text, /damaged .* kept as archive\.db\.damaged-2023-11-14T22-13-20Z/);
  t.equal(aside.length, 1);
  write(file, [{ atMs: 1_000, value: 7 }]);
  t.equal(contents(file).length, 1);
  file.close();
  await rm(join(directory, 'archive.db'));
  const again = openArchiveFile(directory);
  t.strictSame(contents(again), []);
  again.close();
});

t.test('a change that a power cut interrupted is rolled back with its journal', async (t) => {
  const [directory, left] = [await tempDirectory(t), await tempDirectory(t)];
  const file = openArchiveFile(directory);
  write(file, [{ atMs: 1_000, value: 7 }]);
  file.close();
  const path = join(directory, 'archive.db');
  const db = new DatabaseSync(path);
  // As during the change to WAL mode; the cache is so small that everything is written immediately.
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; DELETE FROM tail');
  for (let n = 0; n < 50; n++) db.prepare('INSERT INTO tail (records) VALUES (zeroblob(8000))').run();
  for (const name of readdirSync(directory)) cpSync(join(directory, name), join(left, name));
  db.exec('ROLLBACK');
  db.close();
  t.strictSame(readdirSync(left), ['archive.db', 'archive.db-journal']);
  const again = openArchiveFile(left);
  t.strictSame(contents(again), [{ atMs: 1_000, value: 7 }]);
  again.close();
});
