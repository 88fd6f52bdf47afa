import t, { type Test } from 'tap';
import { SimulatedLeds, type SimulatedLed } from '../../../drivers/led/simulated-leds.js';
import { ledModules } from '../../../drivers/led/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';

const board = { leds: [{ name: 'ACT', path: '/sys/class/leds/led0' }] };

/** A gateway’s LEDs on a machine with these. */
class Machine extends DeviceFixture {
  readonly clock: ManualClock;
  readonly leds: SimulatedLeds;

  constructor(t: Test, leds: readonly SimulatedLed[], clock = new ManualClock()) {
    const simulatedLeds = new SimulatedLeds(clock, leds);
    super(ledModules(board, clock, Promise.resolve(simulatedLeds)), clock);
    this.clock = clock;
    this.leds = simulatedLeds;
    t.teardown(() => this.devices.close());
  }

  async led(properties: Record<string, unknown> = {}): Promise<Instance> {
    const led = await this.add('LED', { Led: 'ACT', ...properties });
    await this.waitForLink(led, 'online');
    return led;
  }

  write(led: Instance, ident: string, value: boolean | number | string): Promise<void> {
    return this.devices.write(led.id, ident, value);
  }

  /** The reported values: STATE, BRIGHTNESS, BLINK, TRIGGER. */
  valuesOf(led: Instance) {
    return ['STATE', 'BRIGHTNESS', 'BLINK', 'TRIGGER'].map((ident) => this.value(led, ident));
  }

  /** The brightness per millisecond, as runs. */
  runs(name: string, ms: number): [brightness: number, ms: number][] {
    const runs: [number, number][] = [];
    for (let n = 0; n < ms; n++) {
      const brightness = this.leds.brightnessOf(name);
      const last = runs.at(-1);
      if (last?.[0] === brightness) last[1]++;
      else runs.push([brightness, 1]);
      this.clock.advance(1);
    }
    return runs;
  }
}

await t.test('it is switched, dimmed and blinks, and the variables follow', async (t) => {
  const machine = new Machine(t, [{ name: 'led0' }]);
  const led = await machine.led({ OnBrightness: 80, BlinkOnMs: 100, BlinkOffMs: 300 });
  t.strictSame(machine.valuesOf(led), [false, 0, false, 'none']);
  await machine.write(led, 'STATE', true);
  t.strictSame(machine.valuesOf(led), [true, 80, false, 'none']);
  t.equal(machine.leds.brightnessOf('led0'), 204);
  await machine.write(led, 'BRIGHTNESS', 1);
  t.strictSame(machine.valuesOf(led), [true, 1, false, 'none']);
  t.equal(machine.leds.brightnessOf('led0'), 3);
  await machine.write(led, 'BLINK', true);
  t.strictSame(machine.valuesOf(led), [true, 1, true, 'timer'], 'with the previous brightness');
  await machine.write(led, 'BRIGHTNESS', 50);
  t.strictSame(machine.valuesOf(led), [true, 50, true, 'timer'], 'dimmed, it continues to blink');
  t.strictSame(machine.runs('led0', 800), [
    [128, 100],
    [0, 300],
    [128, 100],
    [0, 300],
  ]);
  await machine.write(led, 'BLINK', false);
  t.strictSame(
    machine.valuesOf(led),
    [true, 50, false, 'none'],
    'steady, with the brightness of its blinking',
  );
  await machine.write(led, 'BLINK', false);
  t.strictSame(machine.valuesOf(led), [true, 50, false, 'none']);
  await machine.write(led, 'BRIGHTNESS', 0);
  t.strictSame(machine.valuesOf(led), [false, 0, false, 'none']);
  await machine.write(led, 'BLINK', true);
  t.strictSame(machine.valuesOf(led), [true, 80, true, 'timer'], 'from dark with OnBrightness');
  await machine.write(led, 'STATE', false);
  t.strictSame(machine.valuesOf(led), [false, 0, false, 'none']);
  await machine.write(led, 'TRIGGER', 'timer');
  t.strictSame(machine.runs('led0', 400), [
    [204, 100],
    [0, 300],
  ]);
});

await t.test('closing and opening change nothing: the kernel continues to blink', async (t) => {
  const machine = new Machine(t, [{ name: 'led0' }]);
  const led = await machine.led({ BlinkOnMs: 100, BlinkOffMs: 100 });
  await machine.write(led, 'BRIGHTNESS', 40);
  await machine.write(led, 'BLINK', true);
  await machine.change(led, { Led: '' });
  t.strictSame(machine.runs('led0', 400).length, 4);
  machine.clock.advance(150);
  const again = await machine.led({ Boot: 'inactive' });
  t.strictSame(
    [machine.value(again, 'STATE'), machine.value(again, 'BLINK')],
    [true, true],
    'Boot was applied',
  );
  t.strictSame(machine.runs('led0', 400).length, 5);
  machine.clock.advance(50);
  await machine.devices.refresh(again.id, 'BRIGHTNESS');
  t.equal(machine.value(again, 'BRIGHTNESS'), 40);
});

await t.test('a kernel trigger keeps driving the LED until a command, and can be set again', async (t) => {
  const machine = new Machine(t, [{ name: 'led0', trigger: 'mmc0' }]);
  const led = await machine.led();
  t.strictSame(machine.valuesOf(led), [true, 0, false, 'mmc0']);
  await machine.write(led, 'BRIGHTNESS', 100);
  t.strictSame(machine.valuesOf(led), [true, 100, false, 'none']);
  await machine.write(led, 'TRIGGER', 'mmc0');
  t.strictSame(machine.valuesOf(led), [true, 100, false, 'mmc0']);
  t.equal(await machine.leds.read('led0/trigger'), 'none [mmc0] timer heartbeat default-on');
  await machine.write(led, 'STATE', false);
  t.strictSame(machine.valuesOf(led), [false, 0, false, 'none']);
  await t.rejects(machine.write(led, 'TRIGGER', 'mmc0\nheartbeat'), { code: 'DEVICE_REFUSED' });
  await t.rejects(machine.write(led, 'TRIGGER', 'party'), {
    code: 'DEVICE_REFUSED',
    message: /the LED led0 has no trigger party; available are none, mmc0, timer/,
  });
  t.strictSame(machine.valuesOf(led), [false, 0, false, 'none']);
  await machine.leds.write('led0/trigger', 'default-on');
  await machine.devices.refresh(led.id, 'STATE');
  t.strictSame(machine.valuesOf(led), [true, 100, false, 'default-on'], 'another program changed it');
});

await t.test('Boot is applied once after the machine has booted', async (t) => {
  const machine = new Machine(t, [{ name: 'led0', trigger: 'mmc0' }, { name: 'PWR' }]);
  const dark = await machine.led({ Boot: 'inactive' });
  t.strictSame(machine.valuesOf(dark), [false, 0, false, 'none']);
  await machine.write(dark, 'STATE', true);
  await machine.devices.applyChanges(dark.id);
  await machine.waitForLink(dark, 'online');
  t.strictSame(machine.valuesOf(dark), [true, 100, false, 'none']);
  const lit = await machine.led({ Led: 'PWR', Boot: 'active', OnBrightness: 20 });
  t.strictSame(machine.valuesOf(lit), [true, 20, false, 'none']);
});

await t.test('an LED without levels is only on or off', async (t) => {
  const machine = new Machine(t, [{ name: 'led0', maxBrightness: 1 }]);
  const led = await machine.led();
  await machine.write(led, 'BRIGHTNESS', 10);
  t.strictSame(machine.valuesOf(led), [true, 100, false, 'none']);
});

await t.test('an LED belongs to one instance; it can be unplugged and plugged in again', async (t) => {
  const machine = new Machine(t, [{ name: 'led0' }]);
  const led = await machine.led();
  const second = await machine.add('LED', { Led: 'led0' });
  await machine.waitForLink(second, 'waiting');
  t.match(machine.status(second), /the LED led0 is in use by another instance/);
  await machine.change(led, { Led: '' });
  await machine.waitForReconnect(second, machine.clock);
  machine.leds.setUnplugged('led0', true);
  await t.rejects(machine.write(second, 'STATE', true), { code: 'DEVICE_OFFLINE', message: /led0 is gone/ });
  await machine.waitForLink(second, 'waiting');
  machine.leds.setUnplugged('led0', false);
  await machine.waitForReconnect(second, machine.clock);
  await machine.write(second, 'STATE', true);
});

await t.test('an invalid command is rejected, and the variables stay correct', async (t) => {
  const machine = new Machine(t, [{ name: 'led0' }]);
  const led = await machine.led();
  for (const [ident, value] of [
    ['STATE', 1],
    ['BRIGHTNESS', 101],
    ['BRIGHTNESS', -1],
    ['BRIGHTNESS', true],
    ['BLINK', 'yes'],
    ['TRIGGER', 5],
  ] as const)
    await t.rejects(machine.write(led, ident, value), { code: 'CANNOT_CONVERT' });
  await t.rejects(machine.write(led, 'LINK', 'x'), { code: 'READ_ONLY' });
  machine.leds.triggers.delete('timer');
  await t.rejects(machine.write(led, 'BLINK', true), {
    code: 'DEVICE_CONFIGURATION',
    message: /ledtrig-timer/,
  });
  t.strictSame(machine.valuesOf(led), [true, 100, false, 'none'], 'lit half way, which the variables show');
  const none = await machine.add('LED', { Led: 'nowhere' });
  await machine.waitForLink(none, 'waiting');
  t.match(machine.status(none), /this machine has no LED nowhere \(it has led0\)/);
  t.match(machine.status(await machine.add('LED', {})), /Led is empty/);
});

await t.test('the simulated board has LEDs that can be unplugged', async (t) => {
  const clock = new ManualClock();
  const leds = [{ name: 'LED1', path: '/sys/class/leds/LED1' }];
  await using fixture = new DeviceFixture(ledModules({ leds, simulated: {} }, clock), clock);
  const led = await fixture.add('LED', { Led: 'LED1' });
  await fixture.waitForLink(led, 'online');
  await t.rejects(fixture.call('GW_SimulateLedGone', 'LED9', true), { code: 'NAME_NOT_FOUND' });
  t.equal(await fixture.call('GW_SimulateLedGone', 'LED1', true), true);
  await t.rejects(fixture.devices.write(led.id, 'STATE', true), { code: 'DEVICE_OFFLINE' });
  t.equal(await fixture.call('GW_SimulateLedGone', 'LED1', false), true);
  await fixture.waitForLink(led, 'waiting');
  await fixture.waitForReconnect(led, clock);
  t.strictSame(
    ledModules({ leds }, clock).flatMap((module) => module.functions?.(fixture.devices) ?? []),
    [],
    'and no other board has',
  );
});
