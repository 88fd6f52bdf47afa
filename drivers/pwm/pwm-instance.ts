import type { Static } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { withDebugOutput } from '../../src/device/toolkit/sysfs-class.js';
import { DeviceQueue } from '../../src/device/toolkit/device-queue.js';
import type { Host, OpenInstance, Value } from '../../src/device/module.js';
import { parseBoolean } from '../../src/device/toolkit/parse-boolean.js';
import { PwmChannel, type Waveform } from './kernel-pwm.js';
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
  const bootFlag = `pwm ${address.chip.id} ${address.chip.name} ${address.channel}`;
  const release = context.holders.claim(`the PWM channel ${address.chip.id}/${address.channel}`, host);
  try {
    host.signal.throwIfAborted();
    const pwm = new PwmInstance(host, await PwmChannel.open(attributes, host.clock, address), release);
    await pwm.boot(bootFlag);
    return pwm;
  } catch (thrown) {
    release();
    throw thrown;
  }
}

class PwmInstance implements OpenInstance {
  readonly #host: Host<PwmProperties>;
  readonly #channel: PwmChannel;
  readonly #release: () => void;
  readonly #jobs: DeviceQueue;
  /** The output that was last reported. */
  #wave: Waveform | undefined;

  constructor(host: Host<PwmProperties>, channel: PwmChannel, release: () => void) {
    this.#host = host;
    this.#channel = channel;
    this.#release = release;
    this.#jobs = new DeviceQueue(host, `the PWM channel ${channel.address.name}`);
  }

  /** Applies Boot once after the machine has booted, and reports the state of the channel. */
  async boot(bootFlag: string): Promise<void> {
    const { bootFlags, properties } = this.#host;
    if (!bootFlags.has(bootFlag)) {
      if (properties.Boot === 'inactive') await this.#channel.set(this.#off());
      if (properties.Boot === 'active') await this.#channel.set(this.#waveOf(properties.OnLevel));
      bootFlags.add(bootFlag);
    }
    this.#report(await this.#channel.read());
  }

  write(ident: string, value: Value): Promise<void> {
    return this.#jobs.run(async () => {
      const { wave, level } = this.#parseCommand(ident, value);
      try {
        await this.#channel.set(wave);
      } catch (thrown) {
        // Report the actual state, because the write may have failed half way.
        await this.#readState();
        throw thrown;
      }
      this.#report(wave, level);
    });
  }

  refresh(): Promise<void> {
    return this.#jobs.run(() => this.#readState());
  }

  /** Another program may have changed it: sysfs has no exclusive access. */
  probe(): Promise<void> {
    return this.refresh();
  }

  /** The output continues: unexporting the channel would stop it. */
  close(): Promise<void> {
    return this.#jobs.close(this.#release);
  }

  #parseCommand(
    ident: string,
    value: Value,
  ): { readonly wave: Waveform; readonly level: number | undefined } {
    const { OnLevel } = this.#host.properties;
    if (ident === 'LEVEL') {
      if (typeof value !== 'number' || !(value >= 0 && value <= 1))
        throw fault('CANNOT_CONVERT', 'Value', 'it must be 0 to 1');
      return { wave: this.#waveOf(value), level: value };
    }
    if (ident !== 'STATE') throw fault('READ_ONLY', ident);
    return parseBoolean(value)
      ? { wave: this.#waveOf(OnLevel), level: OnLevel }
      : { wave: this.#off(), level: undefined };
  }

  #waveOf(level: number): Waveform {
    const { FrequencyHz, Inverted, MinDuty, MaxDuty, ZeroIsOff } = this.#host.properties;
    const periodNs = Math.round(1e9 / FrequencyHz);
    const duty = level === 0 && ZeroIsOff ? 0 : MinDuty + (MaxDuty - MinDuty) * level;
    return { periodNs, dutyNs: Math.round(periodNs * duty), isInverted: Inverted };
  }

  /** The channel stays enabled, because the level of a disabled channel depends on the chip. */
  #off(): Waveform {
    return { ...this.#waveOf(0), dutyNs: 0 };
  }

  async #readState(): Promise<void> {
    const wave = await this.#channel.read();
    if (!isSame(wave, this.#wave)) this.#report(wave);
  }

  /** Reports the state; the level by default follows from the waveform. */
  #report(wave: Waveform | undefined, level = this.#levelOf(wave)): void {
    this.#wave = wave;
    this.#host.report('STATE', wave !== undefined && wave.dutyNs > 0);
    if (level !== undefined) this.#host.report('LEVEL', level);
  }

  /** Undefined if the output is off and no level corresponds to that. */
  #levelOf(wave: Waveform | undefined): number | undefined {
    const { MinDuty, MaxDuty, ZeroIsOff } = this.#host.properties;
    if (wave === undefined || wave.dutyNs === 0) return ZeroIsOff ? 0 : undefined;
    const level = (wave.dutyNs / wave.periodNs - MinDuty) / (MaxDuty - MinDuty);
    return Math.round(Math.min(1, Math.max(0, level)) * LEVEL_STEPS) / LEVEL_STEPS;
  }
}

const isSame = (one: Waveform | undefined, other: Waveform | undefined): boolean =>
  one?.periodNs === other?.periodNs && one?.dutyNs === other?.dutyNs && one?.isInverted === other?.isInverted;
