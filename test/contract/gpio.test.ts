import t from 'tap';
import { simulatedBench } from './gpio/simulated.js';
import { onCdevStandIn, onSysfsStandIn } from './gpio/stand-in.js';
import { gpioContract } from './gpio/suite.js';

await t.test('the simulated chip', (t) => gpioContract((name, body) => t.test(name, body), simulatedBench));
await onSysfsStandIn(t, new URL('gpio/sysfs-program.js', import.meta.url));
await onCdevStandIn(t, new URL('gpio/cdev-program.js', import.meta.url));
