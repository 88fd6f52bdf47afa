/** Archives that are damaged while they are in use. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openArchive, VARIABLE } from './open-archive.js';

const ALL = { startS: 0, endS: 0, limit: 0 };

/** A failing card: from now on the file contains this. */
function damage(directory: string, text: string): void {
  const path = join(directory, 'archive.db');
  using db = new DatabaseSync(path);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  // After a write by another connection the file is read again.
  db.exec('UPDATE untrusted SET offset = 0; INSERT INTO tail (records) VALUES (zeroblob(0))');
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  writeFileSync(path, text.repeat(2_000), { flag: 'r+' });
}

for (const stepMs of [0, -86_400_000])
  t.test(
    `each damaged archive (clock step ${stepMs / 1000} s) is quarantined under its own name and reported; the oldest, with the history, stays`,
    async (t) => {
      const directory = await tempDirectory(t);
      const clock = new ManualClock();
      const { archive, kernel, variable, findings } = await openArchive(directory, clock);
      const aside = () =>
        readdirSync(directory)
          .filter((name) => /damaged-[^.]*Z(-\d+)?$/.test(name))
          .sort();
      const beginning = (name = '') => readFileSync(join(directory, name), 'latin1').slice(0, 5);
      let value = 0;
      for (const text of ['first', 'again', 'third']) {
        kernel.variables.update(variable, ++value, clock.nowMs());
        await archive.flush();
        damage(directory, text);
        kernel.variables.update(variable, ++value, clock.nowMs() + value);
        await archive.flush();
        t.equal(findings.get('archive')?.state, 'failed');
        await archive.flush();
        t.equal(findings.get('archive')?.state, 'ok');
        t.match(findings.get('archive file'), {
          state: 'warning',
          text: /was damaged .* kept as .*damaged-.*new one/,
        });
        const { records } = await archive.records(VARIABLE, ALL);
        t.equal(records.at(-1)?.value, value, 'records that could not be written are in the new archive');
        if (text === 'first') clock.stepWallClock(stepMs);
      }
      t.strictSame(aside().map(beginning), ['first', 'third']);
      await archive.close();
    },
  );

t.test('times of an untrusted clock are corrected, even if the archive was damaged meanwhile', async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock(3_600_000);
  clock.hasTrustedTime = false;
  const { archive, kernel, variable } = await openArchive(directory, clock);
  const set = (value: number) => {
    clock.advance(1_000);
    kernel.variables.update(variable, value, clock.nowMs());
  };
  set(1);
  await archive.flush();
  damage(directory, 'first');
  set(2);
  await archive.flush();
  set(3);
  await archive.flush();
  clock.stepWallClock(1_000_000_000);
  clock.hasTrustedTime = true;
  await archive.flush();
  set(4);
  await archive.flush();
  t.match(await archive.records(VARIABLE, ALL), {
    records: [
      { atMs: 1_003_602_000, value: 2, isTrusted: true },
      { atMs: 1_003_603_000, value: 3, isTrusted: true },
      { atMs: 1_003_604_000, value: 4, isTrusted: true },
    ],
  });
  await archive.close();
  using db = new DatabaseSync(join(directory, 'archive.db'));
  t.strictSame(db.prepare('SELECT mark FROM untrusted').all(), []);
});

t.test('a damaged archive is reported, even if the next write is an import', async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock();
  const { archive, kernel, variable, findings } = await openArchive(directory, clock);
  kernel.variables.update(variable, 1, clock.nowMs());
  await archive.flush();
  damage(directory, 'first');
  kernel.variables.update(variable, 2, clock.nowMs() + 1);
  await archive.flush();
  await archive.add(VARIABLE, [{ atMs: 5_000, value: 7 }]);
  t.match(findings.get('archive file'), { state: 'warning', text: /was damaged .* kept as/ });
  await archive.close();
});

t.test('a failure ends as soon as the archive can be opened, even if no record waits', async (t) => {
  const directory = join(await tempDirectory(t), 'data');
  writeFileSync(directory, 'no directory');
  const { archive, findings } = await openArchive(directory, new ManualClock());
  t.equal(findings.get('archive')?.state, 'failed');
  rmSync(directory);
  await archive.flush();
  t.equal(findings.get('archive')?.state, 'ok');
  await archive.close();
});

t.test('a correction that fails is reported until it succeeds, even if no record waits', async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock(3_600_000);
  clock.hasTrustedTime = false;
  const { archive, kernel, variable, findings } = await openArchive(directory, clock);
  kernel.variables.update(variable, 1, clock.nowMs());
  await archive.flush();
  damage(directory, 'first');
  clock.stepWallClock(1_000_000_000);
  clock.hasTrustedTime = true;
  await archive.flush();
  t.equal(findings.get('archive')?.state, 'failed');
  await archive.flush();
  t.equal(findings.get('archive')?.state, 'ok');
  await archive.close();
});
