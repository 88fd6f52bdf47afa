import fs, {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import { silentLog } from '../../../src/base/log.js';
import { restoreAtStart } from '../../../src/composition/backup/pending-restore.js';
import { locateConfig } from '../../../src/config/config-source.js';
import { backupDirectory, restoreBackup } from '../../../src/store/restore.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openFixture, picture } from './open-store.js';

const CHANGING = ['copyFileSync', 'linkSync', 'mkdirSync', 'renameSync', 'rmSync', 'writeFileSync'] as const;
/** The id of the service's user and group. */
const SERVICE = 1234;
/** More changes of files than a restore makes. */
const MAX_CHANGES = 200;

/** Does work that ends at its n-th change of a file, as if the process was killed there. Returns whether it did. */
async function endAfter(changes: number, work: () => unknown): Promise<boolean> {
  const originals = CHANGING.map((name) => [name, fs[name]] as const);
  let left = changes;
  for (const [name, original] of originals)
    Object.assign(fs, {
      [name]: (...given: unknown[]): unknown => {
        if (left-- <= 0) throw new Error('ended');
        return Reflect.apply(original, fs, given);
      },
    });
  syncBuiltinESMExports();
  try {
    await work();
  } catch (thrown) {
    if (left >= 0) throw thrown;
  } finally {
    Object.assign(fs, Object.fromEntries(originals));
    syncBuiltinESMExports();
  }
  return left < 0;
}

/** A gateway's files below `root`. */
const placesIn = (root: string) => ({
  directory: join(root, 'data'),
  config: join(root, 'etc', 'gateway.yaml'),
  backup: join(root, 'backup.db'),
  key: join(root, 'data', 'restore.new', 'push-key.pem'),
});

/** Everything that a restore replaces. */
interface Content {
  readonly tree: readonly string[];
  readonly files: readonly string[];
}

async function contentOf(root: string): Promise<Content> {
  const { directory, config } = placesIn(root);
  const { store, kernel } = await openFixture(directory);
  const tree = picture(kernel);
  await store.close();
  const files = ['scripts/12345.js', 'icons/a.svg', 'icons/b.svg', 'media/a.png', 'push-key.pem'].map(
    (name) => (existsSync(join(directory, name)) ? readFileSync(join(directory, name), 'utf8') : ''),
  );
  return { tree, files: [...files, readFileSync(locateConfig(config, directory).file, 'utf8')] };
}

/**
 * A gateway with a backup of what it was before, with other files than now; `overlay`: its configuration is in
 * the data directory now.
 */
async function prepareGateway(
  t: Test,
  overlay = false,
): Promise<{ root: string; before: Content; now: Content }> {
  const root = await tempDirectory(t);
  const { directory, config, backup, key } = placesIn(root);
  for (const folder of [join(root, 'etc'), ...['scripts', 'icons'].map((name) => join(directory, name))])
    mkdirSync(folder, { recursive: true });
  writeFileSync(config, 'board: generic\n');
  writeFileSync(join(directory, 'scripts', '12345.js'), 'before');
  writeFileSync(join(directory, 'icons', 'a.svg'), 'before');
  writeFileSync(join(directory, 'push-key.pem'), 'before');
  const first = await openFixture(directory);
  first.kernel.variables.create(2, { ident: 'before', value: 1.25 });
  await first.store.close();
  backupDirectory(directory, { to: backup, config });
  const before = await contentOf(root);
  mkdirSync(join(directory, 'media'));
  for (const name of ['scripts/12345.js', 'icons/b.svg', 'media/a.png', 'push-key.pem'])
    writeFileSync(join(directory, name), 'now');
  writeFileSync(overlay ? join(directory, 'gateway.yaml') : config, 'board: simulated\n');
  const second = await openFixture(directory);
  second.kernel.variables.create(2, { ident: 'now', value: 2 });
  await second.store.close();
  const now = await contentOf(root);
  mkdirSync(join(key, '..'));
  writeFileSync(key, 'before');
  return { root, before, now };
}

const start = (root: string) => {
  const { directory, config } = placesIn(root);
  return restoreAtStart(directory, { source: locateConfig(config, directory), nowMs: 0, log: silentLog });
};

for (const overlay of [false, true])
  t.test(
    `after a restore that ended at any change of a file, a start has all or nothing of it${overlay ? ', with an overlay' : ''}`,
    async (t) => endAnywhere(t, overlay),
  );

async function endAnywhere(t: Test, overlay: boolean): Promise<void> {
  const { root: original, before, now } = await prepareGateway(t, overlay);
  const counts = { before: 0, now: 0 };
  const wrong: string[] = [];
  for (let changes = 0; changes < MAX_CHANGES; changes++) {
    const root = await tempDirectory(t);
    cpSync(original, root, { recursive: true });
    const { directory, config, backup, key } = placesIn(root);
    const files = { [key]: 'push-key.pem' };
    const how = { backup, directory, config, replace: true, nowMs: 0, files };
    const hasEnded = await endAfter(changes, () => restoreBackup(how));
    // The first start ends, too.
    await endAfter(changes % 7, () => start(root));
    await start(root);
    const found = await contentOf(root);
    const state = (['before', 'now'] as const).find((name) =>
      isDeepStrictEqual(found, { before, now }[name]),
    );
    if (state === undefined) wrong.push(`after ${changes} changes: ${JSON.stringify(found)}`);
    else counts[state] += 1;
    if (readdirSync(directory).some((name) => name.startsWith('restore')))
      wrong.push(`after ${changes} changes: ${readdirSync(directory).join(' ')}`);
    if (!hasEnded) break;
  }
  t.comment(`${counts.now} changed nothing, ${counts.before} were completed`);
  t.strictSame(wrong, []);
  t.ok(counts.now > 5 && counts.before > 5, 'the restore ended before and after its last step began');
}

t.test(
  'the service can complete what root has begun',
  { skip: process.getuid?.() !== 0 && 'only root gives files to others' },
  async (t) => {
    const { root } = await prepareGateway(t);
    const { directory, config, backup } = placesIn(root);
    chownSync(directory, SERVICE, SERVICE);
    chownSync(config, 0, SERVICE);
    chmodSync(config, 0o640);
    const staging = join(directory, 'restore-staging');
    const how = { backup, directory, config, replace: true, nowMs: 0 };
    for (let changes = 0; !existsSync(join(staging, 'journal.json')); changes++)
      t.ok(await endAfter(changes, () => restoreBackup(how)));
    for (const path of ['', 'journal.json', 'stellwerk.db', 'scripts', 'scripts/12345.js'])
      t.match(statSync(join(staging, path)), { uid: SERVICE, gid: SERVICE }, path);
    await start(root);
    t.equal(readFileSync(config, 'utf8'), 'board: generic\n');
    const { uid, gid, mode } = statSync(config);
    t.strictSame([uid, gid, mode & 0o777], [0, SERVICE, 0o640]);
  },
);

t.test(
  'a restore that is completed later keeps the data of before, and what a gateway wrote since',
  async (t) => {
    const { root } = await prepareGateway(t);
    const { directory, config, backup } = placesIn(root);
    const how = { backup, directory, config, replace: true, nowMs: 0 };
    for (let changes = 0; existsSync(join(directory, 'stellwerk.db')); changes++)
      await endAfter(changes, () => restoreBackup(how));
    const kept = 'stellwerk.db.replaced-1970-01-01T00-00-00Z';
    const before = readFileSync(join(directory, kept));
    // As if the start could not complete it: the gateway begins with a new database.
    const { store } = await openFixture(directory);
    await store.close();
    await start(root);
    t.ok(before.equals(readFileSync(join(directory, kept))));
    t.ok(existsSync(join(directory, `${kept}-2`)));
  },
);

t.test('a journal whose names lead out of the data directory is discarded', async (t) => {
  const { root, now } = await prepareGateway(t);
  const { directory } = placesIn(root);
  const staging = join(directory, 'restore-staging');
  const good = { backup: 'b', added: [], removed: [], hasConfiguration: false, suffix: '.replaced' };
  for (const bad of [
    { added: ['../outside'] },
    { removed: ['scripts/../../etc'] },
    { suffix: '/../../etc' },
  ]) {
    mkdirSync(staging);
    writeFileSync(join(staging, 'outside'), 'foreign');
    writeFileSync(join(staging, 'journal.json'), JSON.stringify({ ...good, ...bad }));
    await start(root);
    t.strictSame([existsSync(staging), readdirSync(root).sort()], [false, ['backup.db', 'data', 'etc']]);
  }
  t.strictSame(await contentOf(root), now);
});
