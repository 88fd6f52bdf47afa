/**
 * The GPIO contract on the kernel's simulated chip in the machine, through the character device and through
 * sysfs. The test programs are those of the contract tests; they run with the Node and the addons of the
 * installed gateway.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { tempDirectory } from '../tools/temp-directory.js';
import { runInGuest } from './machine/guest-program.js';
import { Machine } from './machine/machine.js';
import { FROZEN, READY } from './paths.js';

/** Creating a chip of gpio-sim takes a second, and each of the 13 cases creates one. */
const CONTRACT_LIMIT_MS = 180_000;

const disk = join(await tempDirectory(t), 'disk.qcow2');
await copyFile(READY.disk, disk);
await using machine = await Machine.start({ disk, frozen: FROZEN.installed });
const { agent } = machine;
for (const backend of ['cdev', 'sysfs'])
  await t.test(`the contract on gpio-sim, over ${backend}`, async (t) => {
    // On one processor edges do not coalesce, so the contract can count them exactly.
    await agent.run('echo 0 >/sys/devices/system/cpu/cpu1/online');
    const file = 'contract/gpio/gpio-sim-program.js';
    await runInGuest(t, agent, { file, words: backend, minAssertions: 10, limitMs: CONTRACT_LIMIT_MS });
  });
