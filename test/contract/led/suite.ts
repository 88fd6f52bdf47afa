import { KernelLed, listLeds } from '../../../drivers/led/kernel-led.js';
import type { Clock } from '../../../src/base/clock.js';
import type { SysfsClass } from '../../../src/device/toolkit/sysfs-class.js';
import type { Asserts, ContractCase } from '../gpio/suite.js';

/**
 * A class of LEDs with one that is the test's. All of the contract is told by it, to a kernel or to what
 * plays one.
 */
export interface LedBench {
  readonly attributes: SysfsClass;
  readonly clock: Clock;
  readonly name: string;
  /** A trigger that the kernel has, beside `timer`, that leaves a LED dark. */
  readonly trigger: string;
  /** Waits until the LED is seen lit, or dark; gives how bright it was then. */
  becomes(isLit: boolean): Promise<number>;
  /** Pulls the LED out, where that can be done. The bench is of no more use then. */
  unplug?(): Promise<void> | void;
  close(): Promise<void>;
}

/** Runs the whole contract on benches made anew for each sentence. */
export async function ledContract(sentence: ContractCase, makeBench: () => Promise<LedBench>): Promise<void> {
  const on = (name: string, body: (t: Asserts, bench: LedBench, led: KernelLed) => Promise<void>) =>
    sentence(name, async (t) => {
      const bench = await makeBench();
      try {
        await body(t, bench, await KernelLed.open(bench.attributes, bench.clock, bench.name));
      } finally {
        await bench.close();
      }
    });

  await on('a LED is listed with its most and its trigger', async (t, { attributes, name, trigger }, led) => {
    await led.setTrigger(trigger);
    const found = (await listLeds(attributes)).find((info) => info.name === name);
    t.strictSame(found, { name, maxBrightness: led.maxBrightness, trigger });
  });

  await on('opening a LED changes nothing', async (t, { attributes, clock, name, trigger }, led) => {
    await led.setTrigger(trigger);
    await KernelLed.open(attributes, clock, name);
    t.equal((await led.read()).trigger, trigger);
    await led.setBrightness(led.maxBrightness);
    await KernelLed.open(attributes, clock, name);
    t.strictSame(await led.read(), { brightness: led.maxBrightness, trigger: 'none' });
  });

  await on('it is lit, and dark, and what drove it does so no more', async (t, { trigger }, led) => {
    await led.setTrigger(trigger);
    await led.setBrightness(1);
    t.strictSame(await led.read(), { brightness: 1, trigger: 'none' });
    await led.off();
    t.strictSame(await led.read(), { brightness: 0, trigger: 'none' });
    await led.setTrigger(trigger);
    await led.off();
    t.strictSame(await led.read(), { brightness: 0, trigger: 'none' });
  });

  await on('it blinks as bright as it is told until it is told otherwise', async (t, bench, led) => {
    await led.setBrightness(1);
    await led.blink({ brightness: led.maxBrightness, onMs: 60, offMs: 90 });
    t.equal((await led.read()).trigger, 'timer');
    for (let n = 0; n < 3; n++) {
      t.equal(await bench.becomes(true), led.maxBrightness);
      await bench.becomes(false);
    }
    t.equal(await bench.attributes.read(`${bench.name}/delay_on`), '60');
    t.equal(await bench.attributes.read(`${bench.name}/delay_off`), '90');
    await led.blink({ brightness: 1, onMs: 60, offMs: 60 });
    await bench.becomes(false);
    t.equal(await bench.becomes(true), 1);
    await led.setBrightness(led.maxBrightness);
    t.strictSame(await led.read(), { brightness: led.maxBrightness, trigger: 'none' });
    await led.blink({ brightness: 1, onMs: 60, offMs: 60 });
    await led.off();
    t.strictSame(await led.read(), { brightness: 0, trigger: 'none' });
  });

  await on('a trigger that there is not is refused with those that there are', async (t, _bench, led) => {
    await led.setBrightness(1);
    await t.rejects(led.setTrigger('nobody'), {
      code: 'DEVICE_REFUSED',
      message: /no trigger nobody; available are none, .*timer/,
    });
    t.strictSame(await led.read(), { brightness: 1, trigger: 'none' });
  });

  await on('the kernel’s own rules, on which all of this stands', async (t, bench, led) => {
    const { attributes, name } = bench;
    const write = (attribute: string, text: string) => attributes.write(`${name}/${attribute}`, text);
    await write('brightness', String(led.maxBrightness + 7));
    t.equal((await led.read()).brightness, led.maxBrightness, 'a brightness above the most is the most');
    for (const wrong of ['-1', 'bright']) await t.rejects(write('brightness', wrong), { code: 'EINVAL' });
    await t.rejects(write('delay_on', '50'), { code: 'ENOENT' });
    await write('trigger', 'timer');
    t.equal(await attributes.read(`${name}/delay_on`), '500', 'until it is told, half a second');
    t.equal(await attributes.read(`${name}/delay_off`), '500');
    await write('trigger', 'none');
    t.strictSame(await led.read(), { brightness: 0, trigger: 'none' }, 'a trigger that goes leaves it dark');
    await t.rejects(write('delay_on', '50'), { code: 'ENOENT' });
    await t.rejects(write('max_brightness', '1'), { code: 'EACCES' });
  });

  await on('a LED that is pulled out is offline', async (t, bench, led) => {
    if (bench.unplug === undefined)
      return void t.pass('a LED that is pulled out', { skip: 'it can’t be pulled out here' });
    await bench.unplug();
    const gone = { code: 'DEVICE_OFFLINE', message: /the LED .* is gone/ };
    await t.rejects(led.read(), gone);
    await t.rejects(led.setBrightness(1), gone);
    await t.rejects(KernelLed.open(bench.attributes, bench.clock, bench.name), { code: 'DEVICE_OFFLINE' });
  });
}
