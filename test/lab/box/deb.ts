/**
 * The Debian package on a machine of a user: installed and updated by apt from a signed repository, rolled
 * back when a version does not become healthy, removed, and purged.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { packageVersion } from '../../../src/service/system.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { ownDisk } from '../machine/box.js';
import { Machine } from '../machine/machine.js';
import { FROZEN, STICK_BYTES } from '../paths.js';

/** Each script: another user of the host makes the machine slow. */
const LIMIT_MS = 900_000;
/** The time in which an update must become healthy, s: an emulated machine needs ten times as long as a real one. */
const UPDATE_LIMIT_S = 600;
const SLOW_START = join(PACKAGE_ROOT, 'test/lab/box/overlay/etc/systemd/system/stellwerk.service.d/lab.conf');
const NEXT = '9.0.0';
const BROKEN = '9.1.0';
const CHIP_REPLY = '/run/stellwerk-chips/reply';
const CHIP_RULES = '/etc/udev/rules.d/61-stellwerk-chips.rules';
const KEY = 'packages@stellwerk.example';
const GATEWAY = 'systemctl show -P MainPID stellwerk.service';
const KEEPER = 'systemctl show -P MainPID stellwerk-keeper.service';

const host = promisify(execFile);
const started = performance.now();
const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
const current = packageVersion();
const work = await tempDirectory(t);

await using machine = await Machine.start({
  disk: await ownDisk(t),
  frozen: FROZEN.booted,
  stick: await stickWithRepository(),
});
const { agent } = machine;
// Takes a minute, while the machine works.
const lintian = hasProgram('lintian')
  ? host('lintian', [
      '--allow-root',
      '--fail-on',
      'none',
      join(work, `packages/stellwerk_${current}_arm64.deb`),
    ])
  : undefined;
// A frozen machine continues with the clock of its freezing, and the repository was signed after that.
await run(`date -s @${Math.ceil(Date.now() / 1000)}`);
// The machine was frozen with an empty stick, which is in its cache. The lists are copied, because a test changes them.
await run(`blockdev --flushbufs /dev/vdb && mkdir /srv/stick /srv/repository && mount -o ro /dev/vdb /srv/stick
cp -r /srv/stick/dists /srv/repository && ln -s /srv/stick/pool /srv/stick/stellwerk.gpg /srv/repository`);
await run('mkdir -p /etc/systemd/system/stellwerk.service.d');
await agent.copy(SLOW_START, '/etc/systemd/system/stellwerk.service.d');
// The machine was built without documents.
await run('rm -f /etc/dpkg/dpkg.cfg.d/99mmdebstrap');
await agent.put(
  '/etc/apt/sources.list',
  'deb [signed-by=/srv/repository/stellwerk.gpg] file:/srv/repository stable main\n',
);

await t.test('apt accepts the repository only as it was signed', async (t) => {
  const index = '/srv/repository/dists/stable/main/binary-arm64/Packages.xz';
  await run(`cp ${index} /root/index && echo >>${index}`);
  t.not((await agent.try('apt-get update -o APT::Update::Error-Mode=any', LIMIT_MS)).code, 0, 'changed');
  await run(`mv /root/index ${index} && apt-get update -o APT::Update::Error-Mode=any`);
});

await t.test('an installation starts the gateway, without a password and only on loopback', async (t) => {
  await apt(`install stellwerk=${current}`);
  t.comment(`installed after ${seconds()}`);
  t.equal(await version(), current);
  t.equal(await run('systemctl is-active stellwerk stellwerk-keeper'), 'active\nactive');
  t.equal(await run('stellwerk health --alive && dpkg -V stellwerk'), '');
  t.notMatch(await run('ss -Hltn'), /(0\.0\.0\.0|\*|\[::\]):3777/);
  t.match(await run('stellwerk --version; ls /usr/share/doc/stellwerk'), /copyright[^]*reference/);
});

await t.test('requests of the gateway to declare a chip are served', async (t) => {
  t.equal(await run('systemctl is-active stellwerk-chips.path'), 'active');
  await agent.put('/run/request', JSON.stringify({ id: '0123456789abcdef', device: 'tmp102@7-0048' }));
  await run('mv /run/request /run/stellwerk/chip-request');
  const reply = await run(`until [ -s ${CHIP_REPLY} ]; do sleep 1; done; cat ${CHIP_REPLY}`);
  t.match(JSON.parse(reply), { id: '0123456789abcdef', problem: { Code: 'SENSOR_NO_BUS' } });
});

await t.test('an update keeps configuration, data and the line keeper', async (t) => {
  await run('echo "# mine" >>/etc/stellwerk/gateway.yaml; echo mine >/var/lib/stellwerk/mine');
  const [gateway, keeper] = [await run(GATEWAY), await run(KEEPER)];
  await apt(`install stellwerk=${NEXT}`);
  t.equal(await version(), NEXT);
  t.not(await run(GATEWAY), gateway);
  t.equal(await run(KEEPER), keeper, 'its program did not change');
  t.match(await run('cat /etc/stellwerk/gateway.yaml /var/lib/stellwerk/mine'), /# mine\nmine$/);
  t.equal(await versions(), `package ${NEXT} ${current}`, 'the previous version is kept');
});

await t.test(
  'a version that does not become healthy is rolled back, and apt is in a sound state',
  async (t) => {
    const said = await apt(`install stellwerk=${BROKEN}`);
    t.match(said, `stellwerk: ${BROKEN} was rolled back: it did not become healthy`);
    t.equal(await version(), NEXT);
    t.equal(await run(`dpkg-query -W -f '\${Version} \${db:Status-Abbrev}' stellwerk`), `${BROKEN} ii`);
    await run('apt-get check && stellwerk health --alive');
    t.match(JSON.parse(await run('cat /var/lib/stellwerk-update/rolled-back')), {
      version: BROKEN,
      running: NEXT,
    });
    t.match(await run('journalctl -t stellwerk-update -o cat'), /was rolled back/);
  },
);

await t.test('errors in the configuration do not roll a version back', async (t) => {
  await run('echo "colour: blue" >>/etc/stellwerk/gateway.yaml; systemctl restart stellwerk || true');
  t.match(await apt(`install --allow-downgrades stellwerk=${current}`), /the configuration has errors/);
  t.equal(await version(), current);
  await run("sed -i '/colour/d' /etc/stellwerk/gateway.yaml; systemctl restart stellwerk");
});

await t.test('a service that was stopped stays stopped', async (t) => {
  await run('systemctl stop stellwerk');
  await apt(`install stellwerk=${NEXT}`);
  t.equal(await run('systemctl is-active stellwerk || true'), 'inactive');
  t.equal(await version(), NEXT);
  const note = await agent.try('ls /var/lib/stellwerk-update/rolled-back');
  t.equal(note.code, 2, 'the note was about an earlier update');
});

await t.test('a removal keeps configuration and data; a purge keeps the backups only', async (t) => {
  await run('systemctl start stellwerk && install -D /dev/null /var/lib/stellwerk/backups/yesterday.db');
  await run(`touch ${CHIP_RULES}`);
  await apt('remove stellwerk');
  t.equal(await run(`ls ${CHIP_RULES}`), CHIP_RULES);
  t.equal(await run('ls /usr/lib/stellwerk /usr/bin/stellwerk 2>/dev/null || true'), '');
  await apt(`install stellwerk=${NEXT}`);
  t.equal(
    await run('systemctl is-active stellwerk; systemctl is-enabled stellwerk'),
    'active\nenabled',
    'a new installation starts it again',
  );
  t.equal(await run('tail -n 1 /etc/stellwerk/gateway.yaml; cat /var/lib/stellwerk/mine'), '# mine\nmine');
  t.match(await apt('purge stellwerk'), /the backups are still in/);
  t.equal(
    await run("find /var/lib /etc -type f '(' -path '/var/lib/stellwerk*' -o -path '/etc/stellwerk*' ')'"),
    '/var/lib/stellwerk/backups/yesterday.db',
  );
  t.equal(await run(`ls ${CHIP_RULES} 2>/dev/null || true`), '');
  t.equal(await run('systemctl --failed --no-legend'), '');
});

await t.test(
  'lintian has no errors and no warnings',
  { skip: lintian === undefined ? 'lintian is not installed' : false },
  async (t) => t.equal((await lintian)?.stdout, ''),
);

/** Runs a script in the machine; returns its output. */
function run(script: string): Promise<string> {
  return agent.run(script, LIMIT_MS);
}

/** Runs apt-get, which asks nothing; returns what it says. */
function apt(what: string): Promise<string> {
  const options = '-y -q --no-install-recommends';
  const environment = `DEBIAN_FRONTEND=noninteractive STELLWERK_UPDATE_LIMIT=${UPDATE_LIMIT_S}`;
  return run(`${environment} apt-get ${options} ${what} 2>&1`);
}

/** The version that runs. */
function version(): Promise<string> {
  return run('readlink /usr/lib/stellwerk/current');
}

/** The installed versions. */
async function versions(): Promise<string> {
  const names = await run('cd /usr/lib/stellwerk && ls -d */ | grep -v current');
  return names.replaceAll('/', '').split('\n').sort().reverse().join(' ');
}

/** A memory stick with a signed repository of three versions; the last does not start. */
async function stickWithRepository(): Promise<string> {
  const bundle = join(work, 'bundle');
  const packages = join(work, 'packages');
  await mkdir(bundle);
  const tarball = join(PACKAGE_ROOT, `build/stellwerk-${current}-linux-arm64.tar.gz`);
  await host('tar', ['-C', bundle, '--strip-components=1', '-xzf', tarball]);
  await buildPackage(current);
  await buildPackage(NEXT);
  await writeFile(join(bundle, 'bin/node'), '#!/bin/sh\nexit 1\n');
  await buildPackage(BROKEN);
  const keyring = { ...process.env, GNUPGHOME: join(work, 'keyring'), SIGNING_KEY: KEY };
  await mkdir(keyring.GNUPGHOME, { mode: 0o700 });
  await host(
    'gpg',
    ['--batch', '--quiet', '--passphrase', '', '--quick-generate-key', KEY, 'ed25519', 'sign', 'never'],
    {
      env: keyring,
    },
  );
  const repository = join(work, 'repository');
  await host(join(PACKAGE_ROOT, 'box/apt/build-repository.sh'), [packages, repository], { env: keyring });
  const stick = join(work, 'stick.raw');
  await writeFile(stick, '');
  await truncate(stick, STICK_BYTES);
  await host('mke2fs', ['-q', '-t', 'ext4', '-O', '^has_journal', '-m', '0', '-d', repository, stick]);
  return stick;

  async function buildPackage(version: string): Promise<void> {
    const file = join(bundle, 'package.json');
    const facts = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...facts, version }, null, 2));
    const name = `stellwerk-${version}-linux-arm64`;
    await rm(join(work, name), { recursive: true, force: true });
    await cp(bundle, join(work, name), { recursive: true, verbatimSymlinks: true });
    await host('tar', ['-C', work, '-I', 'gzip -1', '-cf', `${join(work, name)}.tar.gz`, name]);
    // zstd takes a tenth of the time, here and in the machine; lintian checks a package as users get it.
    const [COMPRESSION, COMPRESSION_LEVEL] = version === current ? ['xz', '1'] : ['zstd', '3'];
    await host(join(PACKAGE_ROOT, 'box/deb/build.sh'), [`${join(work, name)}.tar.gz`, packages], {
      env: { ...process.env, COMPRESSION, COMPRESSION_LEVEL },
    });
  }
}
