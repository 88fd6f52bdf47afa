import { coded, type Text } from '../../base/codes/coded-text.js';
import { type Clock, delay } from '../../base/clock.js';
import { codeOf, Fault, faultFrom, messageOf } from '../../base/fault.js';
import type { Host } from '../module.js';

/**
 * A device class in sysfs (`/sys/class/leds`): one directory per device, one file per attribute. Paths are
 * relative to the class (`ACT/brightness`). If the kernel rejects an operation, the promise rejects with an
 * error whose `code` is the errno. Implemented by `kernel-sysfs.ts` and by the drivers' fakes, which behave
 * like the kernel.
 */
export interface SysfsClass {
  /** The directory of the class, for messages. */
  readonly root: string;
  /** The names in a directory (empty: the class itself), in natural order; none if it does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Reads an attribute and trims it. */
  read(path: string): Promise<string>;
  /** Reads a binary attribute with one call, at most `length` bytes. */
  readBytes(path: string, length: number): Promise<Uint8Array>;
  /**
   * Opens an attribute for repeated reads. Once the device is gone they reject with `ENODEV`, even if another
   * device has taken its name.
   */
  open(path: string): Promise<OpenAttribute>;
  /** Opens the node of a device, `/dev/NAME`. */
  openNode(name: string): Promise<DeviceNode>;
  /** Writes with one call to the kernel's driver. A partial write is `EIO`. Never creates a file. */
  write(path: string, data: string | Uint8Array): Promise<void>;
  /** Whether the gateway may write the attribute now. Rejects with `ENOENT` if it does not exist. */
  isWritable(path: string): Promise<boolean>;
  /** The name of the parent device: `fe20c000.pwm` for `pwmchip0`. */
  deviceOf(name: string): Promise<string>;
}

/** An attribute that is kept open; one call at a time. */
export interface OpenAttribute {
  /** Reads at most 256 bytes and trims them. */
  read(): Promise<string>;
  /** Waits for a read in progress. */
  close(): Promise<void>;
}

/** The open node of a device in `/dev`; one call at a time. */
export interface DeviceNode {
  /** Reads what has arrived, at most as much as fits; 0 if nothing has. Never waits for more. */
  read(into: Uint8Array): Promise<number>;
  /** Waits for a read in progress. */
  close(): Promise<void>;
}

/** Wraps a class so that writes and rejected writes appear in the instance's debug output. */
export function withDebugOutput(host: Pick<Host, 'debug'>, attributes: SysfsClass): SysfsClass {
  return {
    root: attributes.root,
    list: (folder) => attributes.list(folder),
    read: (path) => attributes.read(path),
    readBytes: (path, length) => attributes.readBytes(path, length),
    open: (path) => attributes.open(path),
    openNode: (name) => attributes.openNode(name),
    isWritable: (path) => attributes.isWritable(path),
    deviceOf: (name) => attributes.deviceOf(name),
    async write(path, data) {
      try {
        await attributes.write(path, data);
      } catch (thrown) {
        host.debug(`rejected (${codeOf(thrown) ?? messageOf(thrown)})`, data, path);
        throw thrown;
      }
      host.debug('written', data, path);
    },
  };
}

/** How long udev may take to set the group of a new device's files; typically some ten milliseconds. */
const PERMISSION_MS = 3000;
const PERMISSION_STEP_MS = 20;

/**
 * Resolves when the gateway may write an attribute that the kernel has just created. Rejects with `EACCES`
 * after 3 s.
 */
export async function waitUntilWritable(attributes: SysfsClass, clock: Clock, path: string): Promise<void> {
  for (let waitedMs = 0; !(await attributes.isWritable(path)); waitedMs += PERMISSION_STEP_MS) {
    if (waitedMs >= PERMISSION_MS) throw errno('EACCES', path);
    await delay(clock, PERMISSION_STEP_MS);
  }
}

/** An error with an errno code, in the form in which Node reports kernel errors. */
export function errno(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/** Maps a failed read or write of an attribute to a fault; a fault is returned as it is. */
export function sysfsFault(name: Text, root: string, thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  switch (codeOf(thrown)) {
    case 'ENOENT':
    case 'ENODEV':
      return faultFrom(thrown, 'DEVICE_OFFLINE', coded`GONE: ${name} is gone`);
    case 'EBUSY':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        coded`IN_USE_BY_KERNEL: ${name} is in use by the kernel or another program`,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        coded`NO_PERMISSION_GROUP: ${name}: no permission; the gateway's user must be in the group of ${root} (see the udev rules)`,
      );
    default:
      return faultFrom(thrown, 'DEVICE_REFUSED', coded`ABOUT: ${name}: ${messageOf(thrown)}`);
  }
}
