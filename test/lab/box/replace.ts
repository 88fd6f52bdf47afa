/**
 * A box that is set up by a file on its card, and another one that takes its place, on an emulated board:
 * `node dist/test/lab/box/replace.js`, after up.js. The second box is set up on its page, with a request as the
 * page sends it.
 */
import t from 'tap';
import { tempDirectory } from '../../tools/temp-directory.js';
import type { GuestAgent } from '../machine/agent.js';
import { FlashedBox, makeUsbStick, writeCard } from './flashed-box.js';

const PASSWORD = 'a long password';
const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFbCVxXkOzpUjwmCpmu5kVhJLcUnAx4HBLeIiTZkrQ0T me@pc';
const SETUP = [
  'hostname=house-1',
  `ssh_key=${SSH_KEY}`,
  `password=${PASSWORD}`,
  'language=de',
  'timezone=Europe/Vienna',
  '',
].join('\r\n');
const CONFIG = '/etc/stellwerk/gateway.yaml';
const AUTHORITY = 'cd /var/lib/stellwerk/tls && sha256sum ca-cert.pem ca-key.pem';
/** A call of the gateway is a start of Node in the guest. */
const CALL_LIMIT_MS = 300_000;

const started = performance.now();
const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
const usb = await makeUsbStick(await tempDirectory(t));
let recoveryKey = '';
let authority = '';

/** Calls a command of stellwerk as the owner. */
function asOwner(agent: GuestAgent, command: string): Promise<string> {
  return agent.run(`echo '${PASSWORD}' | stellwerk ${command} --password-file -`, CALL_LIMIT_MS);
}

await t.test('a file on the card sets up the box, and loses its password', async (t) => {
  await using box = await FlashedBox.switchOn(await writeCard(await tempDirectory(t), SETUP), { usb });
  await box.up();
  const { agent } = box;
  t.equal(await box.verdict(), 'healthy');
  t.comment(`set up after ${seconds()}`);
  t.equal(await agent.run('hostname'), 'house-1');
  t.equal(await agent.run('systemctl is-active ssh'), 'active');
  t.equal(await agent.run('cat /data/box/authorized_keys'), SSH_KEY);
  await agent.run('mkdir /run/card && mount -o ro $(readlink -f /run/box/boot) /run/card');
  t.equal(await agent.run('cd /run/card && ls box-setup.*'), 'box-setup.done');
  const done = await agent.run('cat /run/card/box-setup.done');
  t.match(done, 'hostname=house-1');
  t.notMatch(done, PASSWORD);
  t.notMatch(done, 'not applied');
  t.notMatch(box.console(), PASSWORD);
  t.notMatch(box.console(), 'claim code', 'it has an owner');

  await agent.run('until mountpoint -q /media/stick; do sleep 1; done');
  const target = 'backup: { targets: [{ name: stick, path: /media/stick }] }';
  await agent.run(`echo '${target}' >>${CONFIG} && systemctl reload stellwerk`);
  recoveryKey = await asOwner(agent, 'backup key');
  t.match(await asOwner(agent, 'backup run stick'), /chunks, \d+ of them new/);
  authority = await agent.run(AUTHORITY);
  await box.powerOff();
});

await t.test('a new box takes the place of the dead one from its first page', async (t) => {
  const switchedOn = performance.now();
  await using box = await FlashedBox.switchOn(await writeCard(await tempDirectory(t)), { usb });
  const [, code = ''] = await box.printed(/asks for the claim code ([0-9A-Z-]{8,})/);
  await box.up();
  const { agent } = box;
  t.not(await agent.run(AUTHORITY), authority);
  await agent.run('until mountpoint -q /media/stick; do sleep 1; done');
  const restore = { code, target: JSON.stringify({ path: '/media/stick' }), key: recoveryKey };
  await agent.put('/run/restore.json', JSON.stringify(restore));
  const script = `
    const body = require('node:fs').readFileSync('/run/restore.json');
    const headers = { Origin: 'https://127.0.0.1', 'Content-Type': 'application/json' };
    fetch('https://127.0.0.1/console/claim/restore', { method: 'POST', headers, body })
      .then(async (reply) => console.log(reply.status, await reply.text()));`;
  await agent.put('/run/restore.cjs', script);
  const node = 'NODE_TLS_REJECT_UNAUTHORIZED=0 /opt/stellwerk/current/bin/node';
  t.equal(await agent.run(`${node} /run/restore.cjs 2>/dev/null`, CALL_LIMIT_MS), '204');
  const list = `echo '${PASSWORD}' | stellwerk backup list --password-file -`;
  await agent.run(`until ${list} | grep stick; do sleep 1; done`, CALL_LIMIT_MS);
  t.equal(await agent.run(AUTHORITY), authority, 'clients trust it as they trusted the other');
  t.comment(
    `replaced within ${Math.round((performance.now() - switchedOn) / 1000)} s after it was switched on`,
  );
  t.match(await asOwner(agent, 'backup verify stick'), /./);
  await box.powerOff();
});
