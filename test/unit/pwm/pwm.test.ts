import t, { type Test } from 'tap';
import { SimulatedPwm, type SimulatedPwmChip } from '../../../drivers/pwm/simulated-pwm.js';
import { pwmModules } from '../../../drivers/pwm/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';

const ID = 'fe20c000.pwm';
const board = { pwm: [{ chip: ID, channels: { PWM0: 0, PWM1: 1 } }] };

/** A gateway’s PWM channels on a machine with these chips. */
class Machine extends DeviceFixture {
  readonly clock: ManualClock;
  readonly pwm: SimulatedPwm;

  constructor(
    t: Test,
    chips: readonly SimulatedPwmChip[] = [{ id: ID, channels: 2 }],
    clock = new ManualClock(),
  ) {
    const simulatedPwm = new SimulatedPwm(clock, chips);
    super(pwmModules(board, clock, Promise.resolve(simulatedPwm)), clock);
    this.clock = clock;
    this.pwm = simulatedPwm;
    t.teardown(() => this.devices.close());
  }

  async open(properties: Record<string, unknown> = {}): Promise<Instance> {
    const instance = await this.add('PWM', { Channel: 'PWM0', ...properties });
    await this.waitForLink(instance, 'online');
    return instance;
  }

  write(instance: Instance, ident: string, value: boolean | number | string): Promise<void> {
    return this.devices.write(instance.id, ident, value);
  }

  /** The reported values and the output: STATE, LEVEL, period and duty time. */
  stands(instance: Instance, channel = 0) {
    const wave = this.pwm.waveform(ID, channel);
    return [
      this.value(instance, 'STATE'),
      this.value(instance, 'LEVEL'),
      ...(wave === undefined ? ['nothing'] : [wave.periodNs, wave.dutyNs]),
    ];
  }
}

await t.test('a dimmer goes from MinDuty to MaxDuty, and 0 is off', async (t) => {
  const machine = new Machine(t);
  const lamp = await machine.open({ FrequencyHz: 2000, MinDuty: 0.1, MaxDuty: 0.9, OnLevel: 0.75 });
  t.strictSame(machine.stands(lamp), [false, 0, 'nothing'], 'opening changes nothing');
  await machine.write(lamp, 'LEVEL', 0.5);
  t.strictSame(machine.stands(lamp), [true, 0.5, 500_000, 250_000]);
  await machine.write(lamp, 'STATE', true);
  t.strictSame(machine.stands(lamp), [true, 0.75, 500_000, 350_000]);
  await machine.write(lamp, 'LEVEL', 1);
  t.strictSame(machine.stands(lamp), [true, 1, 500_000, 450_000]);
  await machine.write(lamp, 'LEVEL', 0.01);
  t.strictSame(machine.stands(lamp), [true, 0.01, 500_000, 54_000]);
  await machine.write(lamp, 'LEVEL', 0);
  t.strictSame(machine.stands(lamp), [false, 0, 500_000, 0], 'off, but enabled: its pin is inactive');
  await machine.write(lamp, 'LEVEL', 0.3);
  await machine.write(lamp, 'STATE', false);
  t.strictSame(machine.stands(lamp), [false, 0, 500_000, 0]);
});

await t.test('a servo is at its end position at 0, and without a pulse when off', async (t) => {
  const machine = new Machine(t);
  const servo = await machine.open({ FrequencyHz: 50, MinDuty: 0.05, MaxDuty: 0.1, ZeroIsOff: false });
  await machine.write(servo, 'LEVEL', 0);
  t.strictSame(machine.stands(servo), [true, 0, 20_000_000, 1_000_000]);
  await machine.write(servo, 'LEVEL', 0.5);
  t.strictSame(machine.stands(servo), [true, 0.5, 20_000_000, 1_500_000]);
  await machine.write(servo, 'STATE', false);
  t.strictSame(machine.stands(servo), [false, 0.5, 20_000_000, 0], 'LEVEL keeps its last value');
  const turned = await machine.open({ Channel: 'PWM1', Inverted: true });
  await machine.write(turned, 'LEVEL', 0.25);
  t.strictSame(machine.pwm.waveform(ID, 1), { periodNs: 1_000_000, dutyNs: 250_000, isInverted: true });
});

await t.test(
  'closing and opening change nothing; another frequency applies from the next command',
  async (t) => {
    const machine = new Machine(t);
    const lamp = await machine.open({ Boot: 'inactive' });
    t.strictSame(machine.stands(lamp), [false, 0, 1_000_000, 0], 'Boot');
    await machine.write(lamp, 'LEVEL', 0.4);
    const moved: unknown[] = [];
    machine.pwm.onChange = (_chip, _channel, wave) => moved.push(wave);
    await machine.change(lamp, { FrequencyHz: 100, Inverted: true, OnLevel: 0.2 });
    await machine.waitForLink(lamp, 'online');
    await machine.change(lamp, { Channel: '' });
    t.match(machine.status(lamp), /Channel is empty/);
    await machine.change(lamp, { Channel: 'PWM0' });
    await machine.waitForLink(lamp, 'online');
    t.strictSame(machine.stands(lamp), [true, 0.4, 1_000_000, 400_000]);
    t.strictSame(moved, []);
    await machine.write(lamp, 'STATE', true);
    t.strictSame(machine.pwm.waveform(ID, 0), { periodNs: 10_000_000, dutyNs: 2_000_000, isInverted: true });
    const other = await machine.open({ Channel: '1', Boot: 'active', OnLevel: 0.6 });
    t.strictSame(machine.stands(other, 1), [true, 0.6, 1_000_000, 600_000]);
  },
);

await t.test(
  'changes by others are reported, and after a failed command the variables are correct',
  async (t) => {
    const machine = new Machine(t, [{ id: ID, channels: 2, periodNs: [10_000, 1e9], canInvert: false }]);
    const lamp = await machine.open();
    await machine.write(lamp, 'LEVEL', 0.5);
    await machine.pwm.write('pwmchip0/pwm0/duty_cycle', '100000');
    await machine.devices.refresh(lamp.id, 'LEVEL');
    t.strictSame(machine.stands(lamp), [true, 0.1, 1_000_000, 100_000]);
    await machine.change(lamp, { Inverted: true });
    await machine.waitForLink(lamp, 'online');
    await t.rejects(machine.write(lamp, 'LEVEL', 0.9), {
      code: 'DEVICE_CONFIGURATION',
      message: /cannot set polarity to inversed; change FrequencyHz or Inverted/,
    });
    t.strictSame(machine.stands(lamp), [true, 0.1, 1_000_000, 100_000], 'it continues as before');
    await machine.change(lamp, { Inverted: false, FrequencyHz: 1_000_000 });
    await machine.waitForLink(lamp, 'online');
    await t.rejects(machine.write(lamp, 'STATE', true), { message: /cannot set period to 1000; change/ });
    t.strictSame(machine.stands(lamp), [true, 0.1, 1_000_000, 100_000]);
    for (const [ident, value] of [
      ['STATE', 1],
      ['LEVEL', 1.01],
      ['LEVEL', -0.1],
      ['LEVEL', 'half'],
    ] as const)
      await t.rejects(machine.write(lamp, ident, value), { code: 'CANNOT_CONVERT' });
    await t.rejects(machine.write(lamp, 'LINK', 'x'), { code: 'READ_ONLY' });
  },
);

await t.test(
  'a channel belongs to one instance; its chip can be unplugged and plugged in again',
  async (t) => {
    const machine = new Machine(t);
    const lamp = await machine.open();
    const second = await machine.add('PWM', { Chip: 'pwmchip0', Channel: '0' });
    await machine.waitForLink(second, 'waiting');
    t.match(machine.status(second), /fe20c000.pwm\/0 is in use by another instance/);
    machine.pwm.occupy(ID, 1, 'pwm-fan');
    const fan = await machine.add('PWM', { Channel: 'PWM1' });
    await machine.waitForLink(fan, 'waiting');
    t.match(machine.status(fan), /PWM1 is in use by the kernel/);
    machine.pwm.setUnplugged(ID, true);
    await t.rejects(machine.write(lamp, 'STATE', true), { code: 'DEVICE_OFFLINE', message: /PWM0 is gone/ });
    await machine.waitForLink(lamp, 'waiting');
    machine.pwm.setUnplugged(ID, false);
    await machine.change(second, { Channel: '' });
    await machine.waitForReconnect(lamp, machine.clock);
    t.strictSame(machine.stands(lamp), [false, 0, 'nothing']);
    await machine.write(lamp, 'STATE', true);
    t.strictSame(machine.stands(lamp), [true, 1, 1_000_000, 1_000_000]);
  },
);

await t.test('a rejected waveform of another polarity leaves the output as it was', async (t) => {
  const machine = new Machine(t, [{ id: ID, channels: 2, periodNs: [10_000, 1e9] }]);
  const lamp = await machine.open();
  await machine.write(lamp, 'LEVEL', 0.5);
  await machine.change(lamp, { Inverted: true, FrequencyHz: 1_000_000 });
  await machine.waitForLink(lamp, 'online');
  await t.rejects(machine.write(lamp, 'LEVEL', 0.9), { message: /cannot set period to 1000; change/ });
  const before = { periodNs: 1_000_000, dutyNs: 500_000, isInverted: false };
  t.strictSame(machine.pwm.waveform(ID, 0), before);
  t.strictSame(machine.stands(lamp), [true, 0.5, 1_000_000, 500_000]);
});

await t.test('a chip that is plugged in again with another number does not boot again', async (t) => {
  const chips = [
    { id: ID, channels: 2 },
    { id: 'other', channels: 2 },
  ];
  const machine = new Machine(t, chips);
  const lamp = await machine.open({ Boot: 'active' });
  t.equal(machine.value(lamp, 'STATE'), true);
  machine.pwm.setUnplugged(ID, true);
  await t.rejects(machine.write(lamp, 'STATE', true), { code: 'DEVICE_OFFLINE' });
  await machine.waitForLink(lamp, 'waiting');
  chips.reverse();
  machine.pwm.setUnplugged(ID, false);
  await machine.waitForReconnect(lamp, machine.clock);
  t.strictSame(machine.stands(lamp), [false, 0, 'nothing']);
});

await t.test('a channel is selected unambiguously, or the error says how', async (t) => {
  const one = { id: ID, channels: 2 };
  const statusOf = async (
    properties: Record<string, unknown>,
    chips: readonly SimulatedPwmChip[] = [one],
  ) => {
    const machine = new Machine(t, chips);
    const instance = await machine.add('PWM', properties);
    if (machine.value(instance, 'LINK') !== 'closed') await machine.waitForLink(instance, 'waiting');
    return machine.status(instance);
  };
  t.match(await statusOf({ Channel: '2' }), /fe20c000.pwm has channels 0 to 1, no channel 2/);
  t.match(await statusOf({ Channel: 'LAMP' }), /the board has no PWM channel named LAMP/);
  t.match(await statusOf({ Channel: '0' }, []), /this machine has no PWM chip \(it has none\)/);
  t.match(await statusOf({ Channel: '0', Chip: 'x' }), /has no PWM chip x \(it has fe20c000.pwm\)/);
  t.match(await statusOf({ Channel: '0' }, [one, { id: 'fan', channels: 1 }]), /2 PWM chips match/);
  t.match(await statusOf({ Channel: '0', Chip: ID }, [one, one]), /one of pwmchip0, pwmchip1/);
  t.match(await statusOf({ Channel: '0', MinDuty: 0.5, MaxDuty: 0.5 }), /MinDuty must be less than MaxDuty/);
  t.match(await statusOf({ Channel: '0', OnLevel: 0 }), /OnLevel is 0, which is off/);
});

await t.test('the simulated board has channels whose chip can be unplugged', async (t) => {
  const clock = new ManualClock();
  await using fixture = new DeviceFixture(pwmModules({ ...board, simulated: {} }, clock), clock);
  const lamp = await fixture.add('PWM', { Channel: 'PWM1' });
  await fixture.waitForLink(lamp, 'online');
  await t.rejects(fixture.call('GW_SimulatePwmGone', 'other', true), { code: 'NAME_NOT_FOUND' });
  t.equal(await fixture.call('GW_SimulatePwmGone', ID, true), true);
  await t.rejects(fixture.devices.write(lamp.id, 'STATE', true), { code: 'DEVICE_OFFLINE' });
  t.equal(await fixture.call('GW_SimulatePwmGone', ID, false), true);
  await fixture.waitForLink(lamp, 'waiting');
  await fixture.waitForReconnect(lamp, clock);
  t.strictSame(
    pwmModules(board, clock).flatMap((module) => module.functions?.(fixture.devices) ?? []),
    [],
    'and no other board has',
  );
});
