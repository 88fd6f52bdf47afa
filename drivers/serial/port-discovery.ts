import { coded, type CodedText } from '../../src/base/codes/coded-text.js';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault } from '../../src/base/fault.js';
import type { HardwareItem } from '../../src/device/hardware-search.js';
import { parseUsbName, type UsbName } from './port.js';

/** Directories that list the ports; tests use their own. */
export interface PortRoots {
  readonly tty: string;
  readonly dev: string;
}

export const kernelRoots: PortRoots = { tty: '/sys/class/tty', dev: '/dev' };

/** A port with hardware. The USB fields are empty for a port that is not on USB. */
interface PortInfo extends UsbName {
  readonly path: string;
}

/** Maximum number of directories from a port to its USB device: port, interface, device. */
const USB_LEVELS = 3;

/** All ports with hardware, sorted by path. Opens none of them. */
export async function listPorts(roots: PortRoots = kernelRoots): Promise<PortInfo[]> {
  const names = await readdir(roots.tty).catch(() => []);
  const found = await Promise.all(names.map((name) => readPort(name, roots)));
  return found
    .filter((info) => info !== undefined)
    .sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
}

/** The links in a directory below /dev/serial: port → link. */
async function linksIn(directory: string): Promise<Map<string, string>> {
  const links = new Map<string, string>();
  for (const name of (await readdir(directory).catch(() => [])).sort()) {
    // An adapter may be unplugged during the search.
    const path = await realpath(join(directory, name)).catch(() => undefined);
    if (path !== undefined) links.set(path, join(directory, name));
  }
  return links;
}

/**
 * The names of each port. The first one does not depend on the order in which adapters are plugged in: by ID,
 * otherwise by USB path, otherwise its own. Adapters that cannot be distinguished share one name by ID, which
 * leads to any of them; they are named by USB path.
 */
async function namesOf(
  ports: readonly PortInfo[],
  { dev }: PortRoots,
): Promise<(port: PortInfo) => readonly [string, ...string[]]> {
  const [byId, byPath] = await Promise.all(
    ['by-id', 'by-path'].map((name) => linksIn(join(dev, 'serial', name))),
  );
  const hasOwnId = (port: PortInfo) =>
    ports.every((other) => byId?.has(other.path) === true || !matchesUsb(other, port));
  return (port) => {
    const [id, usbPath] = [byId?.get(port.path), byPath?.get(port.path)];
    const stable = (hasOwnId(port) ? id : undefined) ?? usbPath ?? port.path;
    const others = [id, usbPath, port.path].filter((name) => name !== undefined);
    return [stable, ...others.filter((name) => name !== stable)];
  };
}

/** Where ports are searched. */
interface PortSources {
  readonly roots?: PortRoots;
  /** The paths of simulated ports. */
  readonly simulated?: readonly string[] | undefined;
}

/** All ports, as items of the hardware search. */
export async function discoverPorts({ roots = kernelRoots, simulated = [] }: PortSources = {}): Promise<
  HardwareItem[]
> {
  const ports = await listPorts(roots);
  const names = await namesOf(ports, roots);
  const found = ports.map((port) => {
    const { path, vendor, product, serial } = port;
    const usb = vendor === '' ? '' : `USB ${vendor}:${product}${serial === '' ? '' : `:${serial}`}`;
    return portItem(path, names(port), usb);
  });
  return [...simulated.map((path) => portItem(path, [path], '')), ...found];
}

function portItem(
  path: string,
  [name, ...others]: readonly [string, ...string[]],
  usb: string,
): HardwareItem {
  return {
    id: `port ${name}`,
    kind: 'port',
    name: path,
    about: [name === path ? '' : name, usb].filter((part) => part !== '').join(', '),
    usedBy: '',
    instance: 0,
    makes: [{ module: 'Serial Port', properties: { Port: name }, aliases: { Port: others } }],
  };
}

/**
 * Resolves `where` to the current path of a port. Rejects with `DEVICE_OFFLINE` if there is none, or more
 * than one.
 */
export async function resolvePort(where: string, roots: PortRoots = kernelRoots): Promise<string> {
  const usb = parseUsbName(where);
  if (usb === undefined) {
    // Other failures than a missing file are reported as missing too.
    if ((await stat(where).catch(() => undefined)) !== undefined) return where;
    throw fault(
      'DEVICE_OFFLINE',
      coded`PORT_MISSING_OTHERS: ${where} does not exist; ${describePorts(await listPorts(roots))}`,
    );
  }
  const ports = await listPorts(roots);
  const matching = ports.filter((port) => matchesUsb(port, usb));
  const [only] = matching;
  if (only === undefined) {
    throw fault(
      'DEVICE_OFFLINE',
      coded`NO_ADAPTER_MATCHES: no adapter matches ${where}; ${describePorts(ports)}`,
    );
  }
  if (matching.length > 1) {
    throw fault(
      'DEVICE_OFFLINE',
      coded`ADAPTER_AMBIGUOUS: ${where} matches ${matching.map((port) => port.path)}; add the serial number, or use a path below /dev/serial/by-path`,
    );
  }
  return only.path;
}

function matchesUsb(port: PortInfo, usb: UsbName): boolean {
  return (
    port.vendor === usb.vendor &&
    port.product === usb.product &&
    (usb.serial === '' || port.serial === usb.serial)
  );
}

function describePorts(ports: readonly PortInfo[]): CodedText {
  if (ports.length === 0) return coded`PLUG_MACHINE_NO_SERIAL: plug it in (this machine has no serial ports)`;
  const shown = ports.map(({ path, vendor, product, serial }) =>
    vendor === '' ? path : `${path} (${vendor}:${product}:${serial})`,
  );
  return coded`PLUG_USE_EXISTING_PORTS: plug it in, or use one of the existing ports: ${shown.join(', ')}`;
}

async function readPort(name: string, roots: PortRoots): Promise<PortInfo | undefined> {
  // A virtual terminal has no device.
  const device = await realpath(join(roots.tty, name, 'device')).catch(() => undefined);
  if (device === undefined) return undefined;
  // The 8250 driver lists ports without a chip; their type is 0 (unknown).
  if ((await readAttribute(join(roots.tty, name, 'type'))) === '0') return undefined;
  const usb = await findUsbParent(device);
  return { path: join(roots.dev, name), ...usb };
}

async function findUsbParent(device: string): Promise<UsbName> {
  let folder = device;
  for (let level = 0; level < USB_LEVELS; level += 1, folder = dirname(folder)) {
    const vendor = await readAttribute(join(folder, 'idVendor'));
    if (vendor === '') continue;
    const product = await readAttribute(join(folder, 'idProduct'));
    return { vendor, product, serial: await readAttribute(join(folder, 'serial')) };
  }
  return { vendor: '', product: '', serial: '' };
}

async function readAttribute(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).trim();
}
