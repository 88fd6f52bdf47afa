import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { basename, join } from 'node:path';

/** A file system of the machine, sizes in bytes. */
interface Drive {
  /** Where it is mounted. */
  readonly LETTER: string;
  /** The device it is on. */
  readonly LABEL: string;
  readonly TOTAL: number;
  /** What users that are not root can still use. */
  readonly FREE: number;
}

/** The file systems on disks and cards, by their numbers from 0, and how many there are (`NUMDRIVES`). */
export async function drivesOf(root = '/'): Promise<Record<string, Drive | number>> {
  const seen = new Set<string>();
  const drives: Drive[] = [];
  for (const line of (await textOf(join(root, 'proc/self/mounts'))).split('\n')) {
    const [device = '', mount = ''] = line.split(' ').map(unescaped);
    const isDisk = mount === '/' || (device.startsWith('/dev/') && !device.startsWith('/dev/loop'));
    if (!isDisk || seen.has(device)) continue;
    // It may be unmounted meanwhile, or below a directory that we may not enter.
    const sizes = await statfs(join(root, mount)).catch(() => undefined);
    if (sizes === undefined) continue;
    seen.add(device);
    const { blocks, bavail, bsize } = sizes;
    drives.push({ LETTER: mount, LABEL: basename(device), TOTAL: blocks * bsize, FREE: bavail * bsize });
  }
  return { ...Object.fromEntries(drives.entries()), NUMDRIVES: drives.length };
}

/**
 * How much room the file system of a directory has and has left, and how much the directory itself takes, in
 * bytes.
 */
export async function diskUsage(directory: string): Promise<{ Total: number; Free: number; Used: number }> {
  const { blocks, bavail, bsize } = await statfs(directory);
  let used = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // What is deleted meanwhile takes no room.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    used += found?.size ?? 0;
  }
  return { Total: blocks * bsize, Free: bavail * bsize, Used: used };
}

/**
 * The machine's network interfaces but the one to itself, with what went over each since the boot, in bytes.
 */
export async function networksOf(root = '/', addresses = networkInterfaces) {
  const folder = join(root, 'sys/class/net');
  const known = addresses();
  const found = [];
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    if (name === 'lo') continue;
    const text = async (what: string) => (await textOf(join(folder, name, what))).trim();
    const own = known[name] ?? [];
    found.push({
      InterfaceIndex: Number(await text('ifindex')),
      IP: (own.find(({ family }) => family === 'IPv4') ?? own[0])?.address ?? '',
      MAC: await text('address'),
      Description: name,
      // In Mbit/s; an interface that is down, or has no speed of its own, says -1 or nothing.
      Speed: Math.max(0, Number(await text('speed'))),
      InTotal: Number(await text('statistics/rx_bytes')),
      OutTotal: Number(await text('statistics/tx_bytes')),
    });
  }
  return found.sort((a, b) => a.InterfaceIndex - b.InterfaceIndex);
}

/** Blanks and similar characters are encoded as octal numbers (getmntent(3)). */
const unescaped = (word: string): string =>
  word.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
