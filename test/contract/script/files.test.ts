import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import t from 'tap';
import { SCRIPT_LIMIT, ScriptFiles } from '../../../src/script/script-files.js';
import { objectType } from '../../../src/kernel/object.js';
import { message } from '../../../src/kernel/messages.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { scriptFixture } from '../../tools/gateway/script-fixture.js';
import { until } from '../../tools/until.js';

t.test(
  'concurrent writes of one text are serialised, and a script deleted meanwhile stays deleted',
  async (t) => {
    const { script, engine, kernel, runId } = await scriptFixture(t);
    const made = await script('');
    const texts = Array.from({ length: 8 }, (_, i) => `print(${'1'.repeat(i * 1000)})`);
    await Promise.all(texts.map((text) => engine.setContent(made.id, text)));
    t.equal(await engine.content(made.id), texts.at(-1));
    const { id } = made;
    const late = Promise.allSettled([
      engine.setContent(id, 'let a = ;'),
      engine.setFile(id, 'other.js'),
      runId(id),
    ]);
    kernel.tree.delete(made);
    const { counter } = kernel.changes;
    t.match(await late, Array(3).fill({ status: 'rejected', reason: { code: 'NOT_OF_TYPE' } }));
    t.equal(kernel.changes.counter, counter, 'nothing more is reported of it');
  },
);

t.test('scripts are editable files; their names lead nowhere else', async (t) => {
  const { script, engine, directory, kernel, runId } = await scriptFixture(t);
  const made = await script('print("first")');
  const file = join(directory, 'scripts', made.data.file);
  t.equal(await readFile(file, 'utf8'), 'print("first")');
  await writeFile(file, 'print("edited")');
  t.equal(await runId(made.id), 'edited');
  t.equal(await engine.content(made.id), 'print("edited")');
  const hostile = [
    '../evil.js',
    '/etc/passwd',
    'a/b.js',
    '.js',
    'x.txt',
    'a\0.js',
    'functions.d.ts',
    'a.ts/../b.ts',
  ];
  for (const name of hostile) {
    await t.rejects(engine.setFile(made.id, name), { code: 'FILE_NAME' }, name);
    kernel.scripts.setFile(made, name);
    await t.rejects(engine.content(made.id), { code: 'FILE_NAME' });
    await t.rejects(engine.setContent(made.id, ''), { code: 'FILE_NAME' });
    await t.rejects(runId(made.id), { code: 'FILE_NAME' });
  }
  await t.rejects(engine.content(1), { code: 'NOT_OF_TYPE' });
});

t.test('files that are too large, and other objects than files, are rejected', async (t) => {
  const { script, engine, directory, runId } = await scriptFixture(t);
  const made = await script('print(1)');
  const file = join(directory, 'scripts', made.data.file);
  await t.rejects(engine.setContent(made.id, ' '.repeat(SCRIPT_LIMIT + 1)), { code: 'TEXT_TOO_LONG' });
  t.equal(await runId(made.id), '1');
  await truncate(file, SCRIPT_LIMIT + 1);
  await t.rejects(runId(made.id), { message: /cannot be read: it is larger than 1048576 bytes/ });
  await rm(file);
  execFileSync('mkfifo', [file]);
  await t.rejects(runId(made.id), { message: /cannot be read: it is not a regular file/ });
});

/** The checksum of a text, as messages state it. */
const crcOf = (text: string): string => crc32(text).toString(16).toUpperCase().padStart(8, '0');

t.test('a change on the disk is noticed, with every editor’s way of saving', async (t) => {
  const { script, directory, kernel, runId, loud } = await scriptFixture(t);
  const made = await script('print(1)', 'lamp.js');
  const crcs: unknown[] = [];
  const broken: unknown[] = [];
  kernel.changes.listen(({ SenderID, Message, Data }) => {
    if (SenderID !== made.id) return;
    if (Message === message.SM_UPDATE) crcs.push(Data[0]);
    if (Message === message.SM_BROKEN) broken.push(Data[0]);
  });
  const file = join(directory, 'scripts', 'lamp.js');
  // A file that is written in place may be read when it is still empty, and is then read again.
  const noticed = (text: string) => until(`${text} to be noticed`, () => crcs.at(-1) === crcOf(text));
  await writeFile(file, 'let a = ;');
  await noticed('let a = ;');
  await until('it is broken', () => made.data.broken);
  t.match(loud.at(-1), /^script \d{5} “.*” cannot be run: lamp\.js:1:9: Unexpected token ';'$/);
  await writeFile(`${file}.tmp`, 'print(2)');
  await rename(`${file}.tmp`, file);
  await noticed('print(2)');
  await until('it is valid', () => !made.data.broken);
  t.equal(await runId(made.id), '2');
  await rm(file);
  await until('it is deleted', () => made.data.broken);
  t.match(loud.at(-1), /lamp\.js no longer exists/);
  await t.rejects(runId(made.id), { message: /lamp\.js does not exist/ });
  await writeFile(file, 'print(3)');
  await noticed('print(3)');
  await until('it is valid again', () => !made.data.broken);
  t.equal(await runId(made.id), '3');
  await rename(join(directory, 'scripts'), join(directory, 'aside'));
  await until('the directory is deleted', () => made.data.broken);
  await until('the directory is watched again', async () => {
    await mkdir(join(directory, 'scripts'), { recursive: true });
    await writeFile(file, 'print(4)');
    return crcs.at(-1) === crcOf('print(4)');
  });
  t.equal(await runId(made.id), '4');
  await until('it is valid in the new directory', () => !made.data.broken);
  t.strictSame(broken, [true, false, true, false, true, false], 'each change of its state is reported once');
});

t.test('a script whose file cannot be written is not created', async (t) => {
  const { engine, directory, kernel } = await scriptFixture(t);
  await writeFile(join(directory, 'scripts'), 'not a directory');
  await t.rejects(engine.create(), { code: 'STORE_FAILED' });
  t.strictSame([...kernel.tree.objectsOfType(objectType.script)], []);
  await rm(join(directory, 'scripts'));
  t.equal(await engine.content(await engine.create()), '');
});

t.test('a file is read when it has been written completely', async (t) => {
  const files = new ScriptFiles(await tempDirectory(t));
  const writing = files.write('a.js', 'print(1)');
  t.match(await files.readSettled('a.js'), { text: 'print(1)' });
  t.match(await writing, { text: 'print(1)' });
  t.equal(await files.readSettled('b.js'), undefined);
});

t.test('the gateway’s own writes are reported once', async (t) => {
  const { script, engine, directory, kernel } = await scriptFixture(t);
  const made = await script('print(1)');
  const other = await script('print(1)');
  let updates = 0;
  let others = 0;
  kernel.changes.listen(({ SenderID, Message }) => {
    if (Message !== message.SM_UPDATE) return;
    if (SenderID === made.id) updates++;
    if (SenderID === other.id) others++;
  });
  await engine.setContent(made.id, 'print(2)');
  await writeFile(join(directory, 'scripts', other.data.file), 'print(2)');
  await until('the other one is noticed', () => others === 1);
  t.equal(updates, 1);
});

t.test(
  'scripts with a common file share its text, and the file is deleted with the last of them',
  async (t) => {
    const { script, engine, directory, kernel } = await scriptFixture(t);
    const [first, second] = [await script('print(1)', 'lamp.js'), await script('', 'lamp.js')];
    const messages: number[] = [];
    kernel.changes.listen(({ SenderID, Message }) => {
      if (Message === message.SM_UPDATE) messages.push(SenderID);
    });
    await engine.setContent(first.id, 'let a = ;');
    t.strictSame(messages, [first.id, second.id], 'both are reported');
    t.strictSame([first.data.broken, second.data.broken], [true, true]);
    await engine.setContent(second.id, 'print(2)');
    t.strictSame([first.data.broken, second.data.broken], [false, false]);
    await engine.delete(first.id, true);
    t.equal(await engine.content(second.id), 'print(2)', 'its text still exists');
    await engine.delete(second.id, true);
    t.notOk(existsSync(join(directory, 'scripts', 'lamp.js')));
  },
);
