/**
 * The contract on sysfs, as a program of its own: it runs in a mount namespace whose /sys/class/gpio is ours.
 */
import t from 'tap';
import { gpioContract } from './suite.js';
import { sysfsFixture } from './sysfs.js';

await gpioContract((name, body) => t.test(name, body), sysfsFixture);
