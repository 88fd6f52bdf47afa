import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { killAfter } from '../../tools/kill-after.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { Program } from '../../tools/program.js';
import { openFixture } from './open-store.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

const WRITER = join(PACKAGE_ROOT, 'dist/test/contract/store/writer.js');
const VALUES = join(PACKAGE_ROOT, 'dist/test/contract/store/values.js');
const KILLS = 15;
/** Changes that are acknowledged before each kill, at least. */
const CHANGES = 4;

interface Line {
  readonly id?: number;
  readonly gone?: number;
  readonly name?: string;
  readonly counter: number;
}

/** Runs the writer, kills it after at least `lines` lines, and returns all that it had acknowledged. */
async function killed(directory: string, lines: number): Promise<Line[]> {
  return (await killAfter(lines, WRITER, directory)).map((line) => JSON.parse(line) as Line);
}

t.test(`killed ${KILLS} times while writing: no acknowledged change is lost`, async (t) => {
  const directory = await tempDirectory(t);
  const present = new Map<number, string>();
  let counter = 0;
  let acknowledged = 0;
  for (let round = 0; round < KILLS; round++) {
    const lines = await killed(directory, 1 + CHANGES + Math.floor(Math.random() * 10));
    t.ok((lines[0]?.counter ?? 0) >= counter, 'the counter continued');
    for (const line of lines) {
      counter = Math.max(counter, line.counter);
      if (line.gone !== undefined) present.delete(line.gone);
      else if (line.id !== undefined) present.set(line.id, line.name ?? '');
    }
    acknowledged += lines.length - 1;
    const db = new DatabaseSync(join(directory, 'stellwerk.db'), { readOnly: true });
    t.match(db.prepare('PRAGMA integrity_check').all(), [{ integrity_check: 'ok' }]);
    const rows = db.prepare("SELECT id, attributes ->> 'name' AS name FROM objects").all();
    const found = new Map(rows.map(({ id, name }) => [Number(id), String(name)]));
    db.close();
    // A change in flight may be stored already: its next name, or its deletion.
    const last = lines.at(-1)?.id ?? 0;
    const next = found.get(last);
    if (next === undefined) present.delete(last);
    else if (next.startsWith('renamed')) present.set(last, next);
    t.strictSame(
      [...present].filter(([id, name]) => found.get(id) !== name),
      [],
    );
  }
  t.comment(`${acknowledged} changes acknowledged`);
  t.ok(acknowledged >= KILLS * CHANGES, 'there was something to lose');
});

t.test(
  'after a crash of the process, values are at most a second old if there is a runtime directory',
  async (t) => {
    const directory = await tempDirectory(t);
    const runtimeDirectory = await tempDirectory(t);
    const child = new Program(process.execPath, [VALUES, directory, runtimeDirectory]);
    await child.waitFor(/kept 42/);
    await child.end('SIGKILL');
    const left = await readFile(join(runtimeDirectory, 'values.db'));
    const first = await openFixture(directory, { runtimeDirectory });
    t.equal(valueOf(first.kernel), 42);
    first.kernel.variables.update(first.kernel.variables.get(idOf(first.kernel)), 43, 0);
    await first.store.close();

    // An earlier run's file in the runtime directory is older than the disk.
    await writeFile(join(runtimeDirectory, 'values.db'), left);
    const second = await openFixture(directory, { runtimeDirectory });
    t.equal(valueOf(second.kernel), 43);
    await second.store.close();
  },
);

t.test('values that an older version stored in the runtime directory are read', async (t) => {
  const directory = await tempDirectory(t);
  const runtimeDirectory = await tempDirectory(t);
  const child = new Program(process.execPath, [VALUES, directory, runtimeDirectory]);
  await child.waitFor(/kept 42/);
  await child.end('SIGKILL');
  // As written by the version without checksums.
  const db = new DatabaseSync(join(runtimeDirectory, 'values.db'));
  db.exec('ALTER TABLE last_values DROP COLUMN sum');
  db.close();
  const next = await openFixture(directory, { runtimeDirectory });
  t.equal(valueOf(next.kernel), 42);
  next.kernel.variables.update(next.kernel.variables.get(idOf(next.kernel)), 43, 0);
  await next.store.close();
});

const idOf = (kernel: Kernel) => kernel.tree.root.children?.byIdent('value')?.id ?? 0;
const valueOf = (kernel: Kernel) => kernel.variables.get(idOf(kernel)).data.value;
