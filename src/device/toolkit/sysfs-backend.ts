import { fault } from '../../base/fault.js';
import { Lazy } from '../../base/lazy.js';
import { DeviceClaims } from './device-claims.js';
import type { SysfsClass } from './sysfs-class.js';
import { bool, declare, type FunctionDeclaration, text } from '../declare.js';

/** A driver's fake of a device class, used on the simulated board. */
interface SimulatedSysfsClass extends SysfsClass {
  has(name: string): boolean;
  /** Unplugs a device, or plugs it in again. */
  setUnplugged(name: string, isGone: boolean): void;
}

/** Where a driver finds its device class. */
interface SysfsBackendOptions {
  /** The directory on a real machine: `/sys/class/leds`. */
  root(): Promise<string>;
  /** Creates the fake of the simulated board. */
  simulated(): Promise<SimulatedSysfsClass>;
  /** Replaces both; for tests. */
  readonly given: Promise<SimulatedSysfsClass> | undefined;
  readonly isSimulated: boolean;
}

/** State shared by the instances of one driver and gateway. */
export interface SysfsContext<B> {
  /** The driver's section of the board file. */
  readonly board: B;
  readonly holders: DeviceClaims;
  /** The device class of the machine or of the simulated board; loaded on first use. */
  attributes(): Promise<SysfsClass>;
}

/** The function that unplugs a device of the simulated board. */
interface UnplugFunction {
  readonly name: string;
  /** The name of its first parameter. */
  readonly device: string;
  readonly help: string;
}

/**
 * Selects the device class of this machine or of the simulated board. Nothing is loaded before the first use.
 */
export class SysfsBackend {
  readonly #options: SysfsBackendOptions;
  readonly #simulated: Lazy<SimulatedSysfsClass>;

  constructor(options: SysfsBackendOptions) {
    this.#options = options;
    this.#simulated = new Lazy(() => options.given ?? options.simulated());
  }

  readonly open = async (): Promise<SysfsClass> => {
    const { isSimulated, given, root } = this.#options;
    if (isSimulated || given !== undefined) return this.#simulated.get();
    return (await import('./kernel-sysfs.js')).kernelSysfs(await root());
  };

  /** Creates the shared state of a driver. */
  context<B>(board: B): SysfsContext<B> {
    return { board, holders: new DeviceClaims(), attributes: this.open };
  }

  /** The functions of the simulated board; none on a real machine. */
  functions({ name, device, help }: UnplugFunction): FunctionDeclaration[] {
    if (!this.#options.isSimulated) return [];
    const run = async (_caller: unknown, which: string, isGone: boolean) => {
      const simulated = await this.#simulated.get();
      if (!simulated.has(which)) throw fault('NAME_NOT_FOUND', which);
      simulated.setUnplugged(which, isGone);
      return true;
    };
    const parameters = [text(device), bool('Gone')] as const;
    return [declare({ name, parameters, result: 'boolean', audited: true, help, run })];
  }
}
