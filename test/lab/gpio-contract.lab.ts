/**
 * The GPIO contract on real devices: the kernel's simulated chip, in the machine, over the character device
 * and over sysfs. The programs that keep it are those of the quick tests; they run on the installed gateway's
 * own Node and addons.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { tempDirectory } from '../tools/temp-directory.js';
import { runInGuest } from './machine/guest-program.js';
import { Machine } from './machine/machine.js';
import { FROZEN, READY } from './paths.js';

/** Making a chip of gpio-sim takes the machine a second, and each of the 13 sentences makes one. */
const CONTRACT_LIMIT_MS = 180_000;

const disk = join(await tempDirectory(t), 'disk.qcow2');
await copyFile(READY.disk, disk);
await using machine = await Machine.start({ disk, frozen: FROZEN.installed });
const { agent } = machine;
for (const backend of ['cdev', 'sysfs'])
  await t.test(`the contract on gpio-sim, over ${backend}`, async (t) => {
    // On one processor no edge merges with another, so the contract can count them exactly.
    await agent.run('echo 0 >/sys/devices/system/cpu/cpu1/online');
    const file = 'contract/gpio/gpio-sim-program.js';
    await runInGuest(t, agent, { file, words: backend, least: 10, limitMs: CONTRACT_LIMIT_MS });
  });
