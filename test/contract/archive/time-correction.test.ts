/** Records with times of unsynchronised clocks. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { correctTimes, deleteRecords } from '../../../src/archive/mutations.js';
import { ArchiveFile } from '../../../src/archive/archive-file.js';
import { queryLogged } from '../../../src/archive/queries.js';
import { ManualClock } from '../../../src/base/clock.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openArchive, VARIABLE } from './open-archive.js';
import { allRecords, contents, ID, openArchiveFile, recordsOf, write } from './archive-file.js';

t.test(
  'times of an unsynchronised clock are corrected, even if the program was restarted meanwhile',
  async (t) => {
    const directory = await tempDirectory(t);
    let file = openArchiveFile(directory);
    write(file, [{ atMs: 5_000, value: 1 }]);
    file.write({
      records: recordsOf([
        { atMs: 4_000, value: 2, mark: 1 },
        { atMs: 6_000, value: 3, mark: 1 },
        { atMs: 7_000, value: 4, mark: 2 },
      ]),
      clocks: [
        { mark: 1, offsetMs: 100 },
        { mark: 2, offsetMs: 1_100 },
      ],
    });
    t.strictSame(
      contents(file).map(({ atMs }) => atMs),
      [4_000, 5_000, 6_000, 7_000],
    );
    file.close();
    file = new ArchiveFile(directory);
    t.match(file.open(0), { isMarked: true, mark: 2 });
    t.strictSame(correctTimes(file, { offsetMs: 10_100 }), { count: 3 });
    t.strictSame(contents(file), [
      { atMs: 5_000, value: 1 },
      { atMs: 14_000, value: 2 },
      { atMs: 16_000, value: 3 },
      // The second clock was off by a second less: both times are the same, and neither record is lost.
      { atMs: 16_001, value: 4 },
    ]);
    file.close();
    file = new ArchiveFile(directory);
    t.match(file.open(0), { isMarked: false });
    t.strictSame(correctTimes(file, { offsetMs: 99_999 }), { count: 0 });
    file.close();
  },
);

t.test('corrected records whose millisecond is occupied move to the next free one', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  const trusted = Array.from({ length: 3 }, (_, n) => ({ atMs: 50_000 + n, value: n }));
  write(file, trusted);
  file.write({
    records: recordsOf([
      { atMs: 9_999, value: 10, mark: 1 },
      { atMs: 10_000, value: 11, mark: 1 },
      { atMs: 10_001, value: 12, mark: 1 },
      { atMs: 10_900, value: 13, mark: 1 },
    ]),
    clocks: [{ mark: 1, offsetMs: 0 }],
  });
  t.strictSame(correctTimes(file, { offsetMs: 40_000 }), { count: 4 });
  t.strictSame(contents(file), [
    { atMs: 49_999, value: 10 },
    ...trusted,
    { atMs: 50_003, value: 11 },
    { atMs: 50_004, value: 12 },
    { atMs: 50_900, value: 13 },
  ]);
  file.close();
});

t.test(
  'many records of several chunks and variables are corrected, although their times overlap',
  async (t) => {
    const directory = await tempDirectory(t);
    const file = openArchiveFile(directory);
    // 150 s of each: shifted by 40 s they overlap with those that are not corrected yet.
    const given = Array.from({ length: 1_500 }, (_, n) => ({ atMs: 1_000 + n * 100, value: n, mark: 1 }));
    for (const id of [ID, ID + 1])
      for (let n = 0; n < given.length; n += 100)
        file.write({
          records: recordsOf(given.slice(n, n + 100), id),
          clocks: [{ mark: 1, offsetMs: 100 }],
        });
    t.strictSame(correctTimes(file, { offsetMs: 40_100 }), { count: 3_000 });
    const expected = given.map(({ atMs, value }) => ({ atMs: atMs + 40_000, value }));
    file.close();
    const again = openArchiveFile(directory);
    for (const id of [ID, ID + 1]) t.strictSame(contents(again, id), expected);
    t.strictSame(correctTimes(again, { offsetMs: 40_100 }), { count: 0 });
    again.close();
  },
);

t.test('the correction has the records of one variable at a time in memory', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  const ids = [ID, ID + 1, ID + 2];
  const clocks = [{ mark: 1, offsetMs: 0 }];
  for (let n = 0; n < 3; n++)
    for (const id of ids) {
      const given = Array.from({ length: 256 }, (_, k) => ({ atMs: 1_000 * n + k, value: k, mark: 1 }));
      file.write({ records: recordsOf(given, id), clocks });
    }
  const order: number[] = [];
  const { chunks } = file;
  const replace = chunks.replace.bind(chunks);
  chunks.replace = (series, ...rest) => {
    order.push(series);
    replace(series, ...rest);
  };
  const put = file.put.bind(file);
  file.put = (series, run) => {
    order.push(series);
    put(series, run);
  };
  t.strictSame(correctTimes(file, { offsetMs: 40_000 }), { count: 3 * 3 * 256 });
  const changes = order.filter((series, n) => series !== order[n - 1]);
  t.equal(changes.length, ids.length, 'all records of a variable, before those of the next');
  file.close();
});

t.test('more records of a variable than the correction takes in one step', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  const given = Array.from({ length: 60_000 }, (_, n) => ({ atMs: 1_000_000 + n * 100, value: n, mark: 1 }));
  const clocks = [{ mark: 1, offsetMs: 0 }];
  file.write({ records: recordsOf(given), clocks });
  let most = 0;
  const put = file.put.bind(file);
  file.put = (series, run) => {
    most = Math.max(most, run.times.length);
    put(series, run);
  };
  for (const [mark, offsetMs] of [
    [1, 40_050],
    [2, -40_050],
  ] as const) {
    most = 0;
    t.strictSame(correctTimes(file, { offsetMs }), { count: 60_000 });
    t.ok(most < 60_000, `${most} records in a step`);
    const expected = given.map(({ atMs, value }) => ({ atMs: atMs + offsetMs, value }));
    t.strictSame(contents(file), expected);
    deleteRecords(file, { variableId: ID, fromMs: 0, toMs: 2 ** 43 });
    const records = recordsOf(given.map((record) => ({ ...record, mark: 2 })));
    if (mark === 1) file.write({ records, clocks: [{ mark: 2, offsetMs: 0 }] });
  }
  file.close();
});

t.test('long texts are corrected some at a time', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  const texts = Array.from({ length: 12 }, (_, n) => `${n} ${'x'.repeat(1_000_000)}`);
  const clocks = [{ mark: 1, offsetMs: 0 }];
  for (const [n, text] of texts.entries())
    file.write({
      records: { ids: [ID], times: [1_000 * n], values: [text], marks: [1] },
      clocks,
    });
  const steps: number[] = [];
  const put = file.put.bind(file);
  file.put = (series, run) => {
    steps.push(run.times.length);
    put(series, run);
  };
  t.strictSame(correctTimes(file, { offsetMs: 40_000 }), { count: texts.length });
  t.ok(Math.max(...steps) <= 5, `${steps} texts of a million characters in a step`);
  const { times, values } = queryLogged(file, { ...allRecords(2 ** 43), isText: true });
  t.strictSame(
    [...times].reverse(),
    texts.map((_, n) => 40_000 + 1_000 * n),
  );
  t.ok(
    [...values].reverse().every((value, n) => value === texts[n]),
    'no text is lost or changed',
  );
  file.close();
});

const ALL = { startS: 0, endS: 0, limit: 0 };

t.test(
  'records that are added during the last batch are corrected too if the clock is synchronised then',
  async (t) => {
    const clock = new ManualClock(3_600_000);
    clock.hasTrustedTime = false;
    const { archive, kernel, variable } = await openArchive(await tempDirectory(t), clock);
    const set = (value: number) => {
      clock.advance(1_000);
      kernel.variables.update(variable, value, clock.nowMs());
    };
    set(1);
    const written = archive.flush();
    t.equal((await archive.records(VARIABLE, ALL)).records.length, 1);
    set(2);
    clock.stepWallClock(1_000_000_000);
    clock.hasTrustedTime = true;
    await written;
    await archive.flush();
    await archive.flush();
    t.match(await archive.records(VARIABLE, ALL), {
      records: [
        { atMs: 1_003_601_000, value: 1, isTrusted: true },
        { atMs: 1_003_602_000, value: 2, isTrusted: true },
      ],
    });
    await archive.close();
  },
);

t.test('an archive that opens late keeps its marks and the waiting records', async (t) => {
  const place = await tempDirectory(t);
  const [directory, away] = [join(place, 'data'), join(place, 'away')];
  await mkdir(directory);
  const file = openArchiveFile(directory);
  write(file, [{ atMs: 5_000, value: 7, mark: 1 }], VARIABLE);
  file.chunks.statement("INSERT INTO untrusted VALUES (1, 'another run', 100)").run();
  file.close();
  await rename(directory, away);
  await writeFile(directory, 'no directory');
  const clock = new ManualClock(3_600_000);
  clock.hasTrustedTime = false;
  const { archive, kernel, variable, findings } = await openArchive(directory, clock);
  t.equal(findings.get('archive')?.state, 'failed');
  kernel.variables.update(variable, 8, clock.nowMs());
  await archive.flush();
  await rm(directory);
  await rename(away, directory);
  await archive.flush();
  t.equal(findings.get('archive')?.state, 'ok');
  const { records } = await archive.records(VARIABLE, ALL);
  t.match(records, [
    { value: 7, isTrusted: false },
    { value: 8, isTrusted: false },
  ]);
  clock.stepWallClock(1_000_000_000);
  clock.hasTrustedTime = true;
  await archive.flush();
  t.match(await archive.records(VARIABLE, ALL), {
    records: [
      { atMs: 5_000, isTrusted: false },
      { atMs: 1_003_600_000, isTrusted: true },
    ],
  });
  await archive.close();
  using db = new DatabaseSync(join(directory, 'archive.db'));
  t.match(db.prepare('SELECT mark, boot FROM untrusted').all(), [{ mark: 1, boot: 'another run' }]);
});
