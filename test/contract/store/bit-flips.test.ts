import { copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { listBackups } from '../../../src/store/backup.js';
import { Database } from '../../../src/store/database.js';
import { steps } from '../../../src/store/schema.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openFixture, picture } from './open-store.js';

/** Flips in `make test`; STELLWERK_FLIPS=5000 for the figures in the documentation. */
const FLIPS = Number(process.env['STELLWERK_FLIPS'] ?? 100);

const file = (directory: string) => join(directory, 'stellwerk.db');

/** A database with objects of all kinds, a backup of it, and some later changes. */
async function furnished(t: Parameters<typeof tempDirectory>[0]): Promise<string> {
  const directory = await tempDirectory(t);
  const { store, kernel } = await openFixture(directory);
  const { variables, profiles } = kernel;
  profiles.create('Mine.Watt', 2);
  profiles.setText('Mine.Watt', '', ' W');
  for (let i = 0; i < 60; i++) variables.create((i % 4) as 0, { name: `Early ${i}`, ident: `early${i}` });
  store.setMeta('applied', '{"tree":{}}');
  await store.committed();
  await store.backup();
  for (let i = 0; i < 20; i++) variables.create(3, { ident: `late${i}`, value: `text ${i} \ud800` });
  await store.close();
  return directory;
}

/** Everything that a start reads, as texts, and the damage that it reports. */
function started(directory: string) {
  const database = new Database({ directory, runtimeDirectory: undefined, files: {} });
  try {
    const { meta, profiles, text, counter } = database.open(Date.now(), 'life');
    const objects: string[] = [];
    for (let next: number | undefined = 0; next !== undefined;) {
      const rows = database.rows(next);
      objects.push(...(JSON.parse(rows.text) as unknown[]).map((row) => JSON.stringify(row)));
      ({ next } = rows);
    }
    const { restored, lost } = database.loaded();
    const passing = ['counter', 'ids', 'clean', 'life', 'backup_ms', 'wear'];
    const kept = meta.filter(([name]) => !passing.includes(name));
    const rows = [...objects, ...profiles, ...kept.map(String)].sort();
    return { rows, counter, said: [...(text === undefined ? [] : [text]), ...restored, ...lost] };
  } finally {
    database.close();
  }
}

t.test('a changed row of any table is restored from the backup, or reported as missing', async (t) => {
  const base = await furnished(t);
  const { rows, counter } = started(base);
  const changes = {
    'the text of an object': "UPDATE objects SET data = replace(data, '1', '2') WHERE born = 2",
    'the id of an object': 'UPDATE objects SET id = 60001 WHERE born = 2',
    'the parent of an object': 'UPDATE objects SET parent = 1 WHERE born = 2',
    'an invalid JSON text': "UPDATE objects SET attributes = 'x' || attributes WHERE born = 2",
    'the value of a variable': "UPDATE last_values SET value = value + 1 WHERE typeof(value) = 'real'",
    'the variable of a value':
      'UPDATE last_values SET id = 9999 WHERE id = (SELECT id FROM objects WHERE born = 2)',
    'a profile': "UPDATE profiles SET profile = replace(profile, 'W', 'V')",
    'the name of a profile': "UPDATE profiles SET name = 'Mine.Watu'",
    'what was applied': "UPDATE meta SET value = '{' WHERE name = 'applied'",
    'the name of what was applied': "UPDATE meta SET name = 'bpplied' WHERE name = 'applied'",
    'a checksum': 'UPDATE objects SET sum = sum + 1 - 2 * (sum % 2) WHERE born = 70',
    'the version in the header': 'PRAGMA user_version = 3',
    'an older version': 'PRAGMA user_version = 0',
  };
  for (const [what, sql] of Object.entries(changes)) {
    const directory = join(await tempDirectory(t), 'data');
    cpSync(base, directory, { recursive: true });
    const db = new DatabaseSync(file(directory));
    db.exec(sql);
    db.close();
    const again = started(directory);
    t.strictSame(again.rows, rows, what);
    t.ok(again.said.length > 0, `${what}: reported`);
    t.match(readdirSync(directory).join(), /stellwerk\.db\.damaged-/, `${what}: the file is kept`);
    t.strictSame(started(directory).said, [], `${what}: once`);
  }
  for (const name of ['counter', 'clean', 'life']) {
    const directory = join(await tempDirectory(t), 'data');
    cpSync(base, directory, { recursive: true });
    const db = new DatabaseSync(file(directory));
    db.prepare("UPDATE meta SET value = 'x' || value WHERE name = ?").run(name);
    db.close();
    const again = started(directory);
    t.strictSame(again.rows, rows, name);
    t.ok(again.counter >= counter, `${name}: the counter does not decrease`);
  }
});

t.test('an object without a backup is reported as missing, and nothing else is', async (t) => {
  const directory = await furnished(t);
  const before = started(directory);
  const db = new DatabaseSync(file(directory));
  const id = String(db.prepare('SELECT id FROM objects WHERE born = 70').get()?.['id']);
  db.exec("UPDATE objects SET data = data || ' ' WHERE born = 70");
  db.close();
  const { store, kernel, findings } = await openFixture(directory);
  t.match(findings.get('database'), { state: 'failed', text: new RegExp(`in no backup: object #${id}`) });
  t.equal(kernel.tree.size - 1, 79);
  await store.close();
  t.strictSame(
    started(directory).rows,
    before.rows.filter((row) => !row.startsWith(`[${id},`)),
  );
});

t.test(`no flipped bit prevents the start, and none is loaded as valid`, async (t) => {
  const base = await furnished(t);
  const expected = started(base);
  const bytes = readFileSync(file(base));
  const directory = join(await tempDirectory(t), 'data');
  const seed = fuzzSeed();
  const random = new Random(seed);
  const seen = { unharmed: 0, restored: 0, missed: 0, silent: 0, ended: 0 };
  const wrong: string[] = [];
  for (let round = 0; round < FLIPS; round++) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(join(directory, 'backups'), { recursive: true });
    for (const { path } of listBackups(base)) copyFileSync(path, path.replace(base, directory));
    const [at, bit] = [random.below(bytes.length), random.below(8)];
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
    writeFileSync(file(directory), flipped);
    try {
      const { rows, said, counter } = started(directory);
      const isSame = rows.join('\n') === expected.rows.join('\n') && counter >= expected.counter;
      if (isSame) seen[said.length > 0 ? 'restored' : 'unharmed'] += 1;
      else if (said.length > 0) seen.missed += 1;
      else {
        seen.silent += 1;
        wrong.push(`byte ${at} bit ${bit} is loaded as valid`);
      }
    } catch (thrown) {
      seen.ended += 1;
      wrong.push(`byte ${at} bit ${bit} prevents the start: ${String(thrown)}`);
    }
  }
  t.comment(`${FLIPS} flips of ${bytes.length} bytes: ${JSON.stringify(seen)}`);
  t.strictSame(wrong, [], seedLabel(seed));
});

t.test('an id of six digits is stored', async (t) => {
  const directory = await tempDirectory(t);
  const database = new Database({ directory, runtimeDirectory: undefined, files: {} });
  database.open(Date.now(), 'life');
  const nothing = { removed: [], profiles: [], meta: [], values: [], audit: [] };
  database.commit({ ...nothing, objects: [[999_999, 0, 0, '{}', '{}']] });
  t.match(database.rows(0).text, '999999');
  database.close();
});

t.test('a database of the version without checksums is migrated, and older programs reject it', async (t) => {
  const directory = await tempDirectory(t);
  const first = await openFixture(directory);
  const text = first.kernel.variables.create(3, { ident: 'text', value: 'a\u0000b \ud800 ä' });
  first.kernel.variables.create(2, { ident: 'float', value: -1.5e-300 });
  first.kernel.profiles.create('Mine', 1);
  await first.store.committed();
  await first.store.close();
  // As the previous version left it.
  const db = new DatabaseSync(file(directory));
  for (const table of ['meta', 'profiles', 'objects', 'last_values', 'audit'])
    db.exec(`ALTER TABLE ${table} RENAME TO new_${table}`);
  db.exec(`${String(steps[0])}; DELETE FROM new_meta WHERE name = 'schema'; PRAGMA user_version = 1;
    INSERT INTO meta SELECT name, value FROM new_meta; INSERT INTO profiles SELECT name, profile FROM new_profiles;
    INSERT INTO objects SELECT born, id, type, parent, attributes, data FROM new_objects;
    INSERT INTO last_values SELECT id, value, updated, changed FROM new_last_values;
    INSERT INTO audit (record) VALUES ('{"at":1}'), ('{"at":2}'), ('{"at":3}'), ('{"at":4}')`);
  for (const table of ['meta', 'profiles', 'objects', 'last_values', 'audit'])
    db.exec(`DROP TABLE new_${table}`);
  db.close();
  const before = picture(first.kernel);
  const second = await openFixture(directory);
  t.equal(second.findings.get('database')?.state, 'ok');
  const written = before.map((row) => row.replace('\\ud800', '\ufffd'));
  t.strictSame(picture(second.kernel), written);
  t.equal((second.kernel.tree.get(text.id).data as { value: string }).value, 'a\u0000b \ufffd ä');
  const all = [{ at: 4 }, { at: 3 }, { at: 2 }, { at: 1 }];
  t.strictSame(await second.store.audit(10, 'owner'), all, 'entries without a role belong to the owner');
  t.strictSame(await second.store.audit(10, 'webfront'), []);
  await second.store.close();
  t.match(readdirSync(join(directory, 'backups')), [/before-schema-2\.db$/]);
  const migrated = new DatabaseSync(file(directory), { readOnly: true });
  t.match(
    migrated.prepare('PRAGMA user_version').get(),
    { user_version: 2 },
    'newer than an older program supports',
  );
  migrated.close();
});
