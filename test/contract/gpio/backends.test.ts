import { join } from 'node:path';
import t from 'tap';
import { simulatedFixture } from './simulated.js';
import { onCdevStandIn, onSysfsStandIn } from './stand-in.js';
import { gpioContract } from './suite.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

await t.test('the simulated chip', (t) => gpioContract((name, body) => t.test(name, body), simulatedFixture));
await onSysfsStandIn(t, join(PACKAGE_ROOT, 'dist/test/contract/gpio/sysfs-program.js'));
await onCdevStandIn(t, join(PACKAGE_ROOT, 'dist/test/contract/gpio/cdev-program.js'));
