/** What a box takes from box-setup.txt at its start, and creates by itself; with scripts in the place of the system. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { BIN } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const BOX = 'usr/lib/stellwerk-box';
const PROGRAMS = join(PACKAGE_ROOT, 'box/image/overlay', BOX);
const HOST_KEY = 'etc/ssh/keys/ssh_host_ed25519_key';

/** A new box; `start` runs the script on it. */
async function newBox(t: Test) {
  const root = await tempDirectory(t);
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content, { mode: 0o755 });
  };
  const read = (path: string) =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
  for (const path of ['data/box/.keep', 'etc/ssh/keys/.keep', 'etc/systemd/network/.keep']) write(path, '');
  write('etc/machine-id', '0123456789abcdef\n');
  write('etc/stellwerk/gateway.yaml', 'api: { host: 127.0.0.1, port: 3777 }\n');
  cpSync(join(PROGRAMS, 'apply-network'), join(root, BOX, 'apply-network'));
  for (const name of ['mountpoint', 'mount', 'umount', 'chown', 'systemctl'])
    write(`bin/${name}`, '#!/bin/sh\n');
  write('bin/stellwerk', `#!/bin/sh\nexec ${BIN} "$@"\n`);
  write('bin/hostname', `#!/bin/sh\n[ $# = 0 ] && cat ${root}/name || echo "$1" >${root}/name\n`);
  // As ssh-keygen, it does not overwrite a file.
  write(
    'bin/ssh-keygen',
    '#!/bin/sh\nfor file; do :; done\n[ ! -e "$file" ] || exit 1\necho private >"$file"\necho public >"$file.pub"\n',
  );
  // The locale that systemd gives to services.
  const env = {
    ...process.env,
    LC_ALL: 'C.UTF-8',
    ROOT: root,
    PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}`,
  };
  const start = () => execFileSync(join(PROGRAMS, 'apply-setup'), { env, stdio: 'pipe' });
  const list = (path: string) => readdirSync(join(root, path));
  return { write, read, list, start };
}

t.test('a new box has a name and an SSH host key, which later starts keep', async (t) => {
  const { write, read, start } = await newBox(t);
  start();
  t.equal(read('etc/hostname'), 'stellwerk-012345\n');
  t.strictSame([read(HOST_KEY), read(`${HOST_KEY}.pub`)], ['private\n', 'public\n']);
  write(HOST_KEY, 'the first one\n');
  start();
  t.equal(read(HOST_KEY), 'the first one\n');
});

t.test('an SSH host key that a power cut has left empty or incomplete is created again', async (t) => {
  const { write, read, start } = await newBox(t);
  write(HOST_KEY, '');
  write(HOST_KEY.replace('ssh_host', 'new/ssh_host'), 'priv');
  start();
  t.strictSame([read(HOST_KEY), read(`${HOST_KEY}.pub`)], ['private\n', 'public\n']);
  t.equal(read(HOST_KEY.replace('ssh_host', 'new/ssh_host')), undefined);
});

const CARD = 'run/box/boot.d';

t.test('box-setup.txt may have what editors of other systems write, and spaces', async (t) => {
  const { write, read, start } = await newBox(t);
  const lines = [
    'hostname=house-1',
    ' ssh_key = ssh-ed25519 AAAA me@pc ',
    'address = 192.168.1.20/24',
    '\twifi_name=My home',
    'wifi_password = secret wifi',
    'wifi_country=DE',
    'language = de',
    'password = correct horse',
  ];
  write(`${CARD}/box-setup.txt`, `\uFEFF${lines.join('\r\n')}\r\n`);
  start();
  t.equal(read('etc/hostname'), 'house-1\n');
  t.equal(read('data/box/authorized_keys'), 'ssh-ed25519 AAAA me@pc\n');
  t.match(read('etc/systemd/network/50-setup.network'), 'Address=192.168.1.20/24\n');
  t.match(read('etc/systemd/network/wifi.conf'), `ssid=${Buffer.from('My home').toString('hex')}\n`);
  t.match(read('etc/stellwerk/gateway.yaml'), /language: de[^]*remoteAccess:/);
  t.equal(read(`${CARD}/box-setup.txt`), undefined);
  const done = read(`${CARD}/box-setup.done`) ?? '';
  t.match(done, /hostname=house-1[^]*# password= \(removed after use\)/);
  t.notMatch(done, /not applied|correct horse|secret wifi/);
});

t.test(
  'a gateway that has an owner through its page keeps its settings, and unknown keys are named',
  async (t) => {
    const { write, read, start } = await newBox(t);
    const before = read('etc/stellwerk/gateway.yaml');
    write('var/lib/stellwerk/gateway.yaml', 'remoteAccess: { username: owner, passwordHash: x }\n');
    write(`${CARD}/box-setup.txt`, 'hostname=house-2\npassword=correct horse\n');
    start();
    t.equal(read('etc/stellwerk/gateway.yaml'), before);
    t.equal(read('etc/hostname'), 'house-2\n');
    t.equal(read(`${CARD}/box-setup.done`), 'hostname=house-2\n# password= (removed after use)\n');
    write(`${CARD}/box-setup.txt`, 'hostnam=house-3');
    start();
    t.match(read(`${CARD}/box-setup.done`), /# not applied completely: .*line 1: there is no such key/);
    t.equal(read('run/box/checked.yaml'), undefined);
  },
);

t.test('after a factory reset, box-setup.txt may set the password of the new owner', async (t) => {
  const { write, read, list, start } = await newBox(t);
  const installed = 'remoteAccess: { username: before, passwordHash: x }\n';
  write('etc/stellwerk/gateway.yaml', installed);
  write('var/lib/stellwerk/gateway.yaml', '# kept\napi: { host: 127.0.0.1, port: 3777 }\n');
  write(`${CARD}/box-setup.txt`, 'username=next\npassword=correct horse\n');
  start();
  t.match(read('var/lib/stellwerk/gateway.yaml'), /^# kept\napi: [^]*username: next\n +passwordHash: /);
  t.equal(read('etc/stellwerk/gateway.yaml'), installed, 'which does not count');
  t.equal(read(`${CARD}/box-setup.done`), 'username=next\n# password= (removed after use)\n');
  const before = read('var/lib/stellwerk/gateway.yaml');
  write(`${CARD}/box-setup.txt`, 'password=another horse\n');
  start();
  t.equal(read('var/lib/stellwerk/gateway.yaml'), before, 'there is an owner now');
  t.strictSame(list('var/lib/stellwerk'), ['gateway.yaml']);
});

t.test('each type of key that OpenSSH has may log in, and others are named', async (t) => {
  const { write, read, start } = await newBox(t);
  const keys = [
    'ssh-ed25519 AAAA me@pc',
    'sk-ssh-ed25519@openssh.com AAAA stick',
    'sk-ecdsa-sha2-nistp256@openssh.com AAAA stick',
    'ecdsa-sha2-nistp384 AAAA',
  ];
  const lines = [...keys, '', 'ssh-dss AAAA old'].map((key) => `ssh_key=${key}\n`);
  write(`${CARD}/box-setup.txt`, lines.join(''));
  start();
  t.equal(read('data/box/authorized_keys'), `${keys.join('\n')}\n`);
  const notes = read(`${CARD}/box-setup.done`)?.slice(lines.join('').length);
  t.equal(notes, '# ssh_key not applied: ssh-dss AAAA old\n');
  write(`${CARD}/box-setup.txt`, Buffer.from('ssh_key=ssh-ed25519 AAAA b\xfcro\n', 'latin1'));
  start();
  t.match(read('data/box/authorized_keys'), /^ssh-ed25519 AAAA b/);
});

t.test('a password in a line that is not valid is removed from the card, too', async (t) => {
  const { write, read, start } = await newBox(t);
  const lines = [
    'Password=SECRET',
    ' password : SECRET',
    'WIFI_PASSWORD=SECRET',
    'wifi-password SECRET',
    'password=\xe4SECRET',
  ];
  write(`${CARD}/box-setup.txt`, Buffer.from(`hostname=house-1\n${lines.join('\n')}\n`, 'latin1'));
  start();
  const done = read(`${CARD}/box-setup.done`) ?? '';
  t.match(done, /^hostname=house-1\n(?:# .* \(removed after use\)\n){5}# not applied completely: .*line 2: /);
  t.notMatch(done, /SECRET/);
});
