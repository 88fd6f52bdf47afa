import { type Clock, delay } from '../../base/clock.js';
import { codeOf, Fault, fault, faultFrom, messageOf } from '../../base/fault.js';
import type { Host } from '../module.js';

/**
 * A class of the kernel's devices as it shows in sysfs: a folder a device, a file an attribute. Paths are relative to the
 * class (`ACT/brightness`). What the kernel refuses rejects with an error whose `code` is its errno. Kept by
 * `kernel-attributes.ts` and by the drivers' fakes, which answer as the kernel does.
 */
export interface SysfsClass {
  /** Where the class is: for texts. */
  readonly root: string;
  /** The names in a folder (empty: the class itself), sorted by their numbers too; none where it is not there. */
  list(folder: string): Promise<readonly string[]>;
  /** An attribute without the blanks around it. */
  read(path: string): Promise<string>;
  /** What one read of a binary attribute gives, `length` bytes at most. */
  readBytes(path: string, length: number): Promise<Uint8Array>;
  /** One write, so one call of the kernel's driver; one that it took in part is `EIO`. Creates nothing. */
  write(path: string, data: string | Uint8Array): Promise<void>;
  /** Whether we may write it now. Rejects with `ENOENT` where there is no such attribute. */
  isWritable(path: string): Promise<boolean>;
  /** The name of the machine's device that a device of the class stands for: `fe20c000.pwm` for `pwmchip0`. */
  deviceOf(name: string): Promise<string>;
}

/** The same attributes; what is written to them, or was refused, is shown to those who follow the instance. */
export function withDebugOutput(host: Pick<Host, 'debug'>, attributes: SysfsClass): SysfsClass {
  return {
    root: attributes.root,
    list: (folder) => attributes.list(folder),
    read: (path) => attributes.read(path),
    readBytes: (path, length) => attributes.readBytes(path, length),
    isWritable: (path) => attributes.isWritable(path),
    deviceOf: (name) => attributes.deviceOf(name),
    async write(path, data) {
      try {
        await attributes.write(path, data);
      } catch (thrown) {
        host.debug(`refused (${codeOf(thrown) ?? messageOf(thrown)})`, data, path);
        throw thrown;
      }
      host.debug('written', data, path);
    },
  };
}

/** How long udev may take to give the files of a new device to our group; it takes some ten milliseconds. */
const PERMISSION_MS = 3000;
const PERMISSION_STEP_MS = 20;

/** Resolves when we may write an attribute that the kernel has just made. Rejects with `EACCES` when we still may not after 3 s. */
export async function waitUntilWritable(attributes: SysfsClass, clock: Clock, path: string): Promise<void> {
  for (let waitedMs = 0; !(await attributes.isWritable(path)); waitedMs += PERMISSION_STEP_MS) {
    if (waitedMs >= PERMISSION_MS) throw errno('EACCES', path);
    await delay(clock, PERMISSION_STEP_MS);
  }
}

/** An error as Node makes them of the kernel's. */
export function errno(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/** What a failed read or write of an attribute means for an instance; a fault is what it is already. */
export function sysfsFault(name: string, root: string, thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  switch (codeOf(thrown)) {
    case 'ENOENT':
    case 'ENODEV':
      return faultFrom(thrown, 'DEVICE_OFFLINE', `${name} is gone`);
    case 'EBUSY':
      return faultFrom(thrown, 'DEVICE_OFFLINE', `${name} is in use by the kernel or another program`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        `${name}: no permission; the gateway's user must be in the group of ${root} (udev's rules say which)`,
      );
    default:
      return faultFrom(thrown, 'DEVICE_REFUSED', `${name}: ${messageOf(thrown)}`);
  }
}

/** Names that are held by an instance each, so that a second one is told so. One for each gateway and driver. */
export class DeviceClaims {
  readonly #held = new Map<string, DeviceOwner>();

  /** Throws `DEVICE_OFFLINE`, naming the holder, while another has it; the function that it gives lets go, once. */
  claim(name: string, holder: DeviceOwner): () => void {
    const other = this.#held.get(name);
    if (other !== undefined) throw inUseFault(name, other);
    this.#held.set(name, holder);
    return () => void this.#held.delete(name);
  }
}

/** An instance that has something for itself. */
export type DeviceOwner = Pick<Host, 'id' | 'name'>;

/** `DEVICE_OFFLINE` because another instance of this gateway has it; those who see only an area are not told which. */
export function inUseFault(what: string, { name, id }: DeviceOwner, cause?: unknown): Fault {
  const { code, message } = fault('DEVICE_OFFLINE', `${what} is in use by ${name} (#${id})`);
  const general = fault('DEVICE_OFFLINE', `${what} is in use by another instance`).message;
  return new Fault(code, message, { general, ...(cause !== undefined && { cause }) });
}
