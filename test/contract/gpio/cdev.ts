import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { openCharacterDevice } from '../../../drivers/gpio/backends/cdev.js';
import { systemClock } from '../../../src/base/clock.js';
import type { Fixture } from './suite.js';

/** The functions of `kernel/gpiokernel.c` that drive and read lines from outside. */
interface KernelStandIn {
  drive(offset: number, level: boolean): void;
  level(offset: number): boolean;
  unplug(): void;
  reset(): void;
}

/** The files that `stand-in.ts` has built. */
export interface StandInPaths {
  readonly kernel: string;
  readonly node: string;
  readonly addon: string;
}

/** The contract's fixture on the preloaded stand-in for the character device. */
export async function cdevFixture({ kernel, node, addon }: StandInPaths): Promise<Fixture> {
  const far = createRequire(import.meta.url)(kernel) as KernelStandIn;
  far.reset();
  return {
    backend: openCharacterDevice(systemClock(), { directory: dirname(node), addon }),
    label: 'stand-in',
    named: { name: 'EIGHT', offset: 7 },
    isKernel: true,
    isExact: true,
    drive: (offset, level) => far.drive(offset, level),
    burst(offset, edges) {
      for (let n = 1; n <= edges; n++) far.drive(offset, n % 2 === 1);
    },
    levelAt: (offset) => far.level(offset),
    unplug: () => far.unplug(),
    close: async () => undefined,
  };
}
