/**
 * A gateway whose clock runs twenty times as fast, as a program: `node --expose-gc accelerated-gateway.js
 * DIRECTORY`. It prints its port.
 */
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../src/base/clock.js';
import { Gateway } from '../../../src/composition/gateway.js';
import { ServiceLog } from '../../../src/service/log.js';

const TIMES = 20;

const real = systemClock();
const clock: Clock = {
  ...real,
  monotonicNs: () => real.monotonicNs() * BigInt(TIMES),
  after: (ms, callback) => real.after(ms / TIMES, callback),
  every: (ms, callback) => real.every(ms / TIMES, callback),
};
const [directory = ''] = process.argv.slice(2);
const gateway = await Gateway.start({
  configFile: join(directory, 'gateway.yaml'),
  directory: join(directory, 'data'),
  log: new ServiceLog({ write: () => undefined, form: 'json' }),
  clock,
});
console.log(`port ${gateway.port()}`);
