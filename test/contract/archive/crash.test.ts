import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { emptyRun } from '../../../src/archive/codec.js';
import { ArchiveFile } from '../../../src/archive/archive-file.js';
import { queryLogged } from '../../../src/archive/queries.js';
import { killAfter } from '../../tools/kill-after.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { VARIABLE } from './open-archive.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

const WRITER = join(PACKAGE_ROOT, 'dist/test/contract/archive/writer.js');
const KILLS = 8;
/** Batches of 50 records that are reported before each kill, at least. */
const BATCHES = 2;

/**
 * Runs the writer, kills it after at least `lines` lines, and returns its last output: everything up to that
 * is written.
 */
async function killed(directory: string, lines: number): Promise<number> {
  return Number((await killAfter(lines, WRITER, directory)).at(-1));
}

/** All values in the archive, oldest first. */
function contents(directory: string): number[] {
  const file = new ArchiveFile(directory);
  file.open(0);
  const toMs = 2 ** 42;
  const range = {
    id: VARIABLE,
    isText: false,
    fromMs: 0,
    toMs,
    nowMs: toMs,
    limit: Infinity,
    waiting: emptyRun(),
  };
  const { values } = queryLogged(file, range);
  file.close();
  return Array.from(values, Number).reverse();
}

t.test(`killed ${KILLS} times while writing: no record is lost or duplicated`, async (t) => {
  const directory = await tempDirectory(t);
  let messages = 0;
  for (let round = 0; round < KILLS; round++) {
    messages = await killed(directory, 1 + BATCHES + Math.floor(Math.random() * 20));
    const db = new DatabaseSync(join(directory, 'archive.db'), { readOnly: true });
    t.match(db.prepare('PRAGMA integrity_check').all(), [{ integrity_check: 'ok' }]);
    db.close();
    const values = contents(directory);
    t.ok(values.length >= messages, `${values.length} records, ${messages} were reported`);
    t.equal(
      values.findIndex((value, n) => value !== n + 1),
      -1,
    );
  }
  t.ok(messages >= KILLS * BATCHES * 50, 'there was something to lose');
});
