import { constants } from 'node:fs';
import { access, readFile, realpath, stat, statfs } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { HardwareItem } from '../../device/hardware-search.js';
import { readBoardSensors, type BoardSensors } from './board-sensors.js';
import { wearOf, type Wear } from './data-disk.js';
import { namesIn, textOf } from './machine-files.js';
import { readRollbackNote, type RollbackNote } from '../updates/rollback-note.js';

/** A user, with the ids that the kernel checks. */
export interface User {
  readonly name: string;
  readonly uid: number;
  readonly gids: readonly number[];
}

/** A device node and its owner. */
export interface DeviceNode {
  readonly path: string;
  readonly uid: number;
  readonly gid: number;
  /** The group's name, or its number if it has no name. */
  readonly group: string;
  readonly mode: number;
  /** Whether the gateway can open it; absent if another user's permissions are checked. */
  readonly isOpen?: boolean;
}

/** A port that an instance is configured for. */
export interface ConfiguredPort {
  /** The path as configured. */
  readonly path: string;
  /** The node that it refers to; undefined if there is none. */
  readonly node: DeviceNode | undefined;
}

/** A chip that the device tree or a user has declared on an I²C bus. */
interface DeclaredChip {
  /** Bus and address: `1-0076`. */
  readonly place: string;
  readonly name: string;
  readonly hasDriver: boolean;
}

/** The state of a machine, the only input of the checks (`diagnosis.ts`). */
export interface Machine {
  /** The user that runs the gateway. */
  readonly user: User;
  /** The compatible strings of the device tree, the most specific first; empty if there is none. */
  readonly compatible: readonly string[];
  readonly chips: readonly DeviceNode[];
  readonly ports: readonly ConfiguredPort[];
  /** The names of the kernel's consoles: `ttyS1`. */
  readonly consoles: readonly string[];
  /** Aliases of the disabled nodes of the device tree: `serial0`, `i2c1`. */
  readonly off: readonly string[];
  /** The Raspberry Pi's boot configuration: its path, and its settings without comments. */
  readonly boot: { readonly path: string; readonly settings: readonly string[] } | undefined;
  /**
   * Whether the line keeper runs; undefined if it is not installed, or if the gateway itself runs the check
   * and has a finding of its own.
   */
  readonly hasKeeper: boolean | undefined;
  /** The last update, if it was rolled back; its note may be unreadable. */
  readonly rollback: RollbackNote | 'unreadable' | undefined;
  /** Of the file system that the data directory is on. */
  readonly space: { readonly bytes: number; readonly free: number } | undefined;
  /** Of the card with the data directory; undefined if the card does not report it. */
  readonly wear: Wear | undefined;
  readonly sensors: BoardSensors;
  /** The I²C buses of the kernel, and the chips that are declared on them. */
  readonly i2c: { readonly buses: readonly string[]; readonly chips: readonly DeclaredChip[] };
  /** The results of the drivers' hardware searches. */
  readonly found: readonly HardwareItem[];
}

/** What to inspect, and where. */
interface InspectionOptions {
  /** `/`, except in tests. */
  readonly root: string;
  readonly dataDirectory: string;
  /** Paths of ports that instances are configured for. */
  readonly ports: readonly string[];
  /**
   * Whether the gateway itself runs the check: then its own permissions are checked, otherwise those of the
   * service's user.
   */
  readonly isGateway: boolean;
  readonly found: readonly HardwareItem[];
}

/** The user that the service's unit names. */
const SERVICE_USER = 'stellwerk';

/** The line keeper's unit, as install.sh and the package install it, and its socket. */
const KEEPER_UNITS = ['etc', 'usr/lib'].map((folder) => `${folder}/systemd/system/stellwerk-keeper.service`);
const KEEPER_SOCKET = 'run/stellwerk-keeper/socket';

/** The note about an update that was rolled back. */
export const ROLLBACK_NOTE = '/var/lib/stellwerk-update/rolled-back';

/** Paths in Raspberry Pi OS and Debian: the current one, and that of releases before 2023. */
export const BOOT_CONFIGURATIONS = ['boot/firmware/config.txt', 'boot/config.txt'];

/** Inspects the machine. Opens no device; files that cannot be read are treated as absent. */
export async function inspectMachine(places: InspectionOptions): Promise<Machine> {
  const at = (path: string) => join(places.root, path);
  const groups = namesById(await textOf(at('etc/group')));
  const nodeAt = (path: string) => nodeOf(path, groups, places);
  const nodes = (await namesIn(at('dev'))).filter((name) => /^gpiochip\d+$/.test(name));
  const [user, chips, ports, boot, rollback, space, wear, sensors, i2c] = await Promise.all([
    userOf(places),
    Promise.all(nodes.map((name) => nodeAt(at(join('dev', name))))),
    Promise.all(places.ports.map(async (path) => ({ path, node: await nodeAt(at(path)) }))),
    bootOf(places.root),
    readRollbackNote(at(ROLLBACK_NOTE)),
    spaceOf(places.dataDirectory),
    wearOf(places),
    readBoardSensors(places.root),
    readI2c(places.root),
  ]);
  return {
    user,
    compatible: wordsOf(await textOf(at('proc/device-tree/compatible'))),
    chips: chips.filter((node) => node !== undefined),
    ports,
    consoles: (await textOf(at('proc/consoles'))).split('\n').flatMap((line) => line.split(/\s/)[0] || []),
    off: await switchedOff(at('proc/device-tree')),
    boot,
    hasKeeper: places.isGateway ? undefined : await keeperOf(places.root),
    rollback,
    space,
    wear,
    sensors,
    i2c,
    found: places.found,
  };
}

/**
 * The user whose permissions are checked: the service's user if it exists and the gateway does not run the
 * check itself, otherwise the user of this process.
 */
async function userOf({ root, isGateway }: InspectionOptions): Promise<User> {
  const entries = (await textOf(join(root, 'etc/passwd'))).split('\n').map((line) => line.split(':'));
  const [, , uid, gid] = entries.find(([name]) => name === SERVICE_USER) ?? [];
  if (uid === undefined || isGateway) {
    const own = process.geteuid?.() ?? 0;
    const name = entries.find((entry) => entry[2] === String(own))?.[0] ?? `user ${own}`;
    return { name, uid: own, gids: [process.getegid?.() ?? 0, ...(process.getgroups?.() ?? [])] };
  }
  const groups = (await textOf(join(root, 'etc/group'))).split('\n').map((line) => line.split(':'));
  const member = groups.filter(([, , , members = '']) => members.split(',').includes(SERVICE_USER));
  return {
    name: SERVICE_USER,
    uid: Number(uid),
    gids: [gid, ...member.map((entry) => entry[2])].map(Number),
  };
}

/** `name:x:number:…`, as in /etc/group. */
const namesById = (text: string): ReadonlyMap<number, string> =>
  new Map(
    text
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name = '', , id]) => [Number(id), name]),
  );

/** Undefined if the path does not exist. */
async function nodeOf(
  path: string,
  groups: ReadonlyMap<number, string>,
  { root, isGateway }: InspectionOptions,
): Promise<DeviceNode | undefined> {
  // A path that cannot be followed is treated as absent.
  const target = await realpath(path).catch(() => undefined);
  const found = target === undefined ? undefined : await stat(target).catch(() => undefined);
  if (target === undefined || found === undefined) return undefined;
  const { uid, gid, mode } = found;
  const group = groups.get(gid) ?? String(gid);
  const node = { path: join('/', relative(root, target)), uid, gid, group, mode: mode & 0o777 };
  if (!isGateway) return node;
  // The unit uses a user namespace in which most groups have the same id, so that only the kernel can decide.
  const isOpen = await access(target, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  return { ...node, isOpen };
}

/** The aliases of the device tree whose nodes are disabled. */
async function switchedOff(tree: string): Promise<string[]> {
  const aliases = join(tree, 'aliases');
  const off: string[] = [];
  for (const name of await namesIn(aliases)) {
    const [path = ''] = wordsOf(await textOf(join(aliases, name)));
    const [status] = path.startsWith('/') ? wordsOf(await textOf(join(tree, path, 'status'))) : [];
    if (status === 'disabled') off.push(name);
  }
  return off;
}

async function bootOf(root: string): Promise<Machine['boot']> {
  for (const path of BOOT_CONFIGURATIONS) {
    // The file does not exist or is not readable.
    const text = await readFile(join(root, path), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const settings = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
    return { path: `/${path}`, settings: settings.filter((line) => line !== '') };
  }
  return undefined;
}

/** Lists the buses and chips that the kernel knows (Documentation/i2c/i2c-sysfs.rst); sends nothing on a bus. */
export async function readI2c(root: string): Promise<Machine['i2c']> {
  const directory = join(root, 'sys/bus/i2c/devices');
  const names = await namesIn(directory);
  const chips = names
    .filter((name) => /^\d+-[0-9a-f]{4}$/.test(name))
    .map(async (place): Promise<DeclaredChip> => ({
      place,
      name: (await textOf(join(directory, place, 'name'))).trim(),
      hasDriver: await stat(join(directory, place, 'driver')).then(Boolean, () => false),
    }));
  return { buses: names.filter((name) => /^i2c-\d+$/.test(name)), chips: await Promise.all(chips) };
}

async function keeperOf(root: string): Promise<boolean | undefined> {
  const isThere = (path: string) => stat(join(root, path)).then(Boolean, () => false);
  const isInstalled = (await Promise.all(KEEPER_UNITS.map(isThere))).includes(true);
  return isInstalled ? isThere(KEEPER_SOCKET) : undefined;
}

async function spaceOf(directory: string): Promise<Machine['space']> {
  // Unknown until the directory exists.
  const found = await statfs(directory).catch(() => undefined);
  // Blocks that are reserved for root are not available to the service.
  return found && { bytes: found.blocks * found.bsize, free: found.bavail * found.bsize };
}

const wordsOf = (text: string): string[] => text.split('\0').filter((word) => word !== '');
