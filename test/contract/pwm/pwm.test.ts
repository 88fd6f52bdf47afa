import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { listPwmChips, PwmChannel, type Waveform } from '../../../drivers/pwm/kernel-pwm.js';
import { SimulatedPwm } from '../../../drivers/pwm/simulated-pwm.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { kernelSysfs } from '../../../src/device/toolkit/kernel-sysfs.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { pwmContract, type PwmFixture } from './suite.js';

const ID = 'fe20c000.pwm';

async function simulatedFixture(): Promise<PwmFixture> {
  const clock = new ManualClock();
  const pwm = new SimulatedPwm(clock, [
    { id: 'other', channels: 1 },
    { id: ID, channels: 4 },
  ]);
  const seen: (Waveform | undefined)[][] = [[], [], [], []];
  pwm.onChange = (_chip, channel, wave) => void seen[channel]?.push(wave);
  pwm.occupy(ID, 3, 'pwm-fan');
  return {
    attributes: pwm,
    clock,
    id: ID,
    kept: { id: ID, channel: 3 },
    seen: (channel) => seen[channel] ?? [],
    unplug: () => pwm.setUnplugged(ID, true),
    close: async () => undefined,
  };
}

await t.test('the simulated class', (t) => pwmContract((name, body) => t.test(name, body), simulatedFixture));

await t.test('an exported channel belongs to our group after udev’s delay', async (t) => {
  const clock = new ManualClock();
  const pwm = new SimulatedPwm(clock, [{ id: ID, channels: 2 }]);
  const [chip] = await listPwmChips(pwm);
  if (chip === undefined) throw new Error('no chip');
  const open = async (channel: number, ms: number) => {
    const opening = PwmChannel.open(pwm, clock, { chip, channel, name: `PWM${channel}` });
    const opened = opening.catch(() => undefined);
    for (let n = 0; n < ms / 10; n++) {
      await yieldToEventLoop();
      clock.advance(10);
    }
    await opened;
    return opening;
  };
  pwm.udevMs = 100;
  const channel = await open(0, 400);
  await channel.set({ periodNs: 1_000_000, dutyNs: 500_000, isInverted: false });
  t.strictSame(pwm.waveform(ID, 0)?.dutyNs, 500_000);
  pwm.udevMs = 10_000;
  await t.rejects(open(1, 5000), {
    code: 'DEVICE_OFFLINE',
    message: /PWM1: no permission; .*\/sys\/class\/pwm/,
  });
});

await t.test('a chip that cannot invert, or not at that frequency, is reported', async (t) => {
  const clock = new ManualClock();
  const pwm = new SimulatedPwm(clock, [{ id: ID, channels: 1, periodNs: [10_000, 1e9], canInvert: false }]);
  const [chip] = await listPwmChips(pwm);
  if (chip === undefined) throw new Error('no chip');
  const channel = await PwmChannel.open(pwm, clock, { chip, channel: 0, name: 'PWM0' });
  const rejected = (periodNs: number, isInverted: boolean, message: RegExp) =>
    t.rejects(channel.set({ periodNs, dutyNs: 0, isInverted }), { code: 'DEVICE_CONFIGURATION', message });
  await rejected(1000, false, /PWM0 cannot set period to 1000; change FrequencyHz or Inverted/);
  await rejected(10_000, true, /PWM0 cannot set polarity to inversed/);
  t.equal(pwm.waveform(ID, 0), undefined);
});

await t.test('the chips of a machine are identified by their devices', async (t) => {
  const directory = await tempDirectory(t);
  const root = join(directory, 'class');
  t.strictSame(await listPwmChips(kernelSysfs(root)), [], 'none, without a class');
  await mkdir(root);
  for (const [name, device] of [
    ['pwmchip10', 'fe20c800.pwm'],
    ['pwmchip2', ID],
  ] as const) {
    const folder = join(directory, 'devices', device, 'pwm', name);
    await mkdir(join(folder, 'pwm1'), { recursive: true });
    await writeFile(join(folder, 'npwm'), '2\n');
    await symlink(join(directory, 'devices', device), join(folder, 'device'));
    await symlink(folder, join(root, name));
  }
  t.strictSame(await listPwmChips(kernelSysfs(root)), [
    { id: ID, name: 'pwmchip2', channels: 2, exported: [1] },
    { id: 'fe20c800.pwm', name: 'pwmchip10', channels: 2, exported: [1] },
  ]);
});
