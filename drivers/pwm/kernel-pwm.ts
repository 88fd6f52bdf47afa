import type { Clock } from '../../src/base/clock.js';
import { codeOf, faultFrom } from '../../src/base/fault.js';
import { type SysfsClass, sysfsFault, waitUntilWritable } from '../../src/device/toolkit/sysfs-class.js';
import { kernelSysfs } from '../../src/device/toolkit/kernel-sysfs.js';

/** The kernel's directory of PWM chips (Documentation/ABI/testing/sysfs-class-pwm). */
export const PWM_CLASS_PATH = '/sys/class/pwm';

/**
 * What chips' drivers say to a wave that they can't make. 524 is the kernel's ENOTSUPP, which has no name
 * outside of it.
 */
const UNSUPPORTED_CODES: readonly string[] = [
  'EINVAL',
  'ERANGE',
  'EOPNOTSUPP',
  'ENOTSUP',
  'Unknown system error -524',
];

/** A PWM chip of the machine. */
export interface PwmChip {
  /** The device that it is, the same at every boot: `fe20c000.pwm`. */
  readonly id: string;
  /** What the kernel calls it now: `pwmchip0`. */
  readonly name: string;
  /** How many channels it has: 0 … channels − 1. */
  readonly channels: number;
  /** The channels that somebody works over sysfs. Those that a driver of the kernel's has can't be seen. */
  readonly exported: readonly number[];
}

/** The location of a channel. */
export interface PwmChannelAddress {
  readonly chip: PwmChip;
  readonly channel: number;
  /** Its name on the board, or `fe20c000.pwm/0`: for texts. */
  readonly name: string;
}

/** The waveform that a channel outputs. */
export interface Waveform {
  readonly periodNs: number;
  /** Duration of the active phase. */
  readonly dutyNs: number;
  /** Active is the low level. */
  readonly isInverted: boolean;
}

/** All PWM chips of the machine. Changes none of them. */
export async function listPwmChips(attributes: SysfsClass = kernelSysfs(PWM_CLASS_PATH)): Promise<PwmChip[]> {
  const names = (await attributes.list('')).filter((name) => /^pwmchip\d+$/.test(name));
  // A chip may be unplugged during the search; it is then skipped.
  const found = await Promise.all(names.map((name) => readChip(attributes, name).catch(() => undefined)));
  return found.filter((chip) => chip !== undefined);
}

async function readChip(attributes: SysfsClass, name: string): Promise<PwmChip> {
  const exported = (await attributes.list(name)).flatMap((file) => /^pwm(\d+)$/.exec(file)?.[1] ?? []);
  return {
    id: await attributes.deviceOf(name),
    name,
    channels: Number(await attributes.read(`${name}/npwm`)),
    exported: exported.map(Number),
  };
}

/**
 * One channel, exported as long as the machine runs: giving it back stops the wave on many chips. One that is
 * exported already, by us before a restart or by anybody else (sysfs doesn't tell), is taken over.
 */
export class PwmChannel {
  readonly address: PwmChannelAddress;
  readonly #attributes: SysfsClass;
  readonly #folder: string;

  /**
   * Exports it and waits until it may be written; moves nothing. Rejects with `DEVICE_OFFLINE`: a driver of
   * the kernel's has it, the chip is gone, we may not write it.
   */
  static async open(attributes: SysfsClass, clock: Clock, place: PwmChannelAddress): Promise<PwmChannel> {
    const { chip, channel } = place;
    const folder = `${chip.name}/pwm${channel}`;
    try {
      if ((await attributes.list(folder)).length === 0) {
        await waitUntilWritable(attributes, clock, `${chip.name}/export`);
        await attributes.write(`${chip.name}/export`, String(channel));
      }
      for (const attribute of ['period', 'duty_cycle', 'polarity', 'enable'])
        await waitUntilWritable(attributes, clock, `${folder}/${attribute}`);
    } catch (thrown) {
      throw sysfsFault(`the PWM channel ${place.name}`, attributes.root, thrown);
    }
    return new PwmChannel(attributes, place, folder);
  }

  private constructor(attributes: SysfsClass, place: PwmChannelAddress, folder: string) {
    this.#attributes = attributes;
    this.address = place;
    this.#folder = folder;
  }

  /** What it puts out; undefined: nothing, it is not enabled. */
  async read(): Promise<Waveform | undefined> {
    const { isEnabled, ...wave } = await this.#ask(() => this.#state());
    return isEnabled ? wave : undefined;
  }

  /**
   * Puts out this wave. On the way the share that is active is never above both the old and the new one;
   * where the polarity is to be another, which no chip changes while it runs, there is a moment of nothing.
   * Rejects with `DEVICE_CONFIGURATION` when the chip can't make such a wave, and leaves what it put out
   * where it can.
   */
  async set(wave: Waveform): Promise<void> {
    await this.#ask(async () => {
      const now = await this.#state();
      const isTurned = now.isInverted !== wave.isInverted;
      if (isTurned && now.isEnabled) await this.#turn(wave);
      await this.#stretch(now, wave);
      // A channel that was never used has no period, and takes no polarity before it has one.
      if (isTurned && !now.isEnabled) await this.#polarise(wave);
      if (isTurned || !now.isEnabled) await this.#write('enable', 1);
    });
  }

  async #turn(wave: Waveform): Promise<void> {
    await this.#write('enable', 0);
    try {
      await this.#polarise(wave);
    } catch (thrown) {
      await this.#write('enable', 1);
      throw thrown;
    }
  }

  #polarise({ isInverted }: Waveform): Promise<void> {
    return this.#write('polarity', isInverted ? 'inversed' : 'normal');
  }

  /**
   * Sets the times in the order in which the duty time is at no moment longer than the period: the kernel
   * refuses that.
   */
  async #stretch(now: Waveform, { periodNs, dutyNs }: Waveform): Promise<void> {
    if (periodNs > now.periodNs) await this.#write('period', periodNs);
    if (dutyNs !== now.dutyNs) await this.#write('duty_cycle', dutyNs);
    if (periodNs >= now.periodNs) return;
    try {
      await this.#write('period', periodNs);
    } catch (thrown) {
      await this.#write('duty_cycle', now.dutyNs);
      throw thrown;
    }
  }

  async #state(): Promise<Waveform & { readonly isEnabled: boolean }> {
    const read = (attribute: string) => this.#attributes.read(`${this.#folder}/${attribute}`);
    return {
      periodNs: Number(await read('period')),
      dutyNs: Number(await read('duty_cycle')),
      isInverted: (await read('polarity')) === 'inversed',
      isEnabled: (await read('enable')) === '1',
    };
  }

  async #write(attribute: string, value: string | number): Promise<void> {
    try {
      await this.#attributes.write(`${this.#folder}/${attribute}`, String(value));
    } catch (thrown) {
      if (!UNSUPPORTED_CODES.includes(codeOf(thrown) ?? '')) throw thrown;
      throw faultFrom(
        thrown,
        'DEVICE_CONFIGURATION',
        `the PWM channel ${this.address.name} can't set ${attribute} to ${value}; change FrequencyHz or Inverted`,
      );
    }
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (thrown) {
      throw sysfsFault(`the PWM channel ${this.address.name}`, this.#attributes.root, thrown);
    }
  }
}
