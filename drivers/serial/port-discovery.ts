import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault } from '../../src/base/fault.js';
import type { HardwareItem } from '../../src/device/hardware-search.js';
import { parseUsbName, type UsbName } from './port.js';

/** Where the kernel tells of its ports; a test has its own. */
export interface PortRoots {
  readonly tty: string;
  readonly dev: string;
}

export const kernelRoots: PortRoots = { tty: '/sys/class/tty', dev: '/dev' };

/** A port with hardware behind it. The USB fields are empty for a port that is not on USB. */
export interface PortInfo extends UsbName {
  readonly path: string;
}

/** How far above a tty its USB device can be: tty, port, interface, device. More would find the hub. */
const USB_LEVELS = 4;

/** All ports that have hardware behind them, by path. Does not open any. */
export async function listPorts(roots: PortRoots = kernelRoots): Promise<PortInfo[]> {
  const names = await readdir(roots.tty).catch(() => []);
  const found = await Promise.all(names.map((name) => readPort(name, roots)));
  return found
    .filter((info) => info !== undefined)
    .sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
}

/** The names under /dev/serial, which stay the same when adapters are plugged in in another order: port → name. */
export async function stableNames({ dev }: PortRoots = kernelRoots): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  // By what is plugged in where there is such a name, else by where it is plugged in.
  for (const folder of ['by-path', 'by-id'].map((name) => join(dev, 'serial', name)))
    for (const name of (await readdir(folder).catch(() => [])).sort()) {
      const path = await realpath(join(folder, name)).catch(() => undefined);
      if (path !== undefined) names.set(path, join(folder, name));
    }
  return names;
}

/** All ports, as a search shows them. */
export async function discoverPorts(roots: PortRoots = kernelRoots): Promise<HardwareItem[]> {
  const [ports, names] = await Promise.all([listPorts(roots), stableNames(roots)]);
  return ports.map(({ path, vendor, product, serial }) => {
    const name = names.get(path) ?? path;
    const usb = vendor === '' ? '' : `USB ${vendor}:${product}${serial === '' ? '' : `:${serial}`}`;
    return {
      id: `port ${name}`,
      kind: 'port',
      name: path,
      about: [name === path ? '' : name, usb].filter((part) => part !== '').join(', '),
      usedBy: '',
      instance: 0,
      makes: [{ module: 'Serial Port', properties: { Port: name } }],
    };
  });
}

/** The path of the port that `where` names now. Rejects with `DEVICE_OFFLINE`: it isn't there, or it isn't the only one. */
export async function resolvePort(where: string, roots: PortRoots = kernelRoots): Promise<string> {
  const usb = parseUsbName(where);
  if (usb === undefined) {
    if ((await stat(where).catch(() => undefined)) !== undefined) return where;
    throw fault('DEVICE_OFFLINE', `${where} is not there; ${describePorts(await listPorts(roots))}`);
  }
  const ports = await listPorts(roots);
  const matching = ports.filter((port) => matchesUsb(port, usb));
  const [only] = matching;
  if (only === undefined) {
    throw fault('DEVICE_OFFLINE', `no adapter ${where} is plugged in; ${describePorts(ports)}`);
  }
  if (matching.length > 1) {
    const paths = matching.map((port) => port.path).join(' and ');
    throw fault(
      'DEVICE_OFFLINE',
      `${where} fits ${paths}; add the serial number, or name one under /dev/serial/by-id`,
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

function describePorts(ports: readonly PortInfo[]): string {
  if (ports.length === 0) return 'plug it in (there is no serial port at all)';
  const shown = ports.map(({ path, vendor, product, serial }) =>
    vendor === '' ? path : `${path} (${vendor}:${product}:${serial})`,
  );
  return `plug it in, or name one that is there: ${shown.join(', ')}`;
}

async function readPort(name: string, roots: PortRoots): Promise<PortInfo | undefined> {
  const device = await realpath(join(roots.tty, name, 'device')).catch(() => undefined);
  if (device === undefined) return undefined;
  // The 8250 driver lists ports that it found no chip for: their type is 0, unknown.
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
