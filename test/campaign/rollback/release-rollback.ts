/**
 * A populated gateway of an earlier version is updated to this one, changed, rolled back, changed, and updated again:
 * `node dist/test/campaign/rollback/release-rollback.js EARLIER`. EARLIER is the compiled earlier version
 * (`make release-rollback FROM=TAG`). No start may lose or change an object, a value or a script.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { differences } from '../../fuzz/start/differences.js';
import type { Entry } from '../../tools/client/replica.js';
import { fuzzSeed, seedLabel } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import type { StepReport } from './version-step.js';

const OWN = join(PACKAGE_ROOT, 'dist');
const EARLIER = resolve(process.argv[2] ?? '');
const STEP = join(import.meta.dirname, 'version-step.js');
const FLAGS = ['--enable-experimental-regexp-engine', '--disable-warning=ExperimentalWarning'];

const seed = fuzzSeed();
const directory = join(await tempDirectory(t), 'box');
const populated = run(EARLIER, 'populate');
const updated = run(OWN, 'change');
const rolledBack = run(EARLIER, 'change');
const again = run(OWN, 'look');

t.test(`the update keeps everything (${seedLabel(seed)})`, (t) => isKept(t, populated, updated));
t.test('the rollback keeps everything, also what the newer version has changed', (t) =>
  isKept(t, updated, rolledBack),
);
t.test('the second update keeps everything', (t) => isKept(t, rolledBack, again));

function run(dist: string, step: 'populate' | 'change' | 'look'): StepReport {
  // Each version resolves its packages and programs from its own directory.
  execFileSync(process.execPath, [...FLAGS, STEP, dist, step, directory, String(seed)], {
    cwd: dirname(dist),
    stdio: 'inherit',
  });
  return JSON.parse(readFileSync(join(directory, 'step.json'), 'utf8')) as StepReport;
}

async function isKept(t: Test, former: StepReport, { before, problems, scripts }: StepReport): Promise<void> {
  t.strictSame(problems, [], 'the stored data is in order');
  const found = differences(ofBoth(former.after, before), ofBoth(before, former.after), { wasEdited: false });
  t.strictSame([...found.values()], [], `${Object.keys(former.after).length} objects`);
  for (const [id, text] of Object.entries(former.scripts))
    if (scripts[id] !== undefined) t.equal(scripts[id], text, `the script ${id}`);
}

/** Objects without the members that only the other version knows. */
function ofBoth(objects: Record<string, Entry>, other: Record<string, Entry>): Record<string, Entry> {
  const known = new Set(Object.values(other).flatMap(({ data }) => Object.keys(data)));
  return Object.fromEntries(
    Object.entries(objects).map(([key, entry]) => {
      const data = Object.fromEntries(Object.entries(entry.data).filter(([name]) => known.has(name)));
      return [key, { ...entry, data }];
    }),
  );
}
