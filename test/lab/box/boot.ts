/**
 * The image on an emulated board: `node dist/test/lab/box/boot.js`, after up.js. From the reset through U-Boot
 * to a healthy gateway; what the box has of its own; and the same again after a restart.
 */
import t from 'tap';
import { tempDirectory } from '../../tools/temp-directory.js';
import { FlashedBox, writeCard } from './flashed-box.js';
import { VERSION } from './paths.js';

const started = performance.now();
const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
await using box = await FlashedBox.switchOn(await writeCard(await tempDirectory(t)));

await t.test('the first start leads to a healthy gateway in slot A', async (t) => {
  await box.printed(/box: slot A, order A B, attempts left A 2 B 3/);
  t.comment(`U-Boot has chosen after ${seconds()}`);
  await box.up();
  t.comment(`up after ${seconds()}`);
  t.equal(await box.verdict(), 'healthy');
  t.comment(`confirmed after ${seconds()}`);
  await box.agent.run('stellwerk health --alive');
  t.equal(await box.agent.run('systemctl is-active stellwerk stellwerk-keeper'), 'active\nactive');
  t.equal(await box.agent.run('systemctl --failed --no-legend'), '');
  t.match(await box.agent.run('/usr/lib/stellwerk-box/fw_printenv'), 'BOOT_A_LEFT=3');
});

await t.test('stellwerk update status shows both slots', async (t) => {
  const status = await box.agent.run('stellwerk update status');
  t.match(
    status,
    `version ${VERSION.flashed}\nslot A  ${VERSION.flashed}  runs, used at the next start\nslot B  -`,
  );
});

await t.test('the slot is read-only, and the data partition reaches the end of the card', async (t) => {
  t.not((await box.agent.try('touch /usr/written')).code, 0);
  t.equal(await box.agent.run('findmnt -no FSTYPE /etc; findmnt -no FSTYPE /var'), 'overlay\noverlay');
  const size = 'lsblk -bno SIZE $(readlink -f /run/box/data)';
  t.ok(Number(await box.agent.run(size)) > 2e9);
  t.ok(Number(await box.agent.run('df --output=size -B1 /data | tail -n 1')) > 2e9, 'its file system too');
});

await t.test('the pages are in the network, with TLS; console and card show the claim code', async (t) => {
  t.match(await box.agent.run('ss -Hltn'), /0\.0\.0\.0:443 /);
  const [, code = ''] = /asks for the claim code ([0-9A-Z-]{8,})/.exec(box.console()) ?? [];
  t.not(code, '');
  await box.agent.run('mkdir -p /run/card && mount -o ro $(readlink -f /run/box/boot) /run/card');
  t.match(await box.agent.run('cat /run/card/claim-code.txt'), code);
  await box.agent.run('umount /run/card');
});

await t.test('nobody can log in with a password, and SSH is off without a key', async (t) => {
  t.equal(await box.agent.run("awk -F: '$2 !~ /^[!*]/ { print $1 }' /etc/shadow"), '');
  t.equal(await box.agent.run('systemctl is-active ssh || true'), 'inactive');
});

await t.test('the hardware watchdog runs, and a panic restarts the box', async (t) => {
  t.match(await box.agent.run('cat /sys/class/watchdog/watchdog0/state'), 'active');
  t.match(await box.agent.run('cat /proc/sys/kernel/panic'), '10');
});

await t.test('what is kept on the data partition survives a restart, and what is not does not', async (t) => {
  const own = 'cat /etc/machine-id /etc/ssh/keys/*.pub /etc/hostname';
  const before = await box.agent.run(own);
  await box.agent.run(
    'echo "# mine" >>/etc/stellwerk/gateway.yaml; touch /etc/forgotten /var/forgotten; sync',
  );
  t.strictSame(await box.restart(), ['A']);
  await box.up();
  t.equal(await box.verdict(), 'healthy');
  t.equal(await box.agent.run(own), before);
  t.equal(await box.agent.run('tail -n 1 /etc/stellwerk/gateway.yaml'), '# mine');
  t.equal(await box.agent.run('ls /etc/forgotten /var/forgotten 2>/dev/null || true'), '');
  await box.powerOff();
});
