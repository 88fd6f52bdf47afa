/**
 * The contract on an LED of this machine's kernel: a program for a machine that has root, the gateway's own
 * packages and nothing else. `node --test-reporter=tap kernel-program.js LED TRIGGER`; the trigger leaves it
 * dark, and it has at least two levels.
 */
import { LED_CLASS_PATH } from '../../../drivers/led/kernel-led.js';
import { systemClock } from '../../../src/base/clock.js';
import { kernelSysfs } from '../../../src/device/toolkit/kernel-sysfs.js';
import { until } from '../../tools/until.js';
import { withNodeTest } from '../gpio/node-test-asserts.js';
import { ledContract } from './suite.js';

const [, , name = '', trigger = ''] = process.argv;
const attributes = kernelSysfs(LED_CLASS_PATH);

await ledContract(withNodeTest, async () => ({
  attributes,
  clock: systemClock(),
  name,
  trigger,
  async becomes(isLit) {
    let brightness = 0;
    await until(isLit ? 'lit' : 'dark', async () => {
      brightness = Number(await attributes.read(`${name}/brightness`));
      return brightness > 0 === isLit;
    });
    return brightness;
  },
  close: () => attributes.write(`${name}/brightness`, '0'),
}));
