import { type DeviceNode, type OpenAttribute, type SysfsClass, errno } from './sysfs-class.js';

/**
 * An attribute of a simulated device; bytes are characters. Exceptions of `read` and `write` are the kernel's
 * error (`errno`).
 */
export interface SimulatedAttribute {
  /** Absent if the attribute is write-only. */
  read?(): string | number;
  /** Absent if the attribute is read-only. */
  write?(text: string): void;
  /** False until udev has set the file's group. */
  readonly isWritable?: boolean;
}

/** A simulated device class; a driver's fake defines what its attributes do. */
export abstract class SimulatedSysfs implements SysfsClass {
  abstract readonly root: string;

  /** All present attributes, by path. */
  protected abstract files(): ReadonlyMap<string, SimulatedAttribute>;

  async list(folder: string): Promise<string[]> {
    const before = folder === '' ? '' : `${folder}/`;
    const below = [...this.files().keys()].filter((path) => path.startsWith(before));
    const names = new Set(below.map((path) => path.slice(before.length).split('/')[0] as string));
    return [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  }

  async read(path: string): Promise<string> {
    const file = this.#file(path);
    if (file.read === undefined) throw errno('EACCES', path);
    return String(file.read());
  }

  async readBytes(path: string, length: number): Promise<Uint8Array> {
    const file = this.#file(path);
    if (file.read === undefined) throw errno('EACCES', path);
    return Buffer.from(String(file.read()), 'latin1').subarray(0, length);
  }

  async open(path: string): Promise<OpenAttribute> {
    await this.read(path);
    return { read: () => this.read(path), close: async () => undefined };
  }

  async openNode(name: string): Promise<DeviceNode> {
    throw errno('ENOENT', `/dev/${name}`);
  }

  async write(path: string, data: string | Uint8Array): Promise<void> {
    const file = this.#file(path);
    if (file.write === undefined || file.isWritable === false) throw errno('EACCES', path);
    file.write(typeof data === 'string' ? data : Buffer.from(data).toString('latin1'));
  }

  async isWritable(path: string): Promise<boolean> {
    const file = this.#file(path);
    return file.write !== undefined && file.isWritable !== false;
  }

  abstract deviceOf(name: string): Promise<string>;

  #file(path: string): SimulatedAttribute {
    const file = this.files().get(path);
    if (file === undefined) throw errno('ENOENT', path);
    return file;
  }
}

/**
 * Parses a number as the kernel does (`kstrtoul`): digits and at most one newline. Throws `EINVAL`, `ERANGE`.
 */
export function parseUnsigned(text: string, path: string): number {
  if (!/^\+?\d+\n?$/.test(text)) throw errno('EINVAL', path);
  const value = Number(text);
  if (value >= 2 ** 64) throw errno('ERANGE', path);
  return value;
}
