import {
  listPwmChips,
  PwmChannel,
  type PwmChannelAddress,
  type Waveform,
} from '../../../drivers/pwm/kernel-pwm.js';
import type { Clock } from '../../../src/base/clock.js';
import type { SysfsClass } from '../../../src/device/toolkit/sysfs-class.js';
import type { Asserts, ContractCase } from '../gpio/suite.js';

/** A PWM chip with at least two channels for the test. */
export interface PwmFixture {
  readonly attributes: SysfsClass;
  readonly clock: Clock;
  /** The device name of the chip. */
  readonly id: string;
  /** A channel that a kernel driver uses. */
  readonly kept: { readonly id: string; readonly channel: number };
  /**
   * All outputs of a channel since the fixture was created, if they are observable; undefined for no output.
   */
  seen?(channel: number): readonly (Waveform | undefined)[];
  /** Unplugs the chip, if possible. The fixture cannot be used afterwards. */
  unplug?(): Promise<void> | void;
  close(): Promise<void>;
}

const wave = (periodNs: number, dutyNs: number, isInverted = false): Waveform => ({
  periodNs,
  dutyNs,
  isInverted,
});

/** Runs the complete contract, each case on a new fixture. */
export async function pwmContract(
  sentence: ContractCase,
  makeFixture: () => Promise<PwmFixture>,
): Promise<void> {
  type Open = (channel: number) => Promise<PwmChannel>;
  const on = (name: string, body: (t: Asserts, fixture: PwmFixture, open: Open) => Promise<void>) =>
    sentence(name, async (t) => {
      const fixture = await makeFixture();
      const { attributes, clock } = fixture;
      const open: Open = async (channel) =>
        PwmChannel.open(attributes, clock, await placeOf(attributes, { id: fixture.id, channel }));
      try {
        await body(t, fixture, open);
      } finally {
        await fixture.close();
      }
    });

  await on('a chip is listed by its device, with its exported channels', async (t, fixture, open) => {
    const listed = async () => (await listPwmChips(fixture.attributes)).find(({ id }) => id === fixture.id);
    const before = await listed();
    t.strictSame(before?.exported, []);
    await open(1);
    t.strictSame(await listed(), { ...before, exported: [1] });
  });

  await on(
    'a channel outputs the given waveform, and opening it again changes nothing',
    async (t, _fixture, open) => {
      const channel = await open(0);
      t.equal(await channel.read(), undefined);
      await channel.set(wave(1_000_000, 250_000));
      t.strictSame(await channel.read(), wave(1_000_000, 250_000));
      t.strictSame(await (await open(0)).read(), wave(1_000_000, 250_000));
      await channel.set(wave(1_000_000, 0));
      t.strictSame(await channel.read(), wave(1_000_000, 0));
      await channel.set(wave(1_000_000, 1_000_000));
      t.strictSame(await channel.read(), wave(1_000_000, 1_000_000));
    },
  );

  await on('between a longer and a shorter period the waveform is always valid', async (t, fixture, open) => {
    const channel = await open(0);
    const waves = [
      wave(1_000_000, 900_000),
      wave(20_000_000, 1_500_000),
      wave(20_000_000, 19_000_000),
      wave(100_000, 50_000),
    ];
    for (const next of waves) {
      await channel.set(next);
      t.strictSame(await channel.read(), next);
    }
    if (fixture.seen === undefined) return;
    // The first one is undefined until it is set completely; from then on it never stops.
    const from = fixture.seen(0).findIndex((state) => state !== undefined);
    t.ok(
      fixture
        .seen(0)
        .slice(from)
        .every((state) => state !== undefined),
    );
    t.equal(fixture.seen(0).length - from, 1 + 2 + 1 + 2, 'with the minimum number of writes');
  });

  await on('the polarity changes while the output is disabled', async (t, fixture, open) => {
    const channel = await open(1);
    await channel.set(wave(1_000_000, 250_000, true));
    t.strictSame(await channel.read(), wave(1_000_000, 250_000, true));
    await channel.set(wave(1_000_000, 500_000));
    t.strictSame(await channel.read(), wave(1_000_000, 500_000));
    if (fixture.seen === undefined) return;
    const states = fixture.seen(1);
    for (const [n, state] of states.entries())
      t.notOk(state !== undefined && states[n - 1]?.isInverted === !state.isInverted);
  });

  await on('an unsupported waveform is rejected with what to change', async (t, _fixture, open) => {
    const channel = await open(0);
    await channel.set(wave(1_000_000, 250_000));
    await t.rejects(channel.set(wave(0, 0)), {
      code: 'DEVICE_CONFIGURATION',
      message: /cannot set period to 0; change FrequencyHz/,
    });
    t.strictSame(await channel.read(), wave(1_000_000, 250_000));
  });

  await on('the kernel’s rules that the driver relies on', async (t, fixture, open) => {
    const { attributes } = fixture;
    const { chip } = await placeOf(attributes, { id: fixture.id, channel: 0 });
    const write = (path: string, text: string) => attributes.write(`${chip.name}/${path}`, text);
    await t.rejects(write('export', String(chip.channels)), { code: 'ENODEV' });
    await t.rejects(write('unexport', '0'), { code: 'ENODEV' });
    const channel = await open(0);
    await t.rejects(write('export', '0'), { code: 'EBUSY' });
    await channel.set(wave(1_000_000, 250_000));
    await t.rejects(write('pwm0/duty_cycle', '1000001'), { code: 'EINVAL' });
    await t.rejects(write('pwm0/period', '249999'), { code: 'EINVAL' });
    await t.rejects(write('pwm0/polarity', 'inverted'), { code: 'EINVAL' });
    await t.rejects(write('pwm0/enable', '2'), { code: 'EINVAL' });
    t.strictSame(await channel.read(), wave(1_000_000, 250_000));
  });

  await on('a channel of a kernel driver is in use', async (t, { attributes, clock, kept }) => {
    const opening = PwmChannel.open(attributes, clock, await placeOf(attributes, kept));
    await t.rejects(opening, { code: 'DEVICE_OFFLINE', message: /in use by the kernel/ });
  });

  await on('an unplugged chip is offline', async (t, fixture, open) => {
    if (fixture.unplug === undefined)
      return void t.pass('an unplugged chip', { skip: 'it cannot be unplugged here' });
    const channel = await open(0);
    await fixture.unplug();
    const gone = { code: 'DEVICE_OFFLINE', message: /the PWM channel .* is gone/ };
    await t.rejects(channel.read(), gone);
    await t.rejects(channel.set(wave(1_000_000, 0)), gone);
  });
}

async function placeOf(
  attributes: SysfsClass,
  { id, channel }: { readonly id: string; readonly channel: number },
): Promise<PwmChannelAddress> {
  const chip = (await listPwmChips(attributes)).find((other) => other.id === id);
  if (chip === undefined) throw new Error(`no chip ${id}`);
  return { chip, channel, name: `${id}/${channel}` };
}
