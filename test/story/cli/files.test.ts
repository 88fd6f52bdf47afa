import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { verifyPassword } from '../../../src/base/credentials/password-hash.js';
import { loadConfig } from '../../../src/config/load.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { BIN, SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { hasProgram } from '../../tools/program.js';
import { addressOf, runCli, runOnTerminal } from '../../tools/gateway/run-cli.js';

t.test(
  'setup writes a configuration that the printed password opens, and never prints it again',
  async (t) => {
    const file = join(await tempDirectory(t), 'new', 'gateway.yaml');
    const { code, stdout, stderr } = await runCli([
      'setup',
      '--config',
      file,
      '--username',
      'me@home',
      '--board',
      'simulated',
    ]);
    t.strictSame([code, stderr], [0, '']);
    const [, password = ''] = /^password: (\S+) /m.exec(stdout) ?? [];
    t.match(stdout, /^name: me@home\n[^]*board: simulated \(Simulated board\)\n.*is written/);
    t.equal(statSync(file).mode & 0o777, 0o600);
    const { config } = await loadConfig(file);
    t.equal(config.remoteAccess?.username, 'me@home');
    t.ok(await verifyPassword(password, config.remoteAccess?.passwordHash ?? ''));
    t.notMatch(readFileSync(file, 'utf8'), password, 'the file contains its hash');
    const before = readFileSync(file, 'utf8');
    t.match(await runCli(['setup', '--config', file]), {
      code: 1,
      stdout: '',
      stderr: /left as it is.*hash-password/,
    });
    t.equal(readFileSync(file, 'utf8'), before);
    t.match(await runCli(['check', file]), { code: 0, stdout: /: fine\n$/, stderr: '' });

    const fixture = await startGateway(t, readFileSync(file, 'utf8').replace('port: 3777', 'port: 0'));
    const url = `http://me%40home:${password}@127.0.0.1:${fixture.port}/api/`;
    t.match(await runCli(['call', '--url', url, 'SVC_GetKernelRunlevel']), { code: 0, stdout: '10103\n' });
  },
);

t.test('setup adds to an existing configuration, and rejects invalid input', async (t) => {
  const directory = await tempDirectory(t);
  const file = join(directory, 'gateway.yaml');
  const installed = readFileSync(join(BIN, '..', '..', 'systemd', 'gateway.yaml'), 'utf8');
  writeFileSync(file, installed);
  const setup = (...args: string[]) => runCli(['setup', '--config', file, ...args]);
  const rejected: [string[], number, RegExp][] = [
    [['--username', 'webfront'], 1, /remoteAccess\.username: webfront is the user name of the web fronts/],
    [['--username', 'owner@example.org'], 1, /remoteAccess\.username: this value is from the public sample/],
    [['--board', 'raspberry-pi4'], 1, /no board raspberry-pi4; did you mean raspberry-pi-4\?/],
  ];
  for (const [args, code, why] of rejected) t.match(await setup(...args), { code, stdout: '', stderr: why });
  t.equal(readFileSync(file, 'utf8'), installed, 'nothing was written');
  t.equal((await setup()).code, 0);
  t.ok(readFileSync(file, 'utf8').startsWith(installed), 'the existing entries are kept');
  t.match((await loadConfig(file)).config, { api: { port: 3777 }, remoteAccess: { username: 'owner' } });
  t.same(readdirSync(directory), ['gateway.yaml']);
  writeFileSync(file, 'bord: x\n');
  t.match(await setup(), {
    code: 78,
    stderr: /gateway\.yaml:1:1: bord: there is no such key; did you mean board/,
  });
});

t.test(
  'check reports file, line and key of each error, and warns about what is probably unintended',
  async (t) => {
    const directory = await tempDirectory(t);
    const file = join(directory, 'gateway.yaml');
    const check = (text: string, ...args: string[]) => {
      writeFileSync(file, text);
      return runCli(['check', ...(args.length > 0 ? args : [file])]);
    };
    t.match(await check(SIMULATED_CONFIG.replace('port: 0', 'port: 1') + SAMPLE_TREE), {
      code: 0,
      stdout: `${file}: fine\n`,
      stderr: '',
    });
    t.match(await check(`board: simulated\n${SAMPLE_TREE}`, '--config', file), {
      code: 0,
      stderr: /warning: remoteAccess: /,
    });
    const closed =
      'tree:\n  - { category: A, ident: a, children: [{ instance: B, ident: b, module: Relay, properties: { Line: 7, MinOnS: 2, MaxOnS: 1 } }] }\n';
    t.match(await check(SIMULATED_CONFIG + closed), {
      code: 78,
      stdout: `${file}: 1 error\n`,
      stderr: /:5:112: .*MinOnS: the instance stays closed: MinOnS is longer than MaxOnS/,
    });
    t.match(await check(SIMULATED_CONFIG + closed, '--start', file), {
      code: 0,
      stderr: /MinOnS: the instance stays/,
    });
    t.match(await check('bord: x\n', '--start', file), {
      code: 78,
      stderr: /1:1: bord: there is no such key/,
    });
    const { code, stdout, stderr } = await check(
      `${SIMULATED_CONFIG}log: { levle: info }\ntree:\n  - { instance: A, ident: a, module: GPIO Inputt }\n`,
    );
    t.strictSame([code, stdout], [78, `${file}: 2 errors\n`]);
    t.match(stderr, `${file}:4:8: log.levle: there is no such key; did you mean level?`);
    t.match(stderr, `${file}:6:38: tree[0].module: there is no module GPIO Inputt; did you mean GPIO Input?`);
    const open =
      'board: auto\nremoteAccess: { username: a, password: secret-word }\napi: { host: 0.0.0.0, insecure: true }\n';
    chmodSync(file, 0o644);
    const warned = await check(open);
    t.equal(warned.code, 0);
    for (const what of [/board: no board file matches this machine/, /unencrypted to 0\.0\.0\.0/, /chmod o=/])
      t.match(warned.stderr, what);
    t.match(await runCli(['check', join(directory, 'none')]), {
      code: 78,
      stderr: /none:1:1: cannot be read/,
    });
  },
);

t.test('a backup of a running gateway restored on an empty machine gives the same gateway', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  await rpc(fixture, 'SVC_SetName', setpoint, 'Kept');
  const data = join(fixture.directory, 'data');
  const config = join(fixture.directory, 'gateway.yaml');
  const file = join(await tempDirectory(t), 'house.db');
  const backup = await runCli(['backup', '--data', data, '--config', config, file]);
  t.match(backup, {
    code: 0,
    stdout: /^.*house\.db: \d+ bytes, from .*, with .*gateway\.yaml\n$/,
    stderr: '',
  });
  t.equal(statSync(file).mode & 0o777, 0o600);
  const forgotten = ['backup', '--data', data, '--config', `${config}.old`, `${file}.2`];
  t.match(await runCli(forgotten), { code: 64, stderr: /no file .*gateway\.yaml\.old/ });
  t.match(await runCli(['backup', '--data', data, file]), {
    code: 1,
    stderr: /house\.db already exists/,
  });
  t.match(await runCli(['backup', '--data', file, `${file}.2`]), { code: 1, stderr: /no database in/ });
  t.match(await runCli(['restore', '--data', data, '--replace', file]), {
    code: 1,
    stderr: /in use by another gateway; stop/,
  });

  const box = await tempDirectory(t);
  const there = ['restore', '--data', join(box, 'data'), '--config', join(box, 'gateway.yaml'), file];
  t.match(await runCli(there), {
    code: 0,
    stdout: /stellwerk\.db from house\.db\n.*gateway\.yaml\n$/,
    stderr: '',
  });
  t.match(await runCli(there), { code: 1, stderr: /would be replaced; add --replace/ });
  const second = await startGateway(t, undefined, { directory: box });
  t.equal(await rpc(second, 'SVC_GetName', setpoint), 'Kept');
});

t.test('restore latest uses the newest valid automatic backup', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const data = join(fixture.directory, 'data');
  t.match(await runCli(['restore', '--data', data, 'latest']), {
    code: 1,
    stderr: /no intact backup in .*backups/,
  });
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  await rpc(fixture, 'SVC_SetName', setpoint, 'Old');
  const { file } = await fixture.gateway.backup();
  await rpc(fixture, 'SVC_SetName', setpoint, 'New');
  await fixture.gateway.close();
  writeFileSync(join(data, 'backups', 'backup-000009-2026-01-01T00-00-00Z-daily.db'), 'damaged');
  const restored = await runCli(['restore', '--data', data, '--replace', 'latest']);
  t.match(restored, {
    code: 0,
    stdout: new RegExp(`stellwerk\\.db from ${file}`),
    stderr: /skipped: backup-000009/,
  });
  t.match(restored.stdout, /stellwerk\.db is kept as stellwerk\.db\.replaced-/);
  const again = await startGateway(t, undefined, { directory: fixture.directory });
  t.equal(await rpc(again, 'SVC_GetName', setpoint), 'Old');
});

const asRoot = { skip: process.getuid?.() !== 0 && 'only root changes the owner of files' };

t.test('the service’s user can use what root sets up and restores', asRoot, async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const file = join(await tempDirectory(t), 'house.db');
  const config = join(fixture.directory, 'gateway.yaml');
  await runCli(['backup', '--data', join(fixture.directory, 'data'), '--config', config, file]);
  const box = await tempDirectory(t);
  const [etc, data] = [join(box, 'etc'), join(box, 'data')];
  for (const path of [etc, data]) mkdirSync(path);
  chmodSync(etc, 0o750);
  chownSync(etc, 0, 12_345);
  chownSync(data, 12_345, 12_345);
  const place = ['--data', data, '--config', join(etc, 'gateway.yaml')];
  t.equal((await runCli(['restore', ...place, file])).code, 0);
  t.equal((await runCli(['setup', '--config', join(etc, 'second.yaml')])).code, 0);
  for (const name of ['gateway.yaml', 'second.yaml']) {
    const { uid, gid, mode } = statSync(join(etc, name));
    t.strictSame([uid, gid, mode & 0o777], [0, 12_345, 0o640], name);
  }
  for (const name of readdirSync(data)) t.equal(statSync(join(data, name)).uid, 12_345, name);
  t.ok(existsSync(join(data, 'stellwerk.db')));
  const lock = join(data, 'stellwerk.lock');
  rmSync(lock);
  t.match(await runCli(['restore', ...place, file]), { code: 1, stderr: /add --replace/ });
  t.equal(statSync(lock).uid, 12_345, 'also after a failure');
  writeFileSync(join(data, 'foreign'), '');
  t.match(await runCli(['restore', ...place, join(box, 'missing.db')]), { code: 1 });
  t.equal(statSync(join(data, 'foreign')).uid, 0, 'a failure changes nothing else');
});

t.test(
  'without a claim code, setup says why',
  { skip: existsSync('/run/stellwerk') && 'a gateway is installed on this machine' },
  async (t) => {
    t.match(await runCli(['setup', '--claim']), {
      code: 1,
      stdout: '',
      stderr:
        /^stellwerk setup: there is no claim code: the owner has a password already, or the gateway does not run/,
    });
  },
);

t.test('hash-password reads the password from stdin', async (t) => {
  const { code, stdout } = await runCli(['hash-password'], { input: 'pässword 1\n' });
  t.equal(code, 0);
  t.ok(await verifyPassword('pässword 1', stdout.trim()));
  t.match(await runCli(['hash-password']), { code: 64, stderr: /stdin is empty/ });
  t.match(await runCli(['hash-password'], { input: 'short\n' }), {
    code: 1,
    stdout: '',
    stderr: /at least 8 characters/,
  });
});

const onTerminal = { skip: !hasProgram('script') && 'the program "script" (bsdutils) is not installed' };

t.test('on a terminal passwords are prompted for, new ones twice, without echo', onTerminal, async (t) => {
  const hashed = await runOnTerminal(`${BIN} hash-password`, [
    [/Password: $/, 'new password'],
    [/Repeat it: $/, 'new password'],
  ]);
  t.equal(hashed.code, 0);
  t.notMatch(hashed.output, 'new password');
  t.ok(await verifyPassword('new password', /scrypt\S+/.exec(hashed.output)?.[0] ?? ''));
  const other = await runOnTerminal(`${BIN} hash-password`, [
    [/Password: $/, 'new password'],
    [/Repeat it: $/, 'old password'],
  ]);
  t.equal(other.code, 1);
  t.match(other.output, /the passwords differ/);
  const file = join(await tempDirectory(t), 'gateway.yaml');
  const setup = await runOnTerminal(`${BIN} setup --config ${file}`, [
    [/Name \[owner\]: /, ''],
    [/Password: $/, 'new password'],
    [/Repeat it: $/, 'new password'],
  ]);
  t.equal(setup.code, 0);
  t.notMatch(setup.output, /new password|shown this once/);
  const { config } = await loadConfig(file);
  t.ok(await verifyPassword('new password', config.remoteAccess?.passwordHash ?? ''));
  const fixture = await startGateway(t, readFileSync(file, 'utf8').replace('port: 3777', 'port: 0'));
  const url = addressOf(fixture).replace(/\/\/.*@/, '//owner@');
  const called = await runOnTerminal(`${BIN} call --url ${url} SVC_GetKernelRunlevel`, [
    [/Password of owner: $/, 'new password'],
  ]);
  t.match(called, { code: 0, output: /\n10103/ });
});
