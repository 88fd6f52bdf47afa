import { readdir, stat, statfs } from 'node:fs/promises';
import { hostname, networkInterfaces, release } from 'node:os';
import { basename, join } from 'node:path';
import { readBoardSensors } from './board-sensors.js';
import { wearOf } from './data-disk.js';
import { namesIn, textOf } from './machine-files.js';

/** A file system of the machine, sizes in bytes. */
interface Drive {
  /** The mount point. */
  readonly LETTER: string;
  /** The device. */
  readonly LABEL: string;
  readonly TOTAL: number;
  /** Space available to users other than root. */
  readonly FREE: number;
}

/**
 * The machine itself. Unknown texts are empty, numbers 0. The temperature is that of the hottest sensor, in °C;
 * the wear that of the card with the data directory, the upper bound in percent.
 */
export async function hardwareOf(dataDirectory: string, root = '/', names = { hostname, release }) {
  const first = async (...paths: string[]) => {
    for (const path of paths) {
      // The device tree ends its texts with a NUL.
      const found = (await textOf(join(root, path))).replace(/\0.*$/s, '').trim();
      if (found !== '') return found;
    }
    return '';
  };
  const [sensors, wear] = await Promise.all([readBoardSensors(root), wearOf({ root, dataDirectory })]);
  return {
    Model: await first('proc/device-tree/model', 'sys/class/dmi/id/product_name'),
    Kernel: names.release(),
    HostName: names.hostname(),
    UptimeS: Math.floor(Number.parseFloat(await first('proc/uptime')) || 0),
    Temperature: Math.round((sensors.celsius ?? 0) * 10) / 10,
    IsThrottled: sensors.isThrottled,
    HasUndervoltage: sensors.hasUndervoltage ?? false,
    CardWear: (wear?.tenths ?? 0) * 10,
  };
}

/** The file systems on disks and cards, numbered from 0, and their number (`NUMDRIVES`). */
export async function drivesOf(root = '/'): Promise<Record<string, Drive | number>> {
  const seen = new Set<string>();
  const drives: Drive[] = [];
  for (const line of (await textOf(join(root, 'proc/self/mounts'))).split('\n')) {
    const [device = '', mount = ''] = line.split(' ').map(unescaped);
    const isDisk = mount === '/' || (device.startsWith('/dev/') && !device.startsWith('/dev/loop'));
    if (!isDisk || seen.has(device)) continue;
    // It may have been unmounted, or be below a directory that the gateway may not read.
    const sizes = await statfs(join(root, mount)).catch(() => undefined);
    if (sizes === undefined) continue;
    seen.add(device);
    const { blocks, bavail, bsize } = sizes;
    drives.push({ LETTER: mount, LABEL: basename(device), TOTAL: blocks * bsize, FREE: bavail * bsize });
  }
  return { ...Object.fromEntries(drives.entries()), NUMDRIVES: drives.length };
}

/**
 * Size and free space of a directory's file system, and the space that the directory uses, in bytes.
 */
export async function diskUsage(directory: string): Promise<{ Total: number; Free: number; Used: number }> {
  const { blocks, bavail, bsize } = await statfs(directory);
  let used = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // A file that was deleted in the meantime uses no space.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    used += found?.size ?? 0;
  }
  return { Total: blocks * bsize, Free: bavail * bsize, Used: used };
}

/**
 * The machine's network interfaces except loopback, with the bytes received and sent since the boot.
 */
export async function networksOf(root = '/', addresses = networkInterfaces) {
  const folder = join(root, 'sys/class/net');
  const known = addresses();
  const found = [];
  for (const name of await namesIn(folder)) {
    if (name === 'lo') continue;
    const text = (what: string) => textOf(join(folder, name, what));
    const own = known[name] ?? [];
    found.push({
      InterfaceIndex: Number(await text('ifindex')),
      IP: (own.find(({ family }) => family === 'IPv4') ?? own[0])?.address ?? '',
      MAC: await text('address'),
      Description: name,
      // In Mbit/s; for an interface that is down or has no speed, the kernel reports -1 or nothing.
      Speed: Math.max(0, Number(await text('speed'))),
      InTotal: Number(await text('statistics/rx_bytes')),
      OutTotal: Number(await text('statistics/tx_bytes')),
    });
  }
  return found.sort((a, b) => a.InterfaceIndex - b.InterfaceIndex);
}

/** Decodes blanks and similar characters, which are octal escapes (getmntent(3)). */
const unescaped = (word: string): string =>
  word.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
