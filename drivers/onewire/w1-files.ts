import { type SysfsClass, errno, sysfsFault } from '../../src/device/toolkit/sysfs-class.js';
import { codeOf, fault, type Fault, faultFrom } from '../../src/base/fault.js';
import { ADDRESS, familyOf } from './families.js';

/** Where the kernel has its 1-Wire buses and devices (Documentation/w1/w1-generic.rst). */
export const W1_DEVICES_PATH = '/sys/bus/w1/devices';

const BUS_NAME = /^w1_bus_master\d+$/;

/**
 * The files of one device. What is wrong rejects with the kernel's errno; `faultOf` says what it means. Once `signal` aborts nothing is
 * written: that rejects with its AbortError.
 */
export class DeviceFiles {
  readonly address: string;
  readonly #attributes: SysfsClass;
  readonly #signal: AbortSignal | undefined;

  constructor(attributes: SysfsClass, address: string, signal?: AbortSignal) {
    this.#attributes = attributes;
    this.#signal = signal;
    this.address = address;
  }

  read(attribute: string): Promise<string> {
    return this.#attributes.read(`${this.address}/${attribute}`);
  }

  /** Exactly so many bytes; fewer are `EIO`. */
  async bytes(attribute: string, length: number): Promise<Uint8Array> {
    const path = `${this.address}/${attribute}`;
    const bytes = await this.#attributes.readBytes(path, length);
    if (bytes.length < length) throw errno('EIO', path);
    return bytes;
  }

  async byte(attribute: string): Promise<number> {
    return (await this.bytes(attribute, 1))[0] as number;
  }

  async write(attribute: string, data: string | readonly number[]): Promise<void> {
    this.#signal?.throwIfAborted();
    const sent = typeof data === 'string' ? data : Uint8Array.from(data);
    await this.#attributes.write(`${this.address}/${attribute}`, sent);
  }

  /** A whole number of a text attribute. */
  async number(attribute: string): Promise<number> {
    const text = await this.read(attribute);
    if (!/^-?\d+$/.test(text)) throw errno('EIO', `${this.address}/${attribute}`);
    return Number(text);
  }

  /** What a failed read or write means. */
  async mapError(thrown: unknown): Promise<Fault> {
    const name = `the 1-Wire device ${this.address}`;
    const { driver = 'wire', type } = familyOf(this.address);
    const code = codeOf(thrown);
    if (code === 'EIO')
      return faultFrom(
        thrown,
        'DEVICE_REFUSED',
        `${name} does not answer: a bad contact, a long wire, or it is gone`,
      );
    if (code === 'ENOENT' && (await this.#attributes.list(this.address)).length > 0)
      return fault(
        'DEVICE_CONFIGURATION',
        `the kernel does not work the ${type} ${this.address}: modprobe ${driver}`,
      );
    return sysfsFault(name, this.#attributes.root, thrown);
  }
}

/** The names of all buses. */
export const listBuses = async (attributes: SysfsClass): Promise<string[]> =>
  (await attributes.list('')).filter((name) => BUS_NAME.test(name));

/** The addresses of the devices that the kernel has found on a bus. Rejects where there is no such bus. */
export async function listDevices(attributes: SysfsClass, bus: string): Promise<string[]> {
  const text = await attributes.read(`${bus}/w1_master_slaves`);
  return text.split('\n').filter((line) => ADDRESS.test(line));
}

/**
 * Has all thermometers of a bus measure at once, and waits for it: they then answer without measuring. For a bus with nothing
 * else on it. False where the kernel can't, or we may not have it done: Linux has it from 5.8 on. It tells failures by what it reads
 * afterwards alone.
 */
export async function measureAll(attributes: SysfsClass, bus: string): Promise<boolean> {
  const path = `${bus}/therm_bulk_read`;
  try {
    // The kernel compares the newline too.
    await attributes.write(path, 'trigger\n');
    return (await attributes.read(path)) === '1';
  } catch {
    return false;
  }
}
