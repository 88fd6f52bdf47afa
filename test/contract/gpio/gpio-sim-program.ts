/**
 * The contract on the kernel's simulated chip, told by node:test: a program for a machine that has root, the gateway's
 * own packages and nothing else. `node --test-reporter=tap gpio-sim-program.js cdev|sysfs`.
 */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert';
import { test, type TestContext } from 'node:test';
import { characterDevice } from '../../../drivers/gpio/cdev.js';
import { sysfs } from '../../../drivers/gpio/sysfs.js';
import { systemClock } from '../../../src/base/clock.js';
import { gpioSimBench } from './gpio-sim.js';
import { type Asserts, gpioContract } from './suite.js';

const asserts = (context: TestContext): Asserts => ({
  ok,
  notOk: (value) => ok(!value),
  equal: strictEqual,
  strictSame: deepStrictEqual,
  rejects: (promise, wish) => rejects(promise, wish),
  pass: (_text, { skip }) => context.skip(skip),
});

await gpioContract(
  (name, body) => test(name, (context) => body(asserts(context))),
  async () =>
    gpioSimBench(process.argv[2] === 'sysfs' ? await sysfs(systemClock()) : characterDevice(systemClock())),
);
