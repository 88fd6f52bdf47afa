import { fault } from '../../base/fault.js';
import { Lazy } from '../../base/lazy.js';
import type { SysfsClass } from './sysfs-class.js';
import { bool, declare, type FunctionDeclaration, text } from '../declare.js';

/** A driver's fake of a class, which the simulated board has in place of the machine's. */
export interface SimulatedSysfsClass extends SysfsClass {
  has(name: string): boolean;
  /** Pulls a device out, or plugs it in again. */
  setUnplugged(name: string, isGone: boolean): void;
}

/** Where a driver finds its class of devices. */
export interface SysfsBackendOptions {
  /** Of the machine: `/sys/class/leds`. */
  root(): Promise<string>;
  /** Of the simulated board. */
  simulated(): Promise<SimulatedSysfsClass>;
  /** In place of both. */
  readonly given: Promise<SimulatedSysfsClass> | undefined;
  readonly isSimulated: boolean;
}

/** The function by which a device of the simulated board is pulled out. */
export interface UnplugFunction {
  readonly name: string;
  /** What its parameter calls the device. */
  readonly device: string;
  readonly help: string;
}

/** A class of the kernel's devices, of this machine or of the simulated board; nothing is loaded before it is asked for. */
export class SysfsBackend {
  readonly #places: SysfsBackendOptions;
  readonly #simulated: Lazy<SimulatedSysfsClass>;

  constructor(places: SysfsBackendOptions) {
    this.#places = places;
    this.#simulated = new Lazy(() => places.given ?? places.simulated());
  }

  readonly open = async (): Promise<SysfsClass> => {
    const { isSimulated, given, root } = this.#places;
    if (isSimulated || given !== undefined) return this.#simulated.get();
    return (await import('./kernel-sysfs.js')).kernelSysfs(await root());
  };

  /** For the simulated board only; no function elsewhere. */
  functions({ name, device, help }: UnplugFunction): FunctionDeclaration[] {
    if (!this.#places.isSimulated) return [];
    const run = async (_caller: unknown, which: string, isGone: boolean) => {
      const world = await this.#simulated.get();
      if (!world.has(which)) throw fault('NAME_NOT_FOUND', which);
      world.setUnplugged(which, isGone);
      return true;
    };
    const parameters = [text(device), bool('Gone')] as const;
    return [declare({ name, parameters, result: 'boolean', audited: true, help, run })];
  }
}
