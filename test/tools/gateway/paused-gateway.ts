/**
 * A gateway whose clock stands still until SIGUSR2, and then runs twenty times as fast, as a program:
 * `node paused-gateway.js DIRECTORY`. It prints its port.
 */
import { join } from 'node:path';
import { ManualClock } from '../../../src/base/clock.js';
import { Gateway } from '../../../src/composition/gateway.js';
import { ServiceLog } from '../../../src/service/log.js';

const STEP_MS = 5_000;
const TIMES = 20;

const clock = new ManualClock();
process.once('SIGUSR2', () => setInterval(() => clock.advance(STEP_MS), STEP_MS / TIMES));
const [directory = ''] = process.argv.slice(2);
const gateway = await Gateway.start({
  configFile: join(directory, 'gateway.yaml'),
  directory: join(directory, 'data'),
  log: new ServiceLog({ write: () => undefined, form: 'json' }),
  clock,
});
console.log(`port ${gateway.port()}`);
