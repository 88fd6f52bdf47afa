import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { KernelLed, listLeds } from '../../../drivers/led/kernel-led.js';
import { SimulatedLeds } from '../../../drivers/led/simulated-leds.js';
import { ManualClock, systemClock } from '../../../src/base/clock.js';
import { kernelSysfs } from '../../../src/device/toolkit/kernel-sysfs.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { ledContract, type LedFixture } from './suite.js';

async function simulatedFixture(): Promise<LedFixture> {
  const clock = new ManualClock();
  const leds = new SimulatedLeds(clock, [{ name: 'other' }, { name: 'green:status', maxBrightness: 200 }]);
  return {
    attributes: leds,
    clock,
    name: 'green:status',
    trigger: 'mmc0',
    async becomes(isLit) {
      for (let ms = 0; leds.brightnessOf('green:status') > 0 !== isLit; ms++) {
        if (ms > 1000) throw new Error(`not ${isLit ? 'lit' : 'dark'} within a second`);
        clock.advance(1);
      }
      return leds.brightnessOf('green:status');
    },
    unplug: () => leds.setUnplugged('green:status', true),
    close: async () => undefined,
  };
}

await t.test('the simulated class', (t) => ledContract((name, body) => t.test(name, body), simulatedFixture));

await t.test('the files of a trigger belong to our group after udev’s delay', async (t) => {
  const clock = new ManualClock();
  const leds = new SimulatedLeds(clock, [{ name: 'ACT' }]);
  const led = await KernelLed.open(leds, clock, 'ACT');
  const blink = { brightness: 255, onMs: 100, offMs: 200 };
  leds.udevMs = 50;
  const blinking = led.blink(blink);
  for (let n = 0; n < 40; n++) {
    await yieldToEventLoop();
    clock.advance(5);
  }
  await blinking;
  t.equal(await leds.read('ACT/delay_off'), '200');
  leds.udevMs = 10_000;
  const rejected = t.rejects(led.blink(blink), { code: 'DEVICE_OFFLINE', message: /no permission/ });
  for (let n = 0; n < 400; n++) {
    await yieldToEventLoop();
    clock.advance(10);
  }
  await rejected;
});

await t.test('an LED in use by the kernel, and a kernel that cannot blink, are reported', async (t) => {
  const clock = new ManualClock();
  const leds = new SimulatedLeds(clock, [{ name: 'flash' }]);
  const led = await KernelLed.open(leds, clock, 'flash');
  leds.busy.add('flash');
  await t.rejects(led.setBrightness(1), { code: 'DEVICE_OFFLINE', message: /in use by the kernel/ });
  leds.busy.clear();
  leds.triggers.delete('timer');
  await t.rejects(led.blink({ brightness: 1, onMs: 100, offMs: 100 }), {
    code: 'DEVICE_CONFIGURATION',
    message: /run modprobe ledtrig-timer/,
  });
});

await t.test('the class of a machine is read from its directories, without creating anything', async (t) => {
  const directory = await tempDirectory(t);
  const root = join(directory, 'class');
  t.strictSame(await listLeds(kernelSysfs(root)), [], 'none, without a class');
  await mkdir(root);
  for (const name of ['PWR', 'ACT']) {
    const device = join(directory, 'devices', name);
    await mkdir(device, { recursive: true });
    await writeFile(join(device, 'max_brightness'), '255\n');
    await writeFile(join(device, 'brightness'), '000\n');
    await writeFile(join(device, 'trigger'), 'none timer [mmc0] heartbeat\n');
    await symlink(device, join(root, name));
  }
  await mkdir(join(root, 'broken'));
  const attributes = kernelSysfs(root);
  t.strictSame(await listLeds(attributes), [
    { name: 'ACT', maxBrightness: 255, trigger: 'mmc0' },
    { name: 'PWR', maxBrightness: 255, trigger: 'mmc0' },
  ]);
  await t.rejects(KernelLed.open(attributes, systemClock(), '../devices/none'), { code: 'DEVICE_OFFLINE' });
  await attributes.write('ACT/brightness', '128');
  t.equal(await readFile(join(root, 'ACT/brightness'), 'utf8'), '128\n');
  await t.rejects(attributes.write('ACT/delay_on', '1'), { code: 'ENOENT' });
  t.strictSame(await attributes.list('ACT'), ['brightness', 'max_brightness', 'trigger']);
});
