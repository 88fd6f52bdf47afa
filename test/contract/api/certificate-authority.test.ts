import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { CertificateAuthority, type MachineNames } from '../../../src/api/http/certificate-authority.js';
import type { LoadedTls } from '../../../src/api/http/tls.js';
import { createCertificate } from '../../../src/api/http/x509.js';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const DAY_MS = 86_400_000;
const BOX: MachineNames = { host: 'box', addresses: ['192.168.1.20', '127.0.0.1', 'fd00::20'] };

/** An authority on this machine, whose names may change. */
async function authorityIn(t: Test, directory?: string, clock = new ManualClock(Date.now())) {
  const place = directory ?? join(await tempDirectory(t), 'tls');
  const machine = { names: BOX };
  const authority = new CertificateAuthority(
    { directory: place, clock, log: silentLog },
    () => machine.names,
  );
  return { directory: place, clock, machine, authority };
}

/** The error with which a client that trusts only `ca` rejects a server; '' if it trusts it. */
async function handshake({ cert, key }: LoadedTls, servername: string, ca: string): Promise<string> {
  const server = createServer({ cert, key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  let client: TLSSocket | undefined;
  const said = await new Promise<string>((resolve) => {
    server.on('tlsClientError', () => undefined);
    client = connect({ port, host: '127.0.0.1', servername, ca }, () => resolve(''));
    client.on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}: ${error.message}`));
  });
  client?.destroy();
  await new Promise((resolve) => server.close(resolve));
  return said;
}

t.test('a client that trusts the authority accepts its certificates, and no others', async (t) => {
  const { authority } = await authorityIn(t);
  const tls = await authority.issue(['gateway.fritz.box', '*.example.org', 'box.example.org']);
  const { pem = '', fingerprint, name } = authority.certificate ?? {};
  t.equal(name, 'stellwerk CA box');
  t.equal(fingerprint, new X509Certificate(pem).fingerprint256);
  t.equal(await handshake(tls, 'box.local', pem), '');
  t.equal(await handshake(tls, 'gateway.fritz.box', pem), '');
  t.match(await handshake(tls, 'box.example.org', pem), /^ERR_TLS_CERT_ALTNAME_INVALID/, 'not permitted');
  const other = (await authorityIn(t)).authority;
  await other.issue([]);
  t.match(await handshake(tls, 'box.local', other.certificate?.pem ?? ''), /^SELF_SIGNED_CERT_IN_CHAIN/);
});

t.test('whoever has the key of the authority cannot pretend to be a site of the internet', async (t) => {
  const { authority, directory } = await authorityIn(t);
  await authority.issue([]);
  const issuer = {
    certificate: authority.certificate?.pem ?? '',
    key: await readFile(join(directory, 'ca-key.pem'), 'utf8'),
  };
  const [from, until] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)];
  const forged = (name: string, by = issuer) => {
    const made = createCertificate({ subject: name, names: [name], from, until, issuer: by });
    return { cert: made.certificate + by.certificate, key: made.key, names: [name], untilMs: 0 };
  };
  t.equal(await handshake(forged('tv.local'), 'tv.local', issuer.certificate), '');
  t.match(
    await handshake(forged('bank.example'), 'bank.example', issuer.certificate),
    /permitted subtree violation/,
  );
  const below = createCertificate({ subject: 'below', permitted: ['bank.local'], from, until, issuer });
  const chain = forged('bank.local', { ...below, certificate: below.certificate + issuer.certificate });
  t.match(await handshake(chain, 'bank.local', issuer.certificate), /^PATH_LENGTH_EXCEEDED/);
});

t.test(
  'the certificate has the machine’s names, ends within 398 days, and its keys are private',
  async (t) => {
    const { authority, directory } = await authorityIn(t);
    const { cert } = await authority.issue([]);
    const leaf = new X509Certificate(cert);
    for (const address of BOX.addresses) t.equal(leaf.checkIP(address), address);
    t.match(leaf.subjectAltName, /DNS:box, DNS:box\.local, DNS:localhost/);
    t.equal(Date.parse(leaf.validTo) - Date.parse(leaf.validFrom), 397 * DAY_MS);
    const ca = new X509Certificate(authority.certificate?.pem ?? '');
    t.ok(ca.ca && ca.verify(ca.publicKey));
    const years = (Date.parse(ca.validTo) - Date.now()) / DAY_MS / 365;
    t.ok(years > 19 && years < 21, `${years} years`);
    for (const name of ['ca-key.pem', 'ca-cert.pem', 'auto-key.pem', 'auto-cert.pem'])
      t.equal((await stat(join(directory, name))).mode & 0o777, 0o600, name);
  },
);

t.test('the authority stays, and a certificate is renewed before it ends or for a new name', async (t) => {
  const first = await authorityIn(t);
  const issued = await first.authority.issue([]);
  const again = await authorityIn(t, first.directory, first.clock);
  t.equal((await again.authority.issue([])).cert, issued.cert, 'after a restart');
  t.notOk(again.authority.isRenewalDue());
  again.clock.stepWallClock(367 * DAY_MS);
  t.ok(again.authority.isRenewalDue(), '30 days before its end');
  const second = await again.authority.issue([]);
  t.not(second.cert, issued.cert);
  t.notOk(again.authority.isRenewalDue());
  again.machine.names = { host: 'box', addresses: ['192.168.1.20', '192.168.1.99'] };
  t.ok(again.authority.isRenewalDue(), 'another address');
  t.equal(
    new X509Certificate((await again.authority.issue([])).cert).checkIP('192.168.1.99'),
    '192.168.1.99',
  );
  again.machine.names = { host: 'kitchen.local', addresses: ['192.168.1.20'] };
  const renamed = await again.authority.issue([]);
  t.strictSame(renamed.names, ['kitchen.local', 'localhost'], 'the bare new name is not permitted');
  t.notOk(again.authority.isRenewalDue());
  t.equal(again.authority.certificate?.fingerprint, first.authority.certificate?.fingerprint);
});

t.test('a certificate made with a wrong clock is valid when the time is known', async (t) => {
  const real = Date.now();
  for (const year of [1970, 2000, 2099]) {
    const clock = new ManualClock(Date.UTC(year, 0, 2));
    clock.hasTrustedTime = false;
    const { authority, directory } = await authorityIn(t, undefined, clock);
    const early = await authority.issue([]);
    t.notOk(authority.isRenewalDue(), `${year}: as long as the time is not known`);
    const again = (await authorityIn(t, directory, clock)).authority;
    t.equal((await again.issue([])).cert, early.cert, 'a restart in the meantime');
    clock.stepWallClock(real - clock.nowMs());
    clock.hasTrustedTime = true;
    // One from 31 December 2025 is good for 397 days, and renewed 30 days before its end.
    t.equal(again.isRenewalDue(), year === 2099 || real >= Date.UTC(2027, 0, 2));
    const { cert } = await again.issue([]);
    const [leaf, ca] = [new X509Certificate(cert), new X509Certificate(again.certificate?.pem ?? '')];
    t.equal(again.certificate?.fingerprint, authority.certificate?.fingerprint, 'the authority stays');
    for (const { validFrom, validTo } of [leaf, ca])
      t.ok(Date.parse(validFrom) <= real && Date.parse(validTo) > real, `${year}: ${validFrom} ${validTo}`);
  }
});

t.test('a clock that was set back does not discard a certificate', async (t) => {
  const { directory, authority } = await authorityIn(t);
  const { cert } = await authority.issue([]);
  const clock = new ManualClock(0);
  clock.hasTrustedTime = false;
  t.equal((await (await authorityIn(t, directory, clock)).authority.issue([])).cert, cert);
});

t.test('a self-signed certificate of an earlier version is replaced by one of the authority', async (t) => {
  const { directory, authority } = await authorityIn(t);
  await mkdir(directory);
  const [from, until] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + 800 * DAY_MS)];
  const old = createCertificate({ subject: 'box', names: ['box', 'box.local', 'localhost'], from, until });
  await writeFile(join(directory, 'auto-cert.pem'), old.certificate);
  await writeFile(join(directory, 'auto-key.pem'), old.key);
  const tls = await authority.issue([]);
  const stored = await readFile(join(directory, 'auto-cert.pem'), 'utf8');
  t.equal(stored, tls.cert);
  t.equal(await handshake(tls, 'box.local', stored), '', 'who trusts this file by its path goes on');
  t.match(
    await handshake(tls, 'box.local', old.certificate),
    /^SELF_SIGNED_CERT_IN_CHAIN/,
    'a copy does not',
  );
});

t.test('a damaged authority is replaced; what cannot be stored is used until the end', async (t) => {
  const { directory, authority } = await authorityIn(t);
  await authority.issue([]);
  await writeFile(join(directory, 'ca-key.pem'), 'damaged');
  const next = (await authorityIn(t, directory)).authority;
  const tls = await next.issue([]);
  t.not(next.certificate?.fingerprint, authority.certificate?.fingerprint);
  t.equal(await handshake(tls, 'localhost', next.certificate?.pem ?? ''), '');
  const file = join(await tempDirectory(t), 'file');
  await writeFile(file, 'no directory');
  const { authority: inMemory, machine } = await authorityIn(t, file);
  await inMemory.issue([]);
  const { fingerprint } = inMemory.certificate ?? {};
  machine.names = { host: 'box', addresses: ['10.0.0.1'] };
  t.equal(new X509Certificate((await inMemory.issue([])).cert).checkIP('10.0.0.1'), '10.0.0.1');
  t.equal(inMemory.certificate?.fingerprint, fingerprint);
});

t.test('an authority whose files cannot be read is not replaced', async (t) => {
  const first = await authorityIn(t);
  const { directory, clock } = first;
  const issued = await first.authority.issue([]);
  const { fingerprint } = first.authority.certificate ?? {};
  const stored = () => Promise.all(['ca-cert', 'auto-cert'].map((name) => readFile(pathOf(name), 'utf8')));
  const pathOf = (name: string) => join(directory, `${name}.pem`);
  const before = await stored();
  for (const isLost of [true, false]) {
    await rename(pathOf('ca-key'), pathOf('kept'));
    if (!isLost) await mkdir(pathOf('ca-key'));
    const { authority } = await authorityIn(t, directory, clock);
    t.equal((await authority.issue([])).cert, issued.cert, 'its certificate for the listeners is in use');
    const other = await authority.issue(['kitchen.local']);
    t.not(other.cert, issued.cert, 'a temporary authority signs another one');
    t.strictSame(await stored(), before);
    t.equal(authority.certificate, undefined, 'nobody can install the temporary authority');
    t.ok(authority.isRenewalDue(), 'to be tried again');
    t.equal((await authority.issue()).cert, other.cert, 'until then, it stays');
    if (!isLost) await rmdir(pathOf('ca-key'));
    await rename(pathOf('kept'), pathOf('ca-key'));
    t.equal(await handshake(await authority.issue([]), 'box.local', before[0] ?? ''), '');
    t.equal(authority.certificate?.fingerprint, fingerprint);
    t.notOk(authority.isRenewalDue());
    await writeFile(pathOf('auto-cert'), before[1] ?? '');
    await writeFile(pathOf('auto-key'), issued.key);
  }
  await rm(pathOf('ca-cert'));
  const { authority } = await authorityIn(t, directory, clock);
  await authority.issue([]);
  t.not(authority.certificate?.fingerprint ?? fingerprint, fingerprint, 'deleted, to have a new one');
});
