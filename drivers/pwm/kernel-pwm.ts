import { coded } from '../../src/base/codes/coded-text.js';
import type { Clock } from '../../src/base/clock.js';
import { codeOf, faultFrom } from '../../src/base/fault.js';
import { type SysfsClass, sysfsFault, waitUntilWritable } from '../../src/device/toolkit/sysfs-class.js';
import { kernelSysfs } from '../../src/device/toolkit/kernel-sysfs.js';

/** The kernel's directory of PWM chips (Documentation/ABI/testing/sysfs-class-pwm). */
export const PWM_CLASS_PATH = '/sys/class/pwm';

/**
 * Errors of kernel drivers for a waveform that the chip does not support. 524 is the kernel's ENOTSUPP, which
 * has no name in user space.
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
  /** The device name, the same after every boot: `fe20c000.pwm`. */
  readonly id: string;
  /** The kernel's name, which may change: `pwmchip0`. */
  readonly name: string;
  /** Number of channels; they are numbered 0 … channels − 1. */
  readonly channels: number;
  /** Channels exported through sysfs. Those that a kernel driver uses are not visible. */
  readonly exported: readonly number[];
}

/** The location of a channel. */
export interface PwmChannelAddress {
  readonly chip: PwmChip;
  readonly channel: number;
  /** Its name on the board, or `fe20c000.pwm/0`; for messages. */
  readonly name: string;
}

/** The waveform that a channel outputs. */
export interface Waveform {
  readonly periodNs: number;
  /** Duration of the active phase. */
  readonly dutyNs: number;
  /** True if the active level is low. */
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
 * One channel. It is never unexported, because that stops the output of many chips. A channel that is
 * exported already is taken over: sysfs does not show who exported it, maybe this gateway before a restart.
 */
export class PwmChannel {
  readonly address: PwmChannelAddress;
  readonly #attributes: SysfsClass;
  readonly #folder: string;

  /**
   * Exports the channel and waits until it is writable, without changing its output. Rejects with
   * `DEVICE_OFFLINE` if a kernel driver uses it, the chip is gone, or we lack the permission to write it.
   */
  static async open(attributes: SysfsClass, clock: Clock, address: PwmChannelAddress): Promise<PwmChannel> {
    const { chip, channel } = address;
    const folder = `${chip.name}/pwm${channel}`;
    try {
      if ((await attributes.list(folder)).length === 0) {
        await waitUntilWritable(attributes, clock, `${chip.name}/export`);
        await attributes.write(`${chip.name}/export`, String(channel));
      }
      for (const attribute of ['period', 'duty_cycle', 'polarity', 'enable'])
        await waitUntilWritable(attributes, clock, `${folder}/${attribute}`);
    } catch (thrown) {
      throw sysfsFault(coded`THE_PWM_CHANNEL: the PWM channel ${address.name}`, attributes.root, thrown);
    }
    return new PwmChannel(attributes, address, folder);
  }

  private constructor(attributes: SysfsClass, address: PwmChannelAddress, folder: string) {
    this.#attributes = attributes;
    this.address = address;
    this.#folder = folder;
  }

  /** The present output; undefined if the channel is not enabled. */
  async read(): Promise<Waveform | undefined> {
    const { isEnabled, ...wave } = await this.#withFault(() => this.#state());
    return isEnabled ? wave : undefined;
  }

  /**
   * Sets the output. In between, the duty cycle never exceeds the larger of the old and the new one. A change
   * of the polarity disables the channel for a moment, because no chip changes it while enabled. Rejects with
   * `DEVICE_CONFIGURATION` if the chip does not support the waveform; the output then stays as it was if
   * possible.
   */
  async set(wave: Waveform): Promise<void> {
    await this.#withFault(async () => {
      const now = await this.#state();
      const isInverting = now.isInverted !== wave.isInverted;
      if (isInverting && now.isEnabled) return this.#invertEnabled(now, wave);
      await this.#setTimes(now, wave);
      // A channel that was never used has no period, and rejects a polarity before it has one.
      if (isInverting) await this.#setPolarity(wave);
      if (!now.isEnabled) await this.#write('enable', 1);
    });
  }

  async #invertEnabled(now: Waveform, wave: Waveform): Promise<void> {
    try {
      await this.#write('enable', 0);
      await this.#setPolarity(wave);
      await this.#setTimes(now, wave);
      await this.#write('enable', 1);
    } catch (thrown) {
      // If the chip is gone, this fails as well; the first failure is the one to report.
      await this.#restore(now).catch(() => undefined);
      throw thrown;
    }
  }

  /** Enables the channel again, with the output from before. */
  async #restore(before: Waveform): Promise<void> {
    const present = await this.#state();
    await this.#setTimes(present, before);
    if (present.isInverted !== before.isInverted) await this.#setPolarity(before);
    await this.#write('enable', 1);
  }

  #setPolarity({ isInverted }: Waveform): Promise<void> {
    return this.#write('polarity', isInverted ? 'inversed' : 'normal');
  }

  /**
   * Sets period and duty time in an order in which the latter never exceeds the former: the kernel rejects
   * that.
   */
  async #setTimes(now: Waveform, { periodNs, dutyNs }: Waveform): Promise<void> {
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
        coded`PWM_SETTING_REJECTED: the PWM channel ${this.address.name} cannot set ${attribute} to ${value}; change FrequencyHz or Inverted`,
      );
    }
  }

  async #withFault<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (thrown) {
      throw sysfsFault(
        coded`THE_PWM_CHANNEL: the PWM channel ${this.address.name}`,
        this.#attributes.root,
        thrown,
      );
    }
  }
}
