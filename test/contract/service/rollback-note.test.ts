import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { diagnose } from '../../../src/service/machine/diagnosis.js';
import { inspectMachine } from '../../../src/service/machine/machine-facts.js';
import { readRollbackNote } from '../../../src/service/updates/rollback-note.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const NOTE = 'var/lib/stellwerk-update/rolled-back';
const note = {
  version: '9.1.0',
  running: '9.0.0~rc1',
  time: '2026-11-23T14:00:00Z',
  reason: 'unhealthy',
  limit: 180,
};

async function write(root: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, NOTE)), { recursive: true });
  await writeFile(join(root, NOTE), text);
}

t.test('an update that was rolled back is reported with its reason', async (t) => {
  const root = await tempDirectory(t);
  const options = { root, dataDirectory: root, ports: [], isGateway: true, found: [] };
  const board = { name: 'generic', isUnknown: true };
  const check = async (text: string) => {
    await write(root, text);
    const {
      state,
      text: what,
      whatToDo,
    } = diagnose(await inspectMachine(options), { instances: [], board }).get('update') ?? {};
    return `${state} | ${what} | ${whatToDo}`;
  };
  t.notOk(
    diagnose(await inspectMachine(options), { instances: [], board }).has('update'),
    'there is no note',
  );
  t.match(
    await check(JSON.stringify(note)),
    /^warning \| version 9\.1\.0 was rolled back.*not become healthy within 180 s; 9\.0\.0~rc1 runs again \| journalctl/,
  );
  t.match(
    await check(JSON.stringify({ ...note, reason: 'configuration' })),
    /^warning \| version 9\.1\.0 .*rejects the configuration; 9\.0\.0~rc1 runs again/,
  );
  t.match(await check(JSON.stringify({ ...note, reason: 'start' })), /did not start; 9\.0\.0~rc1 runs again/);
  t.match(await check('{"version":"<script>"}'), /^warning \| (?!.*script).*not readable \| .*sudo rm/);
});

t.test('the note of a rollback is read only if it is valid', async (t) => {
  const root = await tempDirectory(t);
  const path = join(root, NOTE);
  const read = async (text: string) => {
    await write(root, text);
    return readRollbackNote(path);
  };
  t.equal(await readRollbackNote(path), undefined, 'there is none');
  t.strictSame(await read(`${JSON.stringify({ ...note, more: {} })}\n`), note);
  for (const wrong of [
    '',
    '{',
    'null',
    '[]',
    '"9.1.0"',
    '\0',
    JSON.stringify({ ...note, version: '9.1.0\n<b>' }),
    JSON.stringify({ ...note, version: ['9.1.0'] }),
    JSON.stringify({ ...note, running: '9'.repeat(200) }),
    JSON.stringify({ ...note, running: '../../etc' }),
    JSON.stringify({ ...note, time: 'yesterday' }),
    JSON.stringify({ ...note, reason: 'constructor' }),
    JSON.stringify({ ...note, limit: '180' }),
    JSON.stringify(note).replace('180', '1e999'),
    JSON.stringify({ __proto__: null, ...note, version: undefined }),
    JSON.stringify({ ...note, more: 'x'.repeat(5000) }),
  ])
    t.equal(await read(wrong), 'unreadable', wrong.slice(0, 80));
  await rm(path);
  await mkdir(path);
  t.equal(await readRollbackNote(path), 'unreadable', 'a directory');
  await rm(path, { recursive: true });
  await symlink('/dev/zero', path);
  t.equal(await readRollbackNote(path), 'unreadable', 'a symbolic link');
  await rm(path);
  execFileSync('mkfifo', [path]);
  t.equal(await readRollbackNote(path), 'unreadable', 'a named pipe without a writer');
});
