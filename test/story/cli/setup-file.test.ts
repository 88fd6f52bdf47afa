import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { verifyPassword } from '../../../src/base/credentials/password-hash.js';
import { loadConfig } from '../../../src/config/load.js';
import { runCli } from '../../tools/gateway/run-cli.js';
import { startGateway, startGatewayProcess } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const PASSWORD = 'correct horse';

t.test('a set-up file sets owner, board and place, and its passwords are removed', async (t) => {
  const directory = await tempDirectory(t);
  const [from, file] = [join(directory, 'box-setup.txt'), join(directory, 'gateway.yaml')];
  const lines = [
    '# a box of many',
    'hostname=house-1',
    'language=de',
    'timezone=Asia/Tokyo',
    'username = anna',
    `password=${PASSWORD}`,
    'board=simulated',
    'latitude=52.52',
    'longitude=13.4',
    'wifi_password=secret wifi',
    '',
  ];
  // As editors of other systems write it.
  writeFileSync(from, `\uFEFF${lines.join('\r\n')}`);
  const { code, stdout, stderr } = await runCli(['setup', '--config', file, '--from', from]);
  t.equal(code, 0, stderr);
  t.notMatch(stdout + stderr, PASSWORD);
  const { config } = await loadConfig(file);
  t.match(config, {
    board: 'simulated',
    name: 'house-1',
    language: 'de',
    timeZone: 'Asia/Tokyo',
    remoteAccess: { username: 'anna' },
  });
  t.ok(await verifyPassword(PASSWORD, config.remoteAccess?.passwordHash ?? ''));
  const left = readFileSync(from, 'utf8');
  t.notMatch(left, new RegExp(`${PASSWORD}|secret wifi`));
  t.match(left, /hostname=house-1[^]*# password= \(removed after use\)/);

  const fixture = await startGateway(t, readFileSync(file, 'utf8').replace('port: 3777', 'port: 0'));
  const url = `http://anna:${encodeURIComponent(PASSWORD)}@127.0.0.1:${fixture.port}/api/`;
  const property = ['call', '--url', url, 'SVC_GetProperty', 'stellwerk/LC', 'Latitude'];
  t.match(await runCli(property), { code: 0, stdout: '52.52\n' });
});

t.test('a password after a byte order mark or any white space is removed', async (t) => {
  const directory = await tempDirectory(t);
  for (const [i, start] of ['\uFEFF', '\u00A0', '\t\uFEFF '].entries()) {
    const [from, file] = [join(directory, `setup-${i}.txt`), join(directory, `gateway-${i}.yaml`)];
    writeFileSync(from, `${start}password=${PASSWORD}\r\n${start}wifi_password =secret wifi\r\n`);
    t.match(await runCli(['setup', '--config', file, '--from', from]), { code: 0 });
    const { config } = await loadConfig(file);
    t.ok(await verifyPassword(PASSWORD, config.remoteAccess?.passwordHash ?? ''), 'it was set');
    t.notMatch(readFileSync(from, 'utf8'), new RegExp(`${PASSWORD}|secret wifi`));
  }
});

t.test('a set-up file with an error changes nothing', async (t) => {
  const directory = await tempDirectory(t);
  const [from, file] = [join(directory, 'box-setup.txt'), join(directory, 'gateway.yaml')];
  for (const [text, why] of [
    ['usrname=anna\n', /line 1: there is no such key; did you mean username\?/],
    ['password=short\n', /at least 8 characters/],
    ['latitude=north\n', /latitude must be a number/],
    ['board=none\n', /none/],
    ['latitude=52\n', /longitude must be a number/],
    ['hostname=my house\n', /letters, digits and hyphens/],
    ['language=fr\n', /one of: de, en/],
    ['timezone=Berlin\n', /such as Europe\/Berlin/],
  ] as const) {
    writeFileSync(from, text);
    const { code, stderr } = await runCli(['setup', '--config', file, '--from', from]);
    t.equal(code, 1, text);
    t.match(stderr, why);
    t.equal(readFileSync(from, 'utf8'), text, 'the file is as it was');
    t.throws(() => readFileSync(file), { code: 'ENOENT' });
  }
});

t.test('a set-up file without a password leaves the claim code, and the time zone applies', async (t) => {
  const directory = await tempDirectory(t);
  const [from, file] = [join(directory, 'box-setup.txt'), join(directory, 'gateway.yaml')];
  writeFileSync(from, 'hostname=house-1\ntimezone=Asia/Tokyo\nboard=simulated\n');
  writeFileSync(
    file,
    'api: { port: 0 }\ntree: [{ category: Gateway, ident: stellwerk }] # mine\nlanguage: en\n',
  );
  const { code, stdout, stderr } = await runCli(['setup', '--config', file, '--unclaimed', '--from', from]);
  t.equal(code, 0, stderr);
  t.match(stdout, /no owner yet/);
  t.notMatch(readFileSync(file, 'utf8'), /remoteAccess/);
  writeFileSync(from, 'password=correct horse\nlatitude=1\nlongitude=2\n');
  t.match(await runCli(['setup', '--config', file, '--unclaimed', '--from', from]), { code: 0 });
  const text = readFileSync(file, 'utf8');
  t.match(text, /# mine[^]*language: en/);
  t.match(text, /module: Location Control[^]*Latitude: 1\b/);
  t.match(await runCli(['setup', '--unclaimed']), { code: 64 });

  const { port } = await startGatewayProcess(t, directory);
  const url = `http://owner:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/api/`;
  const { stdout: snapshot } = await runCli(['call', '--url', url, 'SVC_GetSnapshot']);
  t.match(snapshot, /"timezone": *"Asia\/Tokyo"/);
});
