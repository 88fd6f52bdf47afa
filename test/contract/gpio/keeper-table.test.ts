import { execFile } from 'node:child_process';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import t from 'tap';
import type { Guard } from '../../../drivers/gpio/backends/line.js';
import { parseTable, formatTable } from '../../../drivers/gpio/keeper/output-table.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { hasProgram } from '../../tools/program.js';
import { until } from '../../tools/until.js';
import { buildKeeper, KeeperFixture } from './kept/keeper-fixture.js';

const skip = hasProgram('gcc') ? false : 'needs gcc';
const built = await (skip === false ? buildKeeper() : undefined);

const HOLD: Guard = { boot: 'hold', onDeath: 'hold', onStop: 'hold', onUpdate: 'hold', holdForS: 0 };
const ENTRY = 'kept 0 3 LINE3 high push-pull hold inactive hold active 120';

/** A file in the form of a table, with a right checksum. */
const sealed = (text: string, count: number): string =>
  `${text}end ${count} ${crc32(Buffer.from(text, 'latin1')).toString(16).padStart(8, '0')}\n`;

/** What `--check` says of a table: its exit code and its text. */
function checked(keeper: string, table: string): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile(keeper, ['--check', table], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
    );
  });
}

await t.test('a table is read completely or rejected with the reason', { skip }, async (t) => {
  const { keeper } = built as NonNullable<typeof built>;
  const file = join(await tempDirectory(t), 'table');
  const check = async (bytes: string | Buffer) => {
    await writeFile(file, bytes);
    return checked(keeper, file);
  };
  const header = 'stellwerk outputs 1\n';
  const many = Array.from({ length: 256 }, (_, n) => ENTRY.replace(' 3 ', ` ${n} `));
  t.match(await check(formatTable([])), { code: 0, text: /: 0 outputs/ });
  t.match(await check(formatTable(many)), { code: 0, text: /: 256 outputs/ });
  t.same(parseTable(formatTable(many)), many, 'what is written is read back');
  t.same(
    parseTable(formatTable(many).replace('hold', 'HOLD')),
    [],
    'the gateway reads it completely or not at all, too',
  );
  const rejected: [string | Buffer, RegExp][] = [
    ['', /is truncated within a line/],
    [formatTable([ENTRY]).slice(0, -1), /is truncated within a line/],
    [formatTable([ENTRY]).slice(0, -20), /is truncated within a line/],
    [header, /its last line is missing/],
    [formatTable([ENTRY]).replace('120', '121'), /checksum is wrong/],
    [formatTable([...many, ENTRY.replace(' 3 ', ' 300 ')]), /too many outputs, the maximum is 256/],
    ['x'.repeat(2_000_000), /too long/],
    [Buffer.from(formatTable([ENTRY])).fill(0, 30, 31), /not a text/],
    [sealed('stellwerk outputs 2\n', 0), /another version: this keeper reads "stellwerk outputs 1"/],
    [sealed(`${header}${ENTRY}\n`, 2), /has 1 outputs, but its last line says 2/],
    [formatTable([ENTRY, ENTRY]), /line 3: kept\/0\/3 is listed twice/],
    [formatTable([`${ENTRY} more`]), /line 2: it does not have 11 words/],
    [formatTable([ENTRY.replace('kept', 'ke:pt')]), /ke:pt is not the label of a chip/],
    [formatTable([ENTRY.replace('kept', 'k%65pt')]), /not the label of a chip/],
    [formatTable([ENTRY.replace('kept', 'x'.repeat(32))]), /not the label of a chip/],
    [formatTable([ENTRY.replace(' 3 ', ' -3 ')]), /-3 is not the offset/],
    [formatTable([ENTRY.replace(' 3 ', ' 99999999999999999999 ')]), /not the offset/],
    [formatTable([ENTRY.replace('LINE3', 'x'.repeat(300))]), /name is missing, too long or malformed/],
    [formatTable([ENTRY.replace('LINE3', 'A\u001b[2J')]), /name is missing, too long or malformed/],
    [formatTable([ENTRY.replace('high', 'up')]), /up is neither high nor low/],
    [formatTable([ENTRY.replace('push-pull', 'push')]), /push is not a drive/],
    [formatTable([ENTRY.replace(' inactive', ' off')]), /off is not a policy/],
    [formatTable([ENTRY.replace('120', '9999999')]), /not a hold time: 0 to 2678400 seconds/],
  ];
  for (const [bytes, why] of rejected) t.match(await check(bytes), { code: 1, text: why });
  t.match(await checked(keeper, `${file}.none`), { code: 1, text: /cannot be opened: No such file/ });
  t.match(await checked(keeper, '/'), { code: 1, text: /Is a directory/ });
});

const seed = fuzzSeed();
await t.test(`no table crashes the keeper (${seedLabel(seed)})`, { skip }, async (t) => {
  const { keeper } = built as NonNullable<typeof built>;
  const random = new Random(seed);
  const file = join(await tempDirectory(t), 'table');
  const complete = formatTable(Array.from({ length: 5 }, (_, n) => ENTRY.replace(' 3 ', ` ${n} `)));
  const codes = new Set<number>();
  const tables = Array.from({ length: 150 }, () => {
    const text = Buffer.from(complete.slice(0, complete.lastIndexOf('end ')));
    for (let change = random.below(4); change > 0; change--) {
      const at = random.below(text.length);
      if (random.chance(0.5)) text[at] = random.below(256);
      else text.copyWithin(at, random.below(text.length));
    }
    // With a right checksum, so that what is behind it is reached.
    return random.chance(0.7)
      ? sealed(text.toString('latin1'), 5)
      : random.bytes(random.below(500)).toString('latin1');
  });
  const runChecks = async (name: string) => {
    for (let bytes = tables.pop(); bytes !== undefined; bytes = tables.pop()) {
      await writeFile(file + name, bytes, 'latin1');
      const { code } = await checked(keeper, file + name);
      codes.add(code);
      if (code > 1) t.fail(`${code}: ${JSON.stringify(bytes)}`);
    }
  };
  await Promise.all(['a', 'b'].map(runChecks));
  t.same([...codes].sort(), [0, 1], 'both were met, and nothing else');
});

await t.test('a gateway gets its reply after the state was written', { skip }, async (t) => {
  const box = await KeeperFixture.make(t, built as NonNullable<typeof built>);
  const keeper = await box.keeper();
  const gateway = box.gateway();
  const health = () => gateway.send({ health: true });
  await gateway.send({ requestOutput: { offset: 1, boot: 'inactive', guard: HOLD } });
  await until('the first to be guarded', async () => /1 guarded/.test(await health()));
  // A pipe waits for its reader when it is opened.
  const pipe = join(box.runtime, 'state.new');
  await promisify(execFile)('mkfifo', [pipe]);
  const taken = gateway.send({ requestOutput: { offset: 2, boot: 'inactive', guard: HOLD } });
  const waitsIn = `/proc/${keeper.process.pid}/wchan`;
  await until('the keeper to write', async () => /partner/.test(await readFile(waitsIn, 'utf8')));
  t.notMatch(await health(), /2 guarded/);
  t.match(await readFile(pipe, 'utf8'), /^kept 0 2 /m);
  await taken;
  await until('both to be guarded', async () => /2 guarded/.test(await health()));
});

await t.test('a state that could not be written is written later', { skip }, async (t) => {
  const box = await KeeperFixture.make(t, built as NonNullable<typeof built>);
  await writeFile(box.table, formatTable([ENTRY]));
  const obstacle = join(box.runtime, 'state.new');
  await mkdir(obstacle);
  const keeper = await box.keeper();
  await keeper.waitFor(/state cannot be written: Is a directory/);
  await rmdir(obstacle);
  const state = () => readFile(join(box.runtime, 'state'), 'utf8').catch(() => '');
  // No gateway is connected: nothing but the keeper's timer makes it write.
  await until('the state to be written', async () => /^kept 0 3 /m.test(await state()));
  await keeper.waitFor(/state is written again/);
  t.equal(keeper.output.match(/cannot be written/g)?.length, 1, 'reported once');
});

await t.test('an output of an earlier run becomes an input', { skip }, async (t) => {
  const box = await KeeperFixture.make(t, built as NonNullable<typeof built>);
  await box.keeper();
  const first = box.gateway();
  await first.send({ requestOutput: { offset: 2, boot: 'active', guard: HOLD } });
  await first.send({ goodbye: 'stop' });
  await first.end();
  t.match(await readFile(box.table, 'utf8'), /^kept 0 2 /m);
  const second = box.gateway();
  t.match(await second.send({ input: 2 }), /does not support that/, 'the stand-in has no inputs');
  const state = await readFile(join(box.runtime, 'state'), 'utf8');
  t.notMatch(state, /^kept 0 2 /m, 'the keeper has released the line');
  await until('the table to be empty', async () => /end 0 /.test(await readFile(box.table, 'utf8')));
});
