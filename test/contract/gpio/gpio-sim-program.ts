/**
 * The contract on the kernel's simulated chip: a program for a machine that has root, the gateway's own packages and
 * nothing else. `node --test-reporter=tap gpio-sim-program.js cdev|sysfs`.
 */
import { characterDevice } from '../../../drivers/gpio/cdev.js';
import { sysfs } from '../../../drivers/gpio/sysfs.js';
import { systemClock } from '../../../src/base/clock.js';
import { gpioSimBench } from './gpio-sim.js';
import { plainly } from './plain.js';
import { gpioContract } from './suite.js';

await gpioContract(plainly, async () =>
  gpioSimBench(process.argv[2] === 'sysfs' ? await sysfs(systemClock()) : characterDevice(systemClock())),
);
