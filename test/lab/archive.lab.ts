/**
 * The archive during a power cut and on a full disk: it is complete and as current as configured, and records
 * that cannot be written wait until there is space.
 */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { emptyRun } from '../../src/archive/codec.js';
import { ArchiveFile } from '../../src/archive/archive-file.js';
import { queryRecords } from '../../src/archive/queries.js';
import { tempDirectory } from '../tools/temp-directory.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';
import { until } from '../tools/until.js';
import { BlockLog, makeLog } from './machine/block-log.js';
import { LAMP_AND_NOTE, LAMP_PIN } from './machine/lamp.js';
import { Box, ownDisk, PATIENCE_MS } from './machine/box.js';
import { Growth, GROWING, type RecordedValues } from './machine/growth.js';
import { Machine, type MachineOptions } from './machine/machine.js';
import { FROZEN } from './paths.js';

const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';
/** How far the disk may be behind, s. A commit under emulation may take as long again. */
const INTERVAL_S = 3;
const AGE_LIMIT_S = 2 * INTERVAL_S;
/** Much more than may be lost, in the guest’s seconds. */
const ENOUGH_S = 5 * AGE_LIMIT_S;
const WORK_LIMIT_MS = 240_000;
const BOOT_LIMIT_MS = 240_000;
/** A failed write is retried with each batch. */
const AGAIN_LIMIT_MS = 120_000;
const MOMENTS = 5;
/** Large, so that there is no free space for them. */
const TEXT_BYTES = 60_000;

/** The values of a recorded variable that clients received before the cut. */
interface Recorded extends RecordedValues {
  readonly received: readonly unknown[];
}

const seed = fuzzSeed();
const random = new Random(seed);

await t.test(
  `the power is cut while the archive records: it is complete, and no further behind than configured (${seedLabel(seed)})`,
  async (t) => {
    const folder = await tempDirectory(t);
    const at = (name: string): string => join(folder, name);
    const [accepted, writeLog, image] = [await ownDisk(t), at('log'), at('image.raw')];
    await makeLog(writeLog);
    const recorded = await cutInTheMidst({ disk: accepted, frozen: FROZEN.installed, writeLog });
    const log = await BlockLog.read(writeLog);
    await run('qemu-img', 'convert', '-l', `snapshot.name=${FROZEN.installed}`, '-O', 'raw', accepted, image);

    // Some at which the archive is created, and as many of the second half, during recording.
    const { flushes } = log;
    const late = flushes.slice(flushes.length >> 1);
    const moments = new Set(
      [flushes, late].flatMap((of) => Array.from({ length: MOMENTS }, () => random.pick(of))),
    );
    moments.add(flushes.at(-1) ?? 0);
    const before = recorded.map(() => 0);
    for (const moment of [...moments].sort((a, b) => a - b)) {
      const left = await leftOf(log, { image, moment, folder: at(`${moment}`) });
      for (const [n, one] of recorded.entries()) {
        const values = contents(left, one.id);
        t.strictSame(
          values,
          expectedRecords(one, values),
          `${one.path} at ${moment}: ${values.length} records`,
        );
        t.ok(values.length >= (before[n] ?? 0), 'none is missing');
        before[n] = values.length;
      }
    }

    t.comment(await log.replay(image, random));
    const disk = at('disk.qcow2');
    await run('qemu-img', 'create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', image, disk);
    await using box = await Box.on(await Machine.start({ disk }));
    await box.answers(BOOT_LIMIT_MS);
    t.match(await checks(box), { archive: { State: 'ok' } });
    t.notHas(await checks(box), { 'archive file': {} }, 'nothing was damaged');
    for (const one of recorded) await isKept(t, box, one);
    t.ok(Math.min(...before) > AGE_LIMIT_S, `there was something to lose: ${before.join(', ')} records`);
  },
);

await t.test(
  'while the disk is full records wait and switching continues; they are written when there is space',
  async (t) => {
    await using box = await Box.taken(t, LAMP_AND_NOTE);
    const { agent } = box.machine;
    const pins = await box.machine.pins();
    const [archive, note] = [await archiveOf(box), await box.id('note')];
    await box.call('SVC_SetOption', 'ArchiveInterval', 1);
    await box.call('AC_SetLoggingStatus', archive, note, true);
    let count = 0;
    const change = () => box.call('SetValue', note, `${++count} `.padEnd(TEXT_BYTES, '.'));
    await change();
    await until('it is written', async () => (await messages(box, archive, note)).length === 1, PATIENCE_MS);
    await agent.run(
      'fallocate -l $(df --output=avail -B1 / | tail -1) /root/filler; cat /dev/zero >/root/rest || true',
    );
    const failed = await until(
      'a failed write',
      async () => {
        await change();
        const { archive: check } = await checks(box);
        return check?.State === 'failed' ? check : undefined;
      },
      PATIENCE_MS,
    );
    t.match(failed, { Text: /^records wait in memory: .*full/, WhatToDo: /free some space/ });
    await box.call('RequestAction', await box.id('lamp/STATE'), true);
    await until('the lamp', () => pins.level(LAMP_PIN), PATIENCE_MS);
    t.equal((await messages(box, archive, note)).length, count, 'waiting records are read');
    await agent.run('rm /root/filler /root/rest');
    await until(
      'all are written',
      async () => (await checks(box))['archive']?.State === 'ok',
      AGAIN_LIMIT_MS,
    );
    await box.restart();
    const numbers = (await messages(box, archive, note)).map((text) => Number(String(text).split(' ')[0]));
    t.strictSame(
      numbers,
      Array.from({ length: count }, (_, n) => n + 1),
      'also after a restart',
    );
  },
);

async function run(command: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(command, args);
}

async function archiveOf(box: Box): Promise<number> {
  const [id = 0] = (await box.call('SVC_GetInstanceListByModuleID', ARCHIVE)) as number[];
  return id;
}

/** The values in a box’s archive, oldest first. */
async function messages(box: Box, archive: number, id: number): Promise<unknown[]> {
  const all = (await box.call('AC_GetLoggedValues', archive, id, 0, 0, 0)) as { Value: unknown }[];
  return all.map(({ Value }) => Value).reverse();
}

/** The health checks of the archive, by name. */
async function checks(box: Box): Promise<Record<string, { State: string; Text: string; WhatToDo: string }>> {
  const { Checks: all } = (await box.call('GW_GetHealth')) as {
    Checks: { Name: string; State: string; Text: string; WhatToDo: string }[];
  };
  return Object.fromEntries(
    all.filter(({ Name }) => Name.startsWith('archive')).map((one) => [one.Name, one]),
  );
}

/**
 * Makes a box record increasing values until there is enough to lose, and cuts its power while it records.
 */
async function cutInTheMidst(options: MachineOptions): Promise<Recorded[]> {
  await using box = await Box.on(await Machine.start(options));
  await box.configure(GROWING);
  await box.call('SVC_SetOption', 'ArchiveInterval', INTERVAL_S);
  const archive = await archiveOf(box);
  for (const path of ['meter/COUNT', 'ticker'])
    await box.call('AC_SetLoggingStatus', archive, await box.id(path), true);
  await box.machine.agent.run('sync'); // the gateway does not write gateway.yaml; the test has written it
  using frames = await box.frames();
  const growth = await Growth.of(box, frames);
  const work = growth.work();
  await Promise.race([until('enough to lose', () => growth.seconds > ENOUGH_S, WORK_LIMIT_MS), work]);
  growth.end();
  await box.machine.cut();
  await work;
  const changes = (id: number) => frames.updates(id).filter(({ changed }) => changed === true);
  return growth
    .kept(AGE_LIMIT_S)
    .map((kept) => ({ ...kept, received: changes(kept.id).map(({ value }) => value) }));
}

/** The data directory after a power cut at a given write. */
async function leftOf(
  log: BlockLog,
  { image, moment, folder }: { image: string; moment: number; folder: string },
): Promise<string> {
  const left = `${folder}.raw`;
  await run('cp', '--sparse=auto', image, left);
  await log.replay(left, random, moment);
  await run('e2fsck', '-y', '-E', 'journal_only', left);
  await run('mkdir', folder);
  await run('debugfs', '-R', `rdump /var/lib/stellwerk ${folder}`, left);
  await rm(left);
  return join(folder, 'stellwerk');
}

/** Opens the archive of a data directory, which must be valid, and reads all records of a variable. */
function contents(directory: string, id: number): unknown[] {
  const file = new ArchiveFile(directory);
  const { text, quarantined: aside } = file.open(0);
  const end = 2 ** 43;
  const range = { id, isText: false, fromMs: 0, toMs: end, limit: end, nowMs: end, waiting: emptyRun() };
  const { run: all } = queryRecords(file, range);
  file.close();
  using db = new DatabaseSync(join(directory, 'archive.db'));
  const { integrity_check: sound } = db.prepare('PRAGMA integrity_check').get() ?? {};
  if (text !== '' || aside.length > 0 || sound !== 'ok')
    throw new Error(`${text} ${aside.join()} ${String(sound)}`);
  return all.values;
}

/**
 * The records that must exist: the initial value and the reported ones, without a gap, up to the number of
 * records that were kept.
 */
function expectedRecords({ received }: Recorded, values: readonly unknown[]): unknown[] {
  const begun = values.slice(0, values[0] === received[0] ? 0 : 1);
  const rest = values.slice(begun.length);
  return [...begun, ...received.slice(0, rest.length), ...rest.slice(received.length)];
}

async function isKept(t: Test, box: Box, one: Recorded): Promise<void> {
  const values = await messages(box, await archiveOf(box), one.id);
  // The initial value after the boot may be older or newer.
  const old = values.slice(0, -1);
  t.strictSame(old, expectedRecords(one, old), `${one.path}: ${values.length} records`);
  const newest = Math.max(...values.map(Number));
  t.ok(newest >= one.min && newest <= one.max, `${one.path}: ${one.min} <= ${newest} <= ${one.max}`);
}
