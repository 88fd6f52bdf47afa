/** Who can sign updates: signers of the authority that a box trusts, also after the authority was replaced. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const IMAGE = join(PACKAGE_ROOT, 'box/image');
const BOARD = 'generic-arm64';
const missing = ['rauc', 'mksquashfs', 'openssl'].filter((name) => !hasProgram(name));
const skip = missing.length === 0 ? false : `not installed: ${missing.join(', ')}`;
const directory = skip === false ? await tempDirectory(t) : '';
const slot = join(directory, 'slot.ext4');

/** Makes an authority with two signers, and returns its directory. */
function makeKeys(name: string): string {
  const keys = join(directory, name);
  execFileSync(join(IMAGE, 'make-keys.sh'), [keys]);
  return keys;
}

/** Makes an update that a signer has signed, and returns its file. */
function makeUpdate(keys: string, signer: string): string {
  const file = join(directory, `${signer}.raucb`);
  const key = [join(keys, `${signer}.key`), join(keys, `${signer}.pem`), join(keys, 'ca.pem')];
  execFileSync(join(IMAGE, 'update-bundle.sh'), [BOARD, slot, '1.0.0', ...key, file], { stdio: 'ignore' });
  return file;
}

/** What RAUC says about an update on a box with these trusted certificates: null if it accepts it. */
function rejection(trusted: string, update: string): string | null {
  const { status, stderr } = spawnSync('rauc', ['info', `--keyring=${trusted}`, update], {
    encoding: 'utf8',
  });
  return status === 0 ? null : stderr;
}

t.before(() => {
  // RAUC makes no update of a file that compresses to one block.
  if (skip === false) writeFileSync(slot, randomBytes(64 * 1024));
});

t.test('a box accepts updates of both signers and of a further one', { skip }, async (t) => {
  const keys = makeKeys('keys');
  execFileSync(join(IMAGE, 'make-keys.sh'), [keys, 'signer-3']);
  for (const signer of ['signer-1', 'signer-2', 'signer-3'])
    t.equal(rejection(join(keys, 'ca.pem'), makeUpdate(keys, signer)), null, signer);
});

t.test('a new authority replaces the old one with two updates', { skip }, async (t) => {
  const [old, next] = [makeKeys('old'), makeKeys('next')];
  const both = join(directory, 'both.pem');
  writeFileSync(both, Buffer.concat([old, next].map((keys) => readFileSync(join(keys, 'ca.pem')))));
  const [oldCa, nextCa] = [join(old, 'ca.pem'), join(next, 'ca.pem')];
  const [first, second] = [makeUpdate(old, 'signer-1'), makeUpdate(next, 'signer-2')];
  t.equal(rejection(oldCa, first), null, 'the update with both certificates has the old signature');
  t.match(rejection(oldCa, second), /signature verification failed/i, 'the new one is not trusted yet');
  t.equal(rejection(both, second), null, 'a box that trusts both accepts the new one');
  t.match(
    rejection(nextCa, first),
    /signature verification failed/i,
    'a lost key of the old authority is worthless',
  );
});

t.test('a box with an unset clock accepts updates, at the time of their signature', { skip }, async (t) => {
  const keys = makeKeys('clock');
  const text = readFileSync(join(IMAGE, 'overlay/etc/rauc/system.conf'), 'utf8');
  t.match(text, /^\[keyring\]\n(?:(?!\[).*\n)*use-bundle-signing-time=true\n/m);
  const conf = join(directory, 'system.conf');
  writeFileSync(
    conf,
    text.replace('@COMPATIBLE@', `stellwerk-box-${BOARD}`).replace('/etc/rauc/ca.pem', join(keys, 'ca.pem')),
  );
  const update = makeUpdate(keys, 'signer-1');
  const { status, stderr } = spawnSync('rauc', [`--conf=${conf}`, 'info', update], { encoding: 'utf8' });
  t.equal(status, 0, stderr);
});

t.test('keys are never overwritten, and a further signer needs the authority', { skip }, async (t) => {
  const keys = makeKeys('kept');
  const again = (...args: string[]) => spawnSync(join(IMAGE, 'make-keys.sh'), args, { encoding: 'utf8' });
  t.match(again(keys), { status: 1, stderr: /has keys already/ });
  t.match(again(keys, 'signer-1'), { status: 1, stderr: /has the signer signer-1 already/ });
  t.match(again(join(directory, 'none'), 'signer-3'), { status: 1, stderr: /has no ca\.key/ });
  t.match(again(join(PACKAGE_ROOT, 'box/keys')), { status: 2, stderr: /do not belong in the checkout/ });
});
