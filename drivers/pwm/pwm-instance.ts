import { coded } from '../../src/base/codes/coded-text.js';
import type { Static } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { type SysfsClass, withDebugOutput } from '../../src/device/toolkit/sysfs-class.js';
import { SysfsInstance } from '../../src/device/toolkit/sysfs-instance.js';
import type { Host, OpenInstance, Value } from '../../src/device/module.js';
import { parseBoolean } from '../../src/device/toolkit/parse-boolean.js';
import { listPwmChips, PwmChannel, type PwmChannelAddress, type Waveform } from './kernel-pwm.js';
import type { PwmContext, pwmProperties } from './index.js';
import { resolveChannel } from './channel-lookup.js';

type PwmProperties = Static<typeof pwmProperties>;

/** Levels are rounded to this: the kernel stores integer nanoseconds, so finer differences are rounding. */
const LEVEL_STEPS = 10_000;

/** Opens an instance of the module. Only the property Boot changes the output. */
export async function openPwm(host: Host<PwmProperties>, context: PwmContext): Promise<OpenInstance> {
  const attributes = withDebugOutput(host, await context.attributes());
  const { Chip, Channel } = host.properties;
  const address = await resolveChannel(attributes, context.board.pwm ?? [], { chip: Chip, channel: Channel });
  const bootFlags = await bootFlagsOf(address, attributes);
  return context.holders.open(
    coded`PWM_CHANNEL: the PWM channel ${address.chip.id}/${address.channel}`,
    host,
    async (release) => {
      host.signal.throwIfAborted();
      const pwm = new PwmInstance(host, await PwmChannel.open(attributes, host.clock, address), release);
      await pwm.boot(...bootFlags);
      return pwm;
    },
  );
}

/**
 * The flags of a channel: with the number of its chip, and without it if that is the only one of its device. The
 * kernel may give the chip another number when it is plugged in again.
 */
async function bootFlagsOf({ chip, channel }: PwmChannelAddress, attributes: SysfsClass): Promise<string[]> {
  const isOnlyOne = (await listPwmChips(attributes)).filter(({ id }) => id === chip.id).length === 1;
  return [...(isOnlyOne ? [`pwm ${chip.id} ${channel}`] : []), `pwm ${chip.id} ${chip.name} ${channel}`];
}

class PwmInstance extends SysfsInstance<PwmProperties> {
  readonly #channel: PwmChannel;
  /** The output that was last reported. */
  #reported: { readonly wave: Waveform | undefined } | undefined;

  constructor(host: Host<PwmProperties>, channel: PwmChannel, release: () => void) {
    super(host, coded`THE_PWM_CHANNEL: the PWM channel ${channel.address.name}`, release);
    this.#channel = channel;
  }

  protected async execute(ident: string, value: Value): Promise<void> {
    const { wave, level } = this.#parseCommand(ident, value);
    try {
      await this.#channel.set(wave);
    } catch (thrown) {
      // Report the actual state, because the write may have failed half way.
      await this.readState();
      throw thrown;
    }
    this.#report(wave, level);
  }

  protected switchTo(isOn: boolean): Promise<void> {
    return this.#channel.set(isOn ? this.#waveOf(this.host.properties.OnLevel) : this.#off());
  }

  #parseCommand(
    ident: string,
    value: Value,
  ): { readonly wave: Waveform; readonly level: number | undefined } {
    const { OnLevel } = this.host.properties;
    if (ident === 'LEVEL') {
      if (typeof value !== 'number' || !(value >= 0 && value <= 1))
        throw fault('CANNOT_CONVERT', 'Value', coded`RANGE_0_1: it must be 0 to 1`);
      return { wave: this.#waveOf(value), level: value };
    }
    if (ident !== 'STATE') throw fault('READ_ONLY', ident);
    return parseBoolean(value)
      ? { wave: this.#waveOf(OnLevel), level: OnLevel }
      : { wave: this.#off(), level: undefined };
  }

  #waveOf(level: number): Waveform {
    const { FrequencyHz, Inverted, MinDuty, MaxDuty, ZeroIsOff } = this.host.properties;
    const periodNs = Math.round(1e9 / FrequencyHz);
    const duty = level === 0 && ZeroIsOff ? 0 : MinDuty + (MaxDuty - MinDuty) * level;
    return { periodNs, dutyNs: Math.round(periodNs * duty), isInverted: Inverted };
  }

  /** The channel stays enabled, because the level of a disabled channel depends on the chip. */
  #off(): Waveform {
    return { ...this.#waveOf(0), dutyNs: 0 };
  }

  protected async readState(): Promise<void> {
    const wave = await this.#channel.read();
    if (this.#reported === undefined || !isSame(wave, this.#reported.wave)) this.#report(wave);
  }

  /** Reports the state; the level by default follows from the waveform. */
  #report(wave: Waveform | undefined, level = this.#levelOf(wave)): void {
    this.#reported = { wave };
    this.host.report('STATE', wave !== undefined && wave.dutyNs > 0);
    if (level !== undefined) this.host.report('LEVEL', level);
  }

  /** Undefined if the output is off and no level corresponds to that. */
  #levelOf(wave: Waveform | undefined): number | undefined {
    const { MinDuty, MaxDuty, ZeroIsOff } = this.host.properties;
    if (wave === undefined || wave.dutyNs === 0) return ZeroIsOff ? 0 : undefined;
    const level = (wave.dutyNs / wave.periodNs - MinDuty) / (MaxDuty - MinDuty);
    return Math.round(Math.min(1, Math.max(0, level)) * LEVEL_STEPS) / LEVEL_STEPS;
  }
}

const isSame = (one: Waveform | undefined, other: Waveform | undefined): boolean =>
  one?.periodNs === other?.periodNs && one?.dutyNs === other?.dutyNs && one?.isInverted === other?.isInverted;
