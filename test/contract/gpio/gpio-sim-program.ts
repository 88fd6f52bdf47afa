/**
 * The contract on the kernel's simulated chip: a program for a machine that has root, the gateway's own
 * packages and nothing else. `node --test-reporter=tap gpio-sim-program.js cdev|sysfs`.
 */
import { openCharacterDevice } from '../../../drivers/gpio/backends/cdev.js';
import { openSysfs } from '../../../drivers/gpio/backends/sysfs.js';
import { systemClock } from '../../../src/base/clock.js';
import { gpioSimFixture } from './gpio-sim.js';
import { withNodeTest } from './node-test-asserts.js';
import { gpioContract } from './suite.js';

await gpioContract(withNodeTest, async () =>
  gpioSimFixture(
    process.argv[2] === 'sysfs' ? await openSysfs(systemClock()) : openCharacterDevice(systemClock()),
  ),
);
