/**
 * Power cuts of the emulated box at random times of its life: `node dist/test/lab/box/power-cuts.js`, after
 * up.js. The box runs once, and qemu keeps many snapshots of it, with its memory. For each cut, the box
 * continues from one of them for a random time, and qemu is killed. The card is then checked as at the next
 * start, and a gateway is started on its data: nothing that was acknowledged may be missing, and no relay may
 * be active. After every STARTS_EVERY-th cut, the box itself is started, until its slot is confirmed. POINTS
 * is the number of cuts. LIFE is a directory in which the recorded life stays for further runs.
 *
 * What the guest had not flushed is lost partly: qemu keeps the places of new data in its own memory.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import t from 'tap';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { allowedAfterPrinted } from './busy-client.js';
import { problemOfCard } from './card-check.js';
import { FlashedBox, writeCard } from './flashed-box.js';
import { recordLife, SETUP, type Snapshot } from './recorded-life.js';

const POINTS = Number(process.env['POINTS'] ?? 300);
const STARTS_EVERY = Number(process.env['STARTS_EVERY'] ?? 20);
const { LIFE } = process.env;
/** As long as the interval between two snapshots, so that a cut may come at any time. */
const LONGEST_MS = 15_000;

const run = promisify(execFile);
const directory = await tempDirectory(t);
const life = LIFE ?? directory;
const [card, list] = [join(life, 'card.qcow2'), join(life, 'snapshots.json')];
const started = performance.now();
const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
if (!existsSync(list)) {
  await writeCard(life, SETUP);
  const recorded = await recordLife(card, (phase) => t.comment(`${phase}, after ${seconds()}`));
  writeFileSync(list, JSON.stringify(recorded));
  t.comment(`${recorded.length} snapshots after ${seconds()}`);
}
const snapshots = JSON.parse(readFileSync(list, 'utf8')) as Snapshot[];

const seed = fuzzSeed();
const random = new Random(seed);
const phases = Map.groupBy(snapshots, ({ phase }) => phase);
for (const [phase, own] of phases) {
  const count = Math.ceil((POINTS * own.length) / snapshots.length);
  await t.test(`${phase}: ${count} power cuts (${seedLabel(seed)})`, async (t) => {
    let [starts, acknowledged] = [0, 0];
    for (let n = 0; n < count; n++) {
      const snapshot = own[n % own.length] as Snapshot;
      const ms = random.below(LONGEST_MS);
      const printed = snapshot.printed + (await cutAfter(snapshot, ms));
      const allowed = allowedAfterPrinted(printed);
      acknowledged += printed.match(/load: /g)?.length ?? 0;
      const problem = await problemOfCard(card, allowed, join(directory, 'check'));
      if (problem !== undefined) t.fail(`${snapshot.name} and ${ms} ms: ${problem}`);
      else t.pass(`${snapshot.name} and ${ms} ms`);
      if (n % STARTS_EVERY !== STARTS_EVERY - 1) continue;
      starts++;
      t.equal(
        await verdictOfNextStart(),
        'healthy',
        `the box comes back after ${snapshot.name} and ${ms} ms`,
      );
    }
    t.comment(`${count} cuts, ${acknowledged} acknowledged changes, ${starts} starts, after ${seconds()}`);
  });
}

/** Lets the box run from a snapshot, cuts its power, and returns what the console has printed. */
async function cutAfter({ name }: Snapshot, ms: number): Promise<string> {
  await using box = await FlashedBox.switchOn(card, { frozen: name });
  // qemu replies after it has loaded the snapshot.
  using _control = await box.control();
  await sleep(ms);
  await box.cut();
  return box.console();
}

/** Starts the box with a copy of the card. */
async function verdictOfNextStart(): Promise<string> {
  const copy = join(directory, 'copy.qcow2');
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', card, copy]);
  await using box = await FlashedBox.switchOn(copy);
  await box.up();
  return await box.verdict();
}
