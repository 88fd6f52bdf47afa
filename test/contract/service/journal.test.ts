/** Lines of the log as entries of the journal; socat is journald. */
import { execFileSync } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { logKind } from '../../../src/base/codes/log-kinds.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { isJournal, journalEntry, journalSender, MESSAGE_IDS } from '../../../src/service/journal.js';
import { ServiceLog } from '../../../src/service/log.js';
import { hasProgram, Program } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const skip = hasProgram('socat') ? false : 'requires socat, which acts as journald here';
const textOf = (path: string) => readFileSync(join(PACKAGE_ROOT, path), 'utf8');

t.test('a line arrives with its fields and the id of its kind', { skip }, async (t) => {
  const path = join(await tempDirectory(t), 'socket');
  const written: string[] = [];
  const log = new ServiceLog({
    write: (text) => void written.push(text),
    form: 'journal',
    sendToJournal: journalSender(path),
  });
  log.root.info({}, 'nobody listens');
  t.match(written, [/^<6>\{.*"msg":"nobody listens"\}\n$/], 'then the line is written');
  await using socat = new Program('socat', ['-u', `UNIX-RECV:${path}`, 'STDOUT']);
  await until('a listener', () => {
    log.root.debug({}, 'not written');
    log.root.info({}, 'a probe');
    return written.length === 1 || written.splice(1).length === 0;
  });
  const failure = Object.assign(new Error('gone'), { code: 'DEVICE_OFFLINE' });
  const details = {
    kind: logKind.instanceFailed,
    instance: 5,
    name: 'Hall\nPRIORITY=0',
    retryInMs: 20,
    err: failure,
  };
  log.root.subject('device').warn(details, 'no reply');
  await until('the entry', () => socat.output.includes('STELLWERK_RETRY_IN_MS'));
  const entry = socat.output.slice(socat.output.lastIndexOf('MESSAGE={'));
  const fields = new Map(
    entry
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const { MESSAGE, ...others } = Object.fromEntries(fields);
  t.match(JSON.parse(MESSAGE ?? ''), { msg: 'no reply', kind: 'INSTANCE_FAILED', instance: 5 });
  t.strictSame(others, {
    PRIORITY: '4',
    SYSLOG_IDENTIFIER: 'stellwerk',
    MESSAGE_ID: MESSAGE_IDS.INSTANCE_FAILED,
    STELLWERK_SUBJECT: 'device',
    STELLWERK_INSTANCE: '5',
    STELLWERK_NAME: 'Hall PRIORITY=0',
    STELLWERK_RETRY_IN_MS: '20',
    STELLWERK_CODE: 'DEVICE_OFFLINE',
  });
  written.length = 0;
  log.root.info({ long: 'x'.repeat(70_000) }, 'too long');
  t.match(written, [/"msg":"too long"/], 'a line that is too long is written');
});

t.test('no detail can make a field of its own, or another message id', (t) => {
  const line = (details: object) => `${JSON.stringify({ level: 30, time: 1, ...details, msg: 'm' })}\n`;
  const names = (details: object) =>
    journalEntry(line(details))
      .trimEnd()
      .split('\n')
      .map((one) => one.split('=')[0]);
  const usual = ['MESSAGE', 'PRIORITY', 'SYSLOG_IDENTIFIER'];
  t.strictSame(names({}), usual);
  t.strictSame(names({ 'a=b': 1, ä: 1, object: {}, nothing: null, ['x'.repeat(80)]: 1 }), usual);
  t.strictSame(names({ kind: 'toString' }), usual);
  t.strictSame(names({ kind: 'NO_KIND' }), usual);
  t.strictSame(names({ messageId: 'x' }), [...usual, 'STELLWERK_MESSAGE_ID']);
  t.end();
});

t.test('stdout is the journal only if it is the stream that systemd names', async (t) => {
  const fd = openSync(join(await tempDirectory(t), 'out'), 'w');
  t.teardown(() => closeSync(fd));
  const { dev, ino } = fstatSync(fd);
  t.equal(isJournal({ JOURNAL_STREAM: `${dev}:${ino}` }, fd), true);
  t.equal(isJournal({ JOURNAL_STREAM: `${dev}:${ino + 1}` }, fd), false, 'it was redirected');
  t.equal(isJournal({}, fd), false);
});

t.test('each kind has an id of its own, a row of the page and an explanation', async (t) => {
  const ids = Object.entries(MESSAGE_IDS);
  t.equal(new Set(Object.values(MESSAGE_IDS)).size, ids.length);
  for (const [kind, id] of ids) t.match(id, /^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/, kind);
  const rows = [...textOf('docs/use/monitoring.md').matchAll(/^\| `([A-Z_]+)` \| `([0-9a-f]{32})` \|/gm)];
  t.strictSame(
    rows.map(([, kind, id]) => [kind, id]),
    ids,
    'the page',
  );
  const catalog = [
    ...textOf('systemd/stellwerk.catalog').matchAll(/^-- (\w+)\nSubject: .+\nDefined-By: stellwerk\n\n\S/gm),
  ];
  t.strictSame(
    catalog.map(([, id]) => id),
    ids.map(([, id]) => id),
    'the catalog',
  );
  t.match(textOf('systemd/note-rollback.sh'), `  ${MESSAGE_IDS.UPDATE_ROLLED_BACK} "$1"`);
});

const skipCatalog = hasProgram('journalctl') ? false : 'journalctl is not installed';
t.test('journalctl reads the catalog', { skip: skipCatalog }, async (t) => {
  const root = await tempDirectory(t);
  const directory = join(root, 'usr/lib/systemd/catalog');
  mkdirSync(directory, { recursive: true });
  mkdirSync(join(root, 'var/lib/systemd/catalog'), { recursive: true });
  execFileSync('cp', [join(PACKAGE_ROOT, 'systemd/stellwerk.catalog'), directory]);
  execFileSync('journalctl', [`--root=${root}`, '--update-catalog'], { stdio: 'ignore' });
  const listed = execFileSync('journalctl', [`--root=${root}`, '--list-catalog'], { encoding: 'utf8' });
  for (const [kind, id] of Object.entries(MESSAGE_IDS)) t.match(listed, `${id} stellwerk: `, kind);
});
