import { readFileSync, writeFileSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.js';
import { openSysfs } from '../../../drivers/gpio/backends/sysfs.js';
import type { Fixture } from './suite.js';

/** The lines as seen from outside of the chip. */
const OUTSIDE = '/sys/class/gpio/.outside';

/** The contract's fixture on `fuse/gpiofuse.c`, which must be mounted at /sys/class/gpio. */
export async function sysfsFixture(): Promise<Fixture> {
  const write = (name: string, text: string) => writeFileSync(`${OUTSIDE}/${name}`, text);
  const drive = (offset: number, level: boolean) => write(String(offset), level ? '1' : '0');
  write('reset', '1');
  const keepAlive = setInterval(() => undefined, 1000); // the clock's own timers keep no process alive
  return {
    backend: await openSysfs(systemClock()),
    label: 'stand-in',
    isKernel: false,
    isExact: false,
    drive,
    burst(offset, edges) {
      for (let n = 1; n <= edges; n++) drive(offset, n % 2 === 1);
    },
    levelAt: (offset) => readFileSync(`${OUTSIDE}/${offset}`, 'utf8').trim() === '1',
    unplug: () => write('unplug', '1'),
    close: async () => clearInterval(keepAlive),
  };
}
