import type { Text } from '../../base/codes/coded-text.js';
import type { Host, OpenInstance, Value } from '../module.js';
import { DeviceQueue } from './device-queue.js';
import type { StatePolicy } from './enum-property.js';

/** The properties that every module of a device class has. */
interface BootProperty {
  readonly Boot: StatePolicy;
}

/** An open device of a device class, with one job at a time. Subclasses define the commands. */
export abstract class SysfsInstance<P extends BootProperty> implements OpenInstance {
  protected readonly host: Host<P>;
  readonly #release: () => void;
  readonly #jobs: DeviceQueue;

  /** `name` is the device's name, for messages; `release` releases its claim. */
  constructor(host: Host<P>, name: Text, release: () => void) {
    this.host = host;
    this.#release = release;
    this.#jobs = new DeviceQueue(host, name);
  }

  /** Applies Boot once after the machine has booted, unless one of the device's flags is set; reports the state. */
  async boot(...flags: readonly string[]): Promise<void> {
    const { bootFlags, properties } = this.host;
    const isBooted = flags.some((flag) => bootFlags.has(flag));
    if (!isBooted && properties.Boot !== 'hold') await this.switchTo(properties.Boot === 'active');
    for (const flag of flags) bootFlags.add(flag);
    await this.readState();
  }

  write(ident: string, value: Value): Promise<void> {
    return this.#jobs.run(() => this.execute(ident, value));
  }

  refresh(): Promise<void> {
    return this.#jobs.run(() => this.readState());
  }

  /** The kernel or another program may have changed the device: sysfs has no exclusive access. */
  probe(): Promise<void> {
    return this.refresh();
  }

  /** The device keeps its state. */
  close(): Promise<void> {
    return this.#jobs.close(this.#release);
  }

  /** Executes a command and reports the state that results. */
  protected abstract execute(ident: string, value: Value): Promise<void>;

  /** Switches the device on, as configured, or off; reports nothing. */
  protected abstract switchTo(isOn: boolean): Promise<void>;

  /** Reads and reports the state. */
  protected abstract readState(): Promise<void>;
}
