/**
 * The contract on a PWM chip of this machine's kernel: a program for a machine that has root, the gateway's
 * own packages and nothing else. `node --test-reporter=tap kernel-program.js CHIP KEPT_CHIP`; a kernel driver
 * uses channel 0 of the second chip.
 */
import { listPwmChips, PWM_CLASS_PATH } from '../../../drivers/pwm/kernel-pwm.js';
import { systemClock } from '../../../src/base/clock.js';
import { kernelSysfs } from '../../../src/device/toolkit/kernel-sysfs.js';
import { withNodeTest } from '../gpio/node-test-asserts.js';
import { pwmContract } from './suite.js';

const [, , id = '', keptId = ''] = process.argv;
const attributes = kernelSysfs(PWM_CLASS_PATH);

await pwmContract(withNodeTest, async () => ({
  attributes,
  clock: systemClock(),
  id,
  kept: { id: keptId, channel: 0 },
  async close() {
    const chip = (await listPwmChips(attributes)).find((other) => other.id === id);
    for (const channel of chip?.exported ?? []) {
      const enable = `${chip?.name}/pwm${channel}/enable`;
      // The kernel would remember that it was enabled, and rejects disabling a channel that was never
      // configured.
      if ((await attributes.read(enable)) === '1') await attributes.write(enable, '0');
      await attributes.write(`${chip?.name}/unexport`, String(channel));
    }
  },
}));
