import { Fault, fault } from '../../base/fault.js';
import type { Host } from '../module.js';

/** Devices that are claimed by one instance each. One registry per gateway and driver. */
export class DeviceClaims {
  readonly #owners = new Map<string, DeviceOwner>();

  /**
   * Claims a device; call the returned function to release it. Throws `DEVICE_OFFLINE`, with the owner's
   * name, while another instance has it.
   */
  claim(name: string, owner: DeviceOwner): () => void {
    const other = this.#owners.get(name);
    if (other !== undefined) throw inUseFault(name, other);
    this.#owners.set(name, owner);
    return () => void this.#owners.delete(name);
  }

  /**
   * Claims a device and opens it; releases it if opening fails. What is opened gets the function that
   * releases it.
   */
  async open<T>(name: string, owner: DeviceOwner, open: (release: () => void) => Promise<T>): Promise<T> {
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
export function inUseFault(what: string, { name, id }: DeviceOwner, cause?: unknown): Fault {
  const { code, message } = fault('DEVICE_OFFLINE', `${what} is in use by ${name} (#${id})`);
  const general = fault('DEVICE_OFFLINE', `${what} is in use by another instance`).message;
  return new Fault(code, message, { general, ...(cause !== undefined && { cause }) });
}
