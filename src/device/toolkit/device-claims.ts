import { coded, type Text } from '../../base/codes/coded-text.js';
import { Fault, fault } from '../../base/fault.js';
import type { Host } from '../module.js';

/** Devices that are claimed by one instance each. One registry per gateway and driver. */
export class DeviceClaims {
  readonly #owners = new Map<string, DeviceOwner>();

  /**
   * Claims a device; call the returned function to release it. Throws `DEVICE_OFFLINE`, with the owner's
   * name, while another instance has it.
   */
  claim(name: Text, owner: DeviceOwner): () => void {
    const key = name.toString();
    const other = this.#owners.get(key);
    if (other !== undefined) throw inUseFault(name, other);
    this.#owners.set(key, owner);
    return () => void this.#owners.delete(key);
  }

  /**
   * Claims a device and opens it; releases it if opening fails. What is opened gets the function that
   * releases it.
   */
  async open<T>(name: Text, owner: DeviceOwner, open: (release: () => void) => Promise<T>): Promise<T> {
    const release = this.claim(name, owner);
    try {
      return await open(release);
    } catch (thrown) {
      release();
      throw thrown;
    }
  }
}

/** The instance that has claimed a device. */
export type DeviceOwner = Pick<Host, 'id' | 'name'>;

/**
 * `DEVICE_OFFLINE` because another instance of this gateway uses the device. Callers limited to an area do
 * not see which one.
 */
export function inUseFault(what: Text, { name, id }: DeviceOwner, cause?: unknown): Fault {
  const {
    code,
    message,
    parameters = [],
  } = fault('DEVICE_OFFLINE', coded`IN_USE_BY_INSTANCE: ${what} is in use by ${name} (#${id})`);
  const general = fault(
    'DEVICE_OFFLINE',
    coded`IN_USE_BY_ANOTHER_INSTANCE: ${what} is in use by another instance`,
  ).message;
  return new Fault(code, message, { parameters, general, ...(cause !== undefined && { cause }) });
}
