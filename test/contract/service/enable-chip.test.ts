import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { applyChange, planChip } from '../../../src/service/machine/enable-chip.js';
import { wantedChip, type WantedChip } from '../../../src/service/machine/sensor-chips.js';
import { runCli } from '../../tools/gateway/run-cli.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const wanted = (device: string): WantedChip => {
  const chip = wantedChip(device);
  if (chip === undefined) throw new Error(`${device} is not known`);
  return chip;
};

async function write(root: string, path: string, text: string): Promise<string> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

await t.test('on a Raspberry Pi, the overlay is added for all models, and only once', async (t) => {
  const root = await tempDirectory(t);
  const before = 'dtparam=audio=on\n[pi4]\narm_boost=1';
  const file = await write(root, 'boot/firmware/config.txt', before);
  const change = await planChip(wanted('bme280@1-0077'), root);
  t.equal(change.path, file);
  t.equal(await readFile(file, 'utf8'), before, 'nothing is written before it is applied');
  await applyChange(change);
  t.equal(
    await readFile(file, 'utf8'),
    `${before}\n# Added by stellwerk enable-chip\n[all]\ndtparam=i2c_arm=on\ndtoverlay=i2c-sensor,bme280,addr=0x77\n`,
  );
  t.strictSame((await planChip(wanted('bme280@1-0077'), root)).added, []);
  await applyChange(await planChip(wanted('ads1115@1-0048'), root));
  await t.rejects(planChip(wanted('bme280@3-0077'), root), /for the bus 1 of the header, not for 3/);
  t.match(await readFile(file, 'utf8'), /addr=0x77\n# Added.*\n\[all\]\ndtoverlay=ads1115,addr=0x48\n$/);
});

await t.test('settings of the section of one model do not count for the others', async (t) => {
  const root = await tempDirectory(t);
  const settings = ['dtparam=i2c_arm=on', 'dtoverlay=i2c-sensor,bme280,addr=0x77'];
  const added = async (...sections: string[]) => {
    await write(root, 'boot/firmware/config.txt', sections.join('\n'));
    return (await planChip(wanted('bme280@1-0077'), root)).added;
  };
  t.strictSame(await added('[pi5]', ...settings), settings);
  t.strictSame(await added('[pi5]', settings[0]!, '[all]', settings[1]!), [settings[0]]);
  t.strictSame(await added(settings[0]!, '[pi5]', '[all]', settings[1]!), []);
});

await t.test('on another machine, a udev rule declares the chip', async (t) => {
  const root = await tempDirectory(t);
  const file = await write(root, 'etc/udev/rules.d/61-stellwerk-chips.rules', '');
  await applyChange(await planChip(wanted('tmp102@2-0048'), root));
  t.match(
    await readFile(file, 'utf8'),
    /^ACTION=="add", SUBSYSTEM=="i2c", KERNEL=="i2c-2", ATTR\{new_device\}="tmp102 0x48"$/m,
  );
});

await t.test('only known chips with an address are accepted', async (t) => {
  for (const device of [
    '',
    'bme280@spi0.0',
    'bme280@1-0176',
    'bme280@1-00ff',
    '__proto__@1-0076',
    'x@1-0076',
  ])
    t.equal(wantedChip(device), undefined, device);
  const { code, stderr } = await runCli(['enable-chip', 'x@1-0076; reboot']);
  t.equal(code, 64);
  t.match(stderr, /not a known chip.*bme280@1-0076/);
});
