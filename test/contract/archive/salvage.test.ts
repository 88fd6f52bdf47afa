import { copyFileSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { ArchiveFile } from '../../../src/archive/archive-file.js';
import { CHUNK_RECORDS } from '../../../src/archive/chunks.js';
import { emptyRun } from '../../../src/archive/codec.js';
import { salvageArchives } from '../../../src/composition/salvage-archives.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { runCli } from '../../tools/gateway/run-cli.js';

const NOW = Date.UTC(2026, 5, 1);
const ASIDE = 'archive.db.damaged-2026-06-01T00-00-00Z';

/** Ten variables with 2,000 records each, the last ones in the tail, as a quarantined archive. */
async function kept(t: Parameters<typeof tempDirectory>[0]): Promise<string> {
  const directory = await tempDirectory(t);
  const file = new ArchiveFile(directory);
  file.open(NOW);
  for (let from = 0; from < 2000; from += 500)
    file.transaction(() => {
      for (let variable = 0; variable < 10; variable++) {
        const run = emptyRun();
        for (let n = from; n < from + 500; n++) {
          run.times.push(NOW + n * 60_000);
          run.values.push(20 + Math.sin(n) * (variable + 1));
          run.marks.push(0);
        }
        file.put((10_000 + variable) * 2, run);
      }
    });
  file.close();
  copyFileSync(join(directory, 'archive.db'), join(directory, ASIDE));
  return directory;
}

/** All records of the archive of a directory: series → time → value. */
function recordsOf(directory: string): Map<number, Map<number, unknown>> {
  const file = new ArchiveFile(directory);
  file.open(NOW);
  const all = new Map<number, Map<number, unknown>>();
  for (let variable = 0; variable < 10; variable++) {
    const series = (10_000 + variable) * 2;
    const runs = [...file.chunks.upwards(series, -1, Infinity)].map((chunk) => file.chunks.records(chunk));
    const records = new Map<number, unknown>();
    for (const run of [...runs, file.head(series)])
      for (const [n, time] of run.times.entries()) records.set(time, run.values[n]);
    all.set(series, records);
  }
  file.close();
  return all;
}

const count = (all: Map<number, Map<number, unknown>>) =>
  [...all.values()].reduce((sum, { size }) => sum + size, 0);

const wrongRecords = (all: Map<number, Map<number, unknown>>, before: Map<number, Map<number, unknown>>) =>
  [...all].flatMap(([series, records]) =>
    [...records].filter(([time, value]) => before.get(series)?.get(time) !== value),
  );

/** A new, empty archive next to the damaged one. */
async function salvaged(t: Parameters<typeof tempDirectory>[0], bytes: Buffer) {
  const directory = await tempDirectory(t);
  writeFileSync(join(directory, ASIDE), bytes);
  const reports = salvageArchives({ directory, file: undefined, write: true, nowMs: NOW });
  return { all: recordsOf(directory), reports };
}

t.test(
  'all records of an undamaged archive are imported, once even if repeated; a dry run writes nothing',
  async (t) => {
    const directory = await kept(t);
    const before = recordsOf(directory);
    t.equal(count(before), 20_000);
    const bytes = readFileSync(join(directory, ASIDE));
    const { all, reports } = await salvaged(t, bytes);
    t.strictSame(all, before);
    t.match(reports, [{ isComplete: true, text: /up to \d+ records of 10 variables, 2026-06-01T/ }]);
    salvageArchives({ directory, file: undefined, write: true, nowMs: NOW });
    t.strictSame(recordsOf(directory), before);

    const dry = await tempDirectory(t);
    writeFileSync(join(dry, ASIDE), bytes);
    const said = await runCli(['archive', '--data', dry, 'salvage']);
    t.match(said, {
      code: 0,
      stdout: /0 damaged chunks\nnothing was written: stop the gateway and add --write/,
    });
    t.strictSame(readdirSync(dry), [ASIDE]);
    const written = await runCli(['archive', '--data', dry, '--write', 'salvage']);
    t.match(written, { code: 0, stdout: /the valid records are in the archive/ });
    t.strictSame(recordsOf(dry), before);
    t.equal((await runCli(['archive', '--data', join(dry, 'none'), 'salvage'])).code, 1);
  },
);

t.test('a corrected record stays corrected, although the tail still has the one before', async (t) => {
  const directory = await tempDirectory(t);
  const file = new ArchiveFile(directory);
  file.open(NOW);
  const put = (time: number, value: number) =>
    file.transaction(() => file.put(20_000, { times: [time], values: [value], marks: [0] }));
  for (let n = 0; n <= CHUNK_RECORDS; n++) put(NOW + n, n);
  put(NOW + 10, -1);
  file.close();
  copyFileSync(join(directory, 'archive.db'), join(directory, ASIDE));
  const before = recordsOf(directory);
  t.equal(before.get(20_000)?.size, CHUNK_RECORDS + 1);
  t.equal(before.get(20_000)?.get(NOW + 10), -1);
  const { all } = await salvaged(t, readFileSync(join(directory, ASIDE)));
  t.strictSame(all, before);
});

function withFlippedBits(bytes: Buffer, random: Random): Buffer {
  const damaged = Buffer.from(bytes);
  for (let flip = 0; flip < 60; flip++) {
    const at = random.below(damaged.length);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8));
  }
  return damaged;
}

t.test('sixty flipped bits cost the chunks that they hit, and no wrong record is imported', async (t) => {
  const directory = await kept(t);
  const before = recordsOf(directory);
  const bytes = readFileSync(join(directory, ASIDE));
  const seed = fuzzSeed();
  const random = new Random(seed);
  let least = Infinity;
  for (let round = 0; round < 10; round++) {
    const { all, reports } = await salvaged(t, withFlippedBits(bytes, random));
    least = Math.min(least, count(all));
    t.strictSame(wrongRecords(all, before), [], seedLabel(seed));
    if (count(all) < 20_000)
      t.notOk(reports[0]?.isComplete, `missing records are reported (${seedLabel(seed)})`);
  }
  t.comment(`of 20,000 records at least ${least} were imported`);
});

t.test('a damaged index that leads to earlier rows does not repeat them forever', async (t) => {
  const bytes = readFileSync(join(await kept(t), ASIDE));
  for (const seed of [105_399, 107_816]) {
    const { all, reports } = await salvaged(t, withFlippedBits(bytes, new Random(seed)));
    t.ok(count(all) > 5_000 && count(all) < 20_000);
    t.notOk(reports[0]?.isComplete);
  }
});

t.test('a damaged name of a checksum column does not make wrong records valid', async (t) => {
  const directory = await kept(t);
  const before = recordsOf(directory);
  // The second record of a series is in a chunk, the last one in the tail.
  for (const [table, n] of [
    ['chunks', 1],
    ['tail', 1999],
  ] as const) {
    const bytes = readFileSync(join(directory, ASIDE));
    const value = Buffer.alloc(8);
    value.writeDoubleLE(20 + Math.sin(n));
    const places = [bytes.indexOf('sum INTEGER)', bytes.indexOf(`TABLE ${table}`))];
    for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + 1)) places.push(at);
    for (const at of places) bytes[at] = (bytes[at] ?? 0) ^ 1;
    const { all, reports } = await salvaged(t, bytes);
    t.strictSame(wrongRecords(all, before), []);
    t.notOk(reports[0]?.isComplete, `the wrong record in ${table} is reported`);
    t.ok(count(all) > 15_000);
  }
});

t.test('the records of an archive from before the checksums are imported', async (t) => {
  const directory = await kept(t);
  const path = join(directory, ASIDE);
  using db = new DatabaseSync(path);
  db.exec('ALTER TABLE chunks DROP COLUMN sum; ALTER TABLE tail DROP COLUMN sum; PRAGMA user_version = 1');
  db.close();
  const { all, reports } = await salvaged(t, readFileSync(path));
  t.strictSame(all, recordsOf(directory));
  t.ok(reports[0]?.isComplete);
});

for (const [what, at] of [
  ['the first page', 0],
  ['a page in the middle', 5],
] as const)
  t.test(`${what} is overwritten: the other records are imported`, async (t) => {
    const directory = await kept(t);
    const bytes = readFileSync(join(directory, ASIDE));
    bytes.fill(0x5a, at * 4096, (at + 1) * 4096);
    const { all } = await salvaged(t, bytes);
    t.comment(`${count(all)} records of 20,000, ${statSync(join(directory, ASIDE)).size / 4096} pages`);
    t.ok(count(all) > 10_000);
  });

t.test('a salvage that is cancelled keeps what it has copied, and can be repeated', async (t) => {
  const directory = await kept(t);
  const damaged = readFileSync(join(directory, ASIDE));
  const complete = count((await salvaged(t, damaged)).all);
  const other = await tempDirectory(t);
  writeFileSync(join(other, ASIDE), damaged);
  const options = { directory: other, file: undefined, write: true, nowMs: NOW };
  const onProgress = (chunks: number) => {
    if (chunks === 3) throw new Error('enough');
  };
  t.throws(() => salvageArchives({ ...options, onProgress }), { message: 'enough' });
  t.ok(count(recordsOf(other)) < complete);
  salvageArchives(options);
  t.equal(count(recordsOf(other)), complete);
});
