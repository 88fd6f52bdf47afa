/**
 * The GPIO contract on real devices: the kernel's simulated chip, in the machine, over the character device and over
 * sysfs. The programs that keep it are those of the quick tests; they run on the installed gateway's own Node and files.
 */
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { tempDirectory } from '../tools/place.js';
import { Machine } from './machine.js';
import { FROZEN, READY, ROOT } from './paths.js';

const INSTALLED = '/opt/stellwerk/current';
/** Making a chip of gpio-sim takes the machine a second, and each of the 13 sentences makes one. */
const CONTRACT_LIMIT_MS = 180_000;

const disk = join(await tempDirectory(t), 'disk.qcow2');
await copyFile(READY.disk, disk);
await using machine = await Machine.start({ disk, frozen: FROZEN.installed });
const { agent } = machine;
const tests = join(ROOT, 'dist/test');
await agent.run(`mkdir -p ${INSTALLED}/dist/test/contract/gpio ${INSTALLED}/dist/test/tools`);
for (const name of await readdir(join(tests, 'contract/gpio')))
  if (name.endsWith('.js'))
    await agent.copy(join(tests, 'contract/gpio', name), `${INSTALLED}/dist/test/contract/gpio`);
await agent.copy(join(tests, 'tools/until.js'), `${INSTALLED}/dist/test/tools`);

for (const backend of ['cdev', 'sysfs'])
  await t.test(`the contract on gpio-sim, over ${backend}`, async (t) => {
    // On one processor no edge merges with another, so the contract can count them exactly.
    await agent.run('echo 0 >/sys/devices/system/cpu/cpu1/online');
    const program = `${INSTALLED}/dist/test/contract/gpio/gpio-sim-program.js`;
    const node = `${INSTALLED}/bin/node --test-reporter=tap ${program} ${backend}`;
    const { code, out, err } = await agent.try(node, CONTRACT_LIMIT_MS);
    const told = [...out.matchAll(/^(not )?ok \d+ - (.*)$/gm)];
    for (const [, failed, sentence = ''] of told) t.notOk(failed, sentence);
    if (code !== 0) t.comment(out + err);
    t.equal(code, 0);
    t.ok(told.length > 10, 'the whole contract was told');
  });
