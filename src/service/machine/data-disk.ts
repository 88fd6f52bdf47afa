/** The disk with the data directory: a memory card wears out with each write. */
import { readlink, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { textOf } from './machine-files.js';

/** The wear that flash memory reports (JEDEC eMMC 5.0, EXT_CSD 267 to 269). */
export interface Wear {
  readonly device: string;
  /** Used tenths of its life, rounded up, of the memory type with the higher wear; 11: exceeded. */
  readonly tenths: number;
  /** Spare blocks: 1 normal, 2 most are used, 3 nearly all are used. */
  readonly spare: number;
}

/** The data directory, and the root of the machine: `/`, except in tests. */
interface DataPlace {
  readonly root: string;
  readonly dataDirectory: string;
}

/** The wear of the card with the data directory; undefined if the card does not report it. */
export async function wearOf(place: DataPlace): Promise<Wear | undefined> {
  const disk = await diskOf(place);
  if (disk === undefined) return undefined;
  const numbers = `${await textOf(join(disk, 'device/life_time'))} ${await textOf(join(disk, 'device/pre_eol_info'))}`;
  const [a, b, spare] = (numbers.match(/0x[0-9a-f]+/gi) ?? []).map(Number);
  if (a === undefined || b === undefined) return undefined;
  return { device: basename(disk), tenths: Math.max(a, b), spare: spare ?? 0 };
}

/**
 * Whether the data directory is on an SD card, an eMMC (both are `mmcblk`), or a removable disk, which is a memory
 * stick or a card in a reader. False if its file system has no disk that the kernel names.
 */
export async function isOnCard(place: DataPlace): Promise<boolean> {
  const disk = await diskOf(place);
  if (disk === undefined) return false;
  return basename(disk).startsWith('mmcblk') || (await textOf(join(disk, 'removable'))) === '1';
}

/** The directory of the disk in sysfs; undefined if there is none. */
async function diskOf({ root, dataDirectory }: DataPlace): Promise<string | undefined> {
  // Without the directory there is no device.
  const { dev = 0 } = (await stat(dataDirectory).catch(() => undefined)) ?? {};
  const own = join(root, 'sys/dev/block', `${major(dev)}:${minor(dev)}`);
  const link = await readlink(own).catch(() => undefined); // not a block device, or not in sysfs
  if (link === undefined) return undefined;
  const found = join(dirname(own), link);
  // A partition is in the directory of its disk.
  return (await textOf(join(found, 'partition'))) === '' ? found : dirname(found);
}

/** The parts of a device number (makedev(3)). */
const major = (dev: number): number => (dev >> 8) & 0xfff;
const minor = (dev: number): number => (dev & 0xff) | ((dev >> 12) & 0xff_f00);
