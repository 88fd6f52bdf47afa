import { type SysfsClass, errno } from './sysfs-class.js';

/** An attribute of a simulated device; bytes are characters. What reading or writing throws is the kernel's answer (`errno`). */
export interface SimulatedAttribute {
  /** Absent: it can't be read. */
  read?(): string | number;
  /** Absent: it can't be written. */
  write?(text: string): void;
  /** False while udev has not given it to our group. */
  readonly isWritable?: boolean;
}

/** A class of devices that a program plays; what its attributes do is the driver's fake's business. */
export abstract class SimulatedSysfs implements SysfsClass {
  abstract readonly root: string;

  /** All attributes that there are now, by path. */
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

/** A number as the kernel takes it (`kstrtoul`): digits, and one newline at most. Throws `EINVAL`, `ERANGE`. */
export function parseUnsigned(text: string, path: string): number {
  if (!/^\+?\d+\n?$/.test(text)) throw errno('EINVAL', path);
  const value = Number(text);
  if (value >= 2 ** 64) throw errno('ERANGE', path);
  return value;
}
