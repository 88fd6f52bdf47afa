import { KernelLed, listLeds } from '../../../drivers/led/kernel-led.js';
import type { Clock } from '../../../src/base/clock.js';
import type { SysfsClass } from '../../../src/device/toolkit/sysfs-class.js';
import type { Asserts, ContractCase } from '../gpio/suite.js';

/** An LED class with one LED of the test, of a kernel or simulated. */
export interface LedFixture {
  readonly attributes: SysfsClass;
  readonly clock: Clock;
  readonly name: string;
  /** A trigger other than `timer` that leaves an LED dark. */
  readonly trigger: string;
  /** Waits until the LED is lit, or dark; returns its brightness at that time. */
  becomes(isLit: boolean): Promise<number>;
  /** Unplugs the LED, if possible. The fixture cannot be used afterwards. */
  unplug?(): Promise<void> | void;
  close(): Promise<void>;
}

/** Runs the complete contract, each case on a new fixture. */
export async function ledContract(
  sentence: ContractCase,
  makeFixture: () => Promise<LedFixture>,
): Promise<void> {
  const on = (name: string, body: (t: Asserts, fixture: LedFixture, led: KernelLed) => Promise<void>) =>
    sentence(name, async (t) => {
      const fixture = await makeFixture();
      try {
        await body(t, fixture, await KernelLed.open(fixture.attributes, fixture.clock, fixture.name));
      } finally {
        await fixture.close();
      }
    });

  await on(
    'an LED is listed with its maximum brightness and its trigger',
    async (t, { attributes, name, trigger }, led) => {
      await led.setTrigger(trigger);
      const found = (await listLeds(attributes)).find((info) => info.name === name);
      t.strictSame(found, { name, maxBrightness: led.maxBrightness, trigger });
    },
  );

  await on('opening an LED changes nothing', async (t, { attributes, clock, name, trigger }, led) => {
    await led.setTrigger(trigger);
    await KernelLed.open(attributes, clock, name);
    t.equal((await led.read()).trigger, trigger);
    await led.setBrightness(led.maxBrightness);
    await KernelLed.open(attributes, clock, name);
    t.strictSame(await led.read(), { brightness: led.maxBrightness, trigger: 'none' });
  });

  await on('it is switched on and off, which removes its trigger', async (t, { trigger }, led) => {
    await led.setTrigger(trigger);
    await led.setBrightness(1);
    t.strictSame(await led.read(), { brightness: 1, trigger: 'none' });
    await led.off();
    t.strictSame(await led.read(), { brightness: 0, trigger: 'none' });
    await led.setTrigger(trigger);
    await led.off();
    t.strictSame(await led.read(), { brightness: 0, trigger: 'none' });
  });

  await on('it blinks with the given brightness until another command', async (t, fixture, led) => {
    await led.setBrightness(1);
    await led.blink({ brightness: led.maxBrightness, onMs: 60, offMs: 90 });
    t.equal((await led.read()).trigger, 'timer');
    for (let n = 0; n < 3; n++) {
      t.equal(await fixture.becomes(true), led.maxBrightness);
      await fixture.becomes(false);
    }
    t.equal(await fixture.attributes.read(`${fixture.name}/delay_on`), '60');
    t.equal(await fixture.attributes.read(`${fixture.name}/delay_off`), '90');
    await led.blink({ brightness: 1, onMs: 60, offMs: 60 });
    await fixture.becomes(false);
    t.equal(await fixture.becomes(true), 1);
    await led.setBrightness(led.maxBrightness);
    t.strictSame(await led.read(), { brightness: led.maxBrightness, trigger: 'none' });
    await led.blink({ brightness: 1, onMs: 60, offMs: 60 });
    await led.off();
    t.strictSame(await led.read(), { brightness: 0, trigger: 'none' });
  });

  await on('an unknown trigger is rejected with a list of the known ones', async (t, _fixture, led) => {
    await led.setBrightness(1);
    await t.rejects(led.setTrigger('nobody'), {
      code: 'DEVICE_REFUSED',
      message: /no trigger nobody; available are none, .*timer/,
    });
    t.strictSame(await led.read(), { brightness: 1, trigger: 'none' });
  });

  await on('the kernel’s rules that the driver relies on', async (t, fixture, led) => {
    const { attributes, name } = fixture;
    const write = (attribute: string, text: string) => attributes.write(`${name}/${attribute}`, text);
    await write('brightness', String(led.maxBrightness + 7));
    t.equal((await led.read()).brightness, led.maxBrightness, 'a brightness above the maximum is limited');
    for (const wrong of ['-1', 'bright']) await t.rejects(write('brightness', wrong), { code: 'EINVAL' });
    await t.rejects(write('delay_on', '50'), { code: 'ENOENT' });
    await write('trigger', 'timer');
    t.equal(await attributes.read(`${name}/delay_on`), '500', 'half a second by default');
    t.equal(await attributes.read(`${name}/delay_off`), '500');
    await write('trigger', 'none');
    t.strictSame(await led.read(), { brightness: 0, trigger: 'none' }, 'removing a trigger leaves it dark');
    await t.rejects(write('delay_on', '50'), { code: 'ENOENT' });
    await t.rejects(write('max_brightness', '1'), { code: 'EACCES' });
  });

  await on('an unplugged LED is offline', async (t, fixture, led) => {
    if (fixture.unplug === undefined)
      return void t.pass('an unplugged LED', { skip: 'it cannot be unplugged here' });
    await fixture.unplug();
    const gone = { code: 'DEVICE_OFFLINE', message: /the LED .* is gone/ };
    await t.rejects(led.read(), gone);
    await t.rejects(led.setBrightness(1), gone);
    await t.rejects(KernelLed.open(fixture.attributes, fixture.clock, fixture.name), {
      code: 'DEVICE_OFFLINE',
    });
  });
}
