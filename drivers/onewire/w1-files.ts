import { coded } from '../../src/base/codes/coded-text.js';
import { type SysfsClass, errno, sysfsFault } from '../../src/device/toolkit/sysfs-class.js';
import { codeOf, fault, type Fault, faultFrom } from '../../src/base/fault.js';
import { ADDRESS, familyOf } from './families.js';

/** The kernel's directory of 1-Wire buses and devices (Documentation/w1/w1-generic.rst). */
export const W1_DEVICES_PATH = '/sys/bus/w1/devices';

const BUS_NAME = /^w1_bus_master\d+$/;

/**
 * The files of one device. Failures reject with the errno of the kernel, which `mapError` explains. Once
 * `signal` aborts, writes reject with its AbortError.
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

  /** Reads exactly `length` bytes; rejects with `EIO` if there are fewer. */
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

  /** Reads an integer from a text attribute. */
  async number(attribute: string): Promise<number> {
    const text = await this.read(attribute);
    if (!/^-?\d+$/.test(text)) throw errno('EIO', `${this.address}/${attribute}`);
    return Number(text);
  }

  /** Maps the error of a read or write to a fault. */
  async mapError(thrown: unknown): Promise<Fault> {
    const name = coded`N1_WIRE_DEVICE: the 1-Wire device ${this.address}`;
    const { driver = 'wire', type } = familyOf(this.address);
    const code = codeOf(thrown);
    if (code === 'EIO')
      return faultFrom(
        thrown,
        'DEVICE_REFUSED',
        coded`DOES_NOT_RESPOND_CHECK: ${name} does not respond; check the contacts, the length of the wire and whether it is connected`,
      );
    if (code === 'ENOENT' && (await this.#attributes.list(this.address)).length > 0)
      return fault(
        'DEVICE_CONFIGURATION',
        coded`NO_KERNEL_DRIVER_LOADED: no kernel driver is loaded for the ${type} ${this.address}; run modprobe ${driver}`,
      );
    return sysfsFault(name, this.#attributes.root, thrown);
  }
}

/** Lists the names of all buses. */
export const listBuses = async (attributes: SysfsClass): Promise<string[]> =>
  (await attributes.list('')).filter((name) => BUS_NAME.test(name));

/**
 * Lists the addresses of the devices that the kernel has found on a bus. Rejects if the bus does not exist.
 */
export async function listDevices(attributes: SysfsClass, bus: string): Promise<string[]> {
  const text = await attributes.read(`${bus}/w1_master_slaves`);
  return text.split('\n').filter((line) => ADDRESS.test(line));
}

/**
 * Makes all thermometers of a bus measure at the same time and waits for it; reading them then takes no
 * measurement. Only for a bus without other devices. Returns false if the kernel does not support it (Linux
 * before 5.8) or we lack the permission. A failed measurement shows only in the subsequent read.
 */
export async function measureAll(attributes: SysfsClass, bus: string): Promise<boolean> {
  const path = `${bus}/therm_bulk_read`;
  try {
    // The kernel compares the text including the newline.
    await attributes.write(path, 'trigger\n');
    return (await attributes.read(path)) === '1';
  } catch {
    return false;
  }
}
