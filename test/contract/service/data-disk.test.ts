/** The disk with the data directory, from a tree like the kernel's sysfs; a memory card is written seldom. */
import { mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { storedOptions } from '../../../src/composition/stored-options.js';
import type { GatewayConfig } from '../../../src/config/schema/gateway-schema.js';
import { isOnCard } from '../../../src/service/machine/data-disk.js';
import { tempDirectory } from '../../tools/temp-directory.js';

/** Whether a data directory on this partition is on a card. `files` are in sysfs. */
async function isCard(t: Test, partition: string, files: Readonly<Record<string, string>>): Promise<boolean> {
  const [root, dataDirectory] = [await tempDirectory(t), await tempDirectory(t)];
  const { dev } = await stat(dataDirectory);
  const link = join(
    root,
    'sys/dev/block',
    `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xff_f00)}`,
  );
  for (const [path, text] of Object.entries({ ...files, [`${partition}/partition`]: '1\n' })) {
    await mkdir(dirname(join(root, 'sys/devices', path)), { recursive: true });
    await writeFile(join(root, 'sys/devices', path), text);
  }
  await mkdir(dirname(link), { recursive: true });
  await symlink(join('../../devices', partition), link);
  const isOn = await isOnCard({ root, dataDirectory });
  await rm(link);
  t.equal(await isOnCard({ root, dataDirectory }), false, 'without a disk');
  return isOn;
}

t.test('SD cards, eMMC and removable disks are memory cards; other disks are not', async (t) => {
  t.equal(await isCard(t, 'mmc0/block/mmcblk0/mmcblk0p2', {}), true, 'SD card');
  t.equal(await isCard(t, 'usb1/block/sda/sda1', { 'usb1/block/sda/removable': '1\n' }), true, 'USB stick');
  t.equal(await isCard(t, 'ata1/block/sda/sda1', { 'ata1/block/sda/removable': '0\n' }), false, 'SSD');
  const nvme = { 'pci/nvme/nvme0n1/removable': '0\n' };
  t.equal(await isCard(t, 'pci/nvme/nvme0n1/nvme0n1p3', nvme), false, 'NVMe');
});

t.test('the intervals of writing are long on a memory card, unless they are configured', async (t) => {
  const kept = new Map<string, string>();
  const saveIntervals: number[] = [];
  const store = {
    meta: (name: string) => kept.get(name),
    setMeta: (name: string, text: string) => void kept.set(name, text),
    committed: () => Promise.resolve(),
    setSaveInterval: (ms: number) => void saveIntervals.push(ms),
    setBackupsKept: () => undefined,
  };
  const intervals = (isOnCard: boolean, config: GatewayConfig) => {
    const options = storedOptions(store, { config, isOnCard, onClose: () => undefined });
    return [options.get('SaveInterval'), options.get('ArchiveInterval')];
  };
  t.strictSame(intervals(false, {}), [10, 5]);
  t.strictSame(intervals(true, {}), [300, 300]);
  t.strictSame(intervals(true, { store: { recordsEveryS: 5 } }), [300, 5]);
  await storedOptions(store, { config: {}, isOnCard: true, onClose: () => undefined }).set(
    'ArchiveInterval',
    5,
  );
  t.strictSame(intervals(true, {}), [300, 5], 'an option that was set applies after a restart');
  t.strictSame(saveIntervals, [10_000, 300_000, 300_000, 300_000, 300_000]);
});
