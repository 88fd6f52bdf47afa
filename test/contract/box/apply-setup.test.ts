/** What a box takes from box-setup.txt at its start, and creates by itself; with scripts in the place of the system. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  const write = (path: string, content: string) => {
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
  const env = { ...process.env, ROOT: root, PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}` };
  const start = () => execFileSync(join(PROGRAMS, 'apply-setup'), { env, stdio: 'pipe' });
  return { write, read, start };
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
