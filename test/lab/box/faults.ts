/**
 * Faults of updates and of the boot state on an emulated board: `node dist/test/lab/box/faults.js`, after
 * up.js. The steps follow one another on one card.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { tempDirectory } from '../../tools/temp-directory.js';
import { FlashedBox, mountStick, writeCard } from './flashed-box.js';

const STATE = '/usr/lib/stellwerk-box/fw_printenv';
/** The two copies of the boot state on the card. */
const COPIES = ['1M', '2M'] as const;

const card = await writeCard(await tempDirectory(t));
const started = performance.now();
const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
let box = await FlashedBox.switchOn(card);
t.teardown(() => box[Symbol.asyncDispose]());

await t.test(
  'after a power cut in each state of the first start, the box comes back by itself',
  async (t) => {
    const states = [
      () => box.printed(/box: slot A, order A B, attempts left A 2 B 3/),
      () => box.printed(/attempts left A 1 B 3[^]*Starting kernel/),
      async () => {
        await box.printed(/attempts left A 0 B 3/);
        await box.up();
        t.not((await box.agent.try('cat /run/box/verdict')).code, 0, 'nothing is decided yet');
      },
    ];
    for (const reached of states) {
      await reached();
      t.comment(`cut after ${seconds()}`);
      await box[Symbol.asyncDispose]();
      box = await FlashedBox.switchOn(card);
    }
    await box.printed(/no attempts left, both slots get three/);
    await box.up();
    t.equal(await box.verdict(), 'healthy');
    t.strictSame(box.chosenSlots, ['B', 'B', 'B', 'A'], 'slot B is empty');
    t.match(await box.agent.run(STATE), 'BOOT_A_LEFT=3');
    t.comment(`back after ${seconds()}`);
  },
);

await t.test('after a power cut during an installation, the box starts as before', async (t) => {
  await mountStick(box.agent);
  await box.agent.start('stellwerk update install /run/stick/good.raucb');
  await box.agent.run(`until ${STATE} | grep -q '^BOOT_ORDER=A$'; do sleep 0.2; done`);
  t.comment(`cut after ${seconds()}`);
  await box[Symbol.asyncDispose]();
  box = await FlashedBox.switchOn(card);
  await box.up();
  t.equal(await box.verdict(), 'healthy');
  t.strictSame(box.chosenSlots, ['A']);
  t.comment(`back after ${seconds()}`);
});

for (const damaged of [[COPIES[0]], COPIES])
  await t.test(`the box starts with ${damaged.length} damaged copies of the boot state`, async (t) => {
    await box[Symbol.asyncDispose]();
    for (const at of damaged)
      await promisify(execFile)('qemu-io', ['-f', 'qcow2', '-c', `write -q -P 0xff ${at} 512`, card]);
    box = await FlashedBox.switchOn(card);
    await box.printed(damaged.length === 1 ? /boot state from copy 2/ : /no boot state, defaults/);
    await box.up();
    t.equal(await box.verdict(), 'healthy');
    t.comment(`back after ${seconds()}`);
  });

/** Overwrites superblocks of the data partition, and cuts the power. */
async function damageData(superblocks: string): Promise<void> {
  await box.agent.run(
    `dumpe2fs /run/box/data 2>/dev/null | sed -n 's/.*superblock at \\([0-9]*\\),.*/\\1/p' | ${superblocks} | ` +
      'while read at; do dd if=/dev/zero of=/run/box/data bs=4096 seek=$at count=1 conv=fsync,notrunc; done',
  );
  await box[Symbol.asyncDispose]();
  box = await FlashedBox.switchOn(card);
}

await t.test('a data partition whose first superblock is damaged is repaired, with its data', async (t) => {
  const identity = await box.agent.run('cat /data/box/machine-id');
  await damageData('head -n 1');
  await box.up();
  t.equal(await box.verdict(), 'healthy');
  t.equal(await box.agent.run('cat /etc/machine-id'), identity);
  t.comment(`back after ${seconds()}`);
});

await t.test('a box whose data partition cannot be mounted tries again, then remains on', async (t) => {
  await damageData('cat');
  for (const starts of [1, 2, 3]) {
    await box.printed(new RegExp(`(?:box: slot A, order[^]*?unhealthy: the data partition[^]*?){${starts}}`));
    t.comment(`start ${starts} after ${seconds()}`);
  }
  await box.up();
  t.match(await box.verdict(), /^unhealthy: the data partition/);
  t.strictSame(box.chosenSlots, ['A', 'A', 'A'], 'slot B has attempts, but no system');
  t.notMatch(await box.agent.run('systemctl list-jobs'), 'reboot.target');
  t.equal(await box.agent.run('systemctl is-active stellwerk.service || true'), 'inactive');
  t.notMatch(box.console(), /claim code/);
});
