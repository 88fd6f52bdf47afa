import { errno } from '../../src/device/toolkit/sysfs-class.js';
import type { Clock } from '../../src/base/clock.js';
import {
  SimulatedSysfs,
  type SimulatedAttribute,
  parseUnsigned,
} from '../../src/device/toolkit/simulated-sysfs.js';
import { PWM_CLASS_PATH, type Waveform } from './kernel-pwm.js';

/** A PWM chip of a simulated machine. */
export interface SimulatedPwmChip {
  /** The device name: `fe20c000.pwm`. */
  readonly id: string;
  readonly channels: number;
  /** The supported periods; 1 µs to 10 s by default. */
  readonly periodNs?: readonly [min: number, max: number];
  /** False if it does not support an inverted polarity; true by default. */
  readonly canInvert?: boolean;
}

interface Channel {
  /** `sysfs` if exported, the name of a kernel driver that uses it, or empty. */
  holder: string;
  exportedNs: bigint;
  state: ChannelState;
}

interface ChannelState extends Waveform {
  readonly isEnabled: boolean;
}

const RESET_STATE: ChannelState = { periodNs: 0, dutyNs: 0, isInverted: false, isEnabled: false };

/**
 * Simulates the kernel's PWM class (Documentation/ABI/testing/sysfs-class-pwm, driver-api/pwm.rst); if kernel
 * versions differ, the strictest one. Exporting a missing channel fails with `ENODEV`, a used one with
 * `EBUSY`. A duty time above the period, a period of 0 or outside the chip's range, and a change of the
 * polarity while enabled fail with `EINVAL`. The files of an exported channel belong to our group after a
 * delay. Unexporting stops the output.
 */
export class SimulatedPwm extends SimulatedSysfs {
  readonly root = PWM_CLASS_PATH;
  readonly #clock: Clock;
  readonly #chips: readonly SimulatedPwmChip[];
  readonly #channels: readonly (readonly Channel[])[];
  readonly #unplugged = new Set<string>();
  /** How long udev takes to assign the files of an exported channel to our group, milliseconds. */
  udevMs = 0;
  /** Called with every change of every channel, in order. */
  onChange: (chip: string, channel: number, wave: Waveform | undefined) => void = () => undefined;

  constructor(clock: Clock, chips: readonly SimulatedPwmChip[]) {
    super();
    this.#clock = clock;
    this.#chips = chips;
    this.#channels = chips.map(({ channels }) =>
      Array.from({ length: channels }, () => ({ holder: '', exportedNs: 0n, state: RESET_STATE })),
    );
  }

  has(chip: string): boolean {
    return this.#at(chip) >= 0;
  }

  /** The present output of a channel; undefined if there is none. */
  waveform(chip: string, channel: number): Waveform | undefined {
    const { isEnabled, ...wave } = this.#channel(chip, channel).state;
    return isEnabled && !this.#unplugged.has(chip) ? wave : undefined;
  }

  /** Makes a kernel driver use a channel, for example for a fan or a backlight. */
  occupy(chip: string, channel: number, driver: string): void {
    this.#channel(chip, channel).holder = driver;
  }

  /** Unplugs a chip, or plugs it in again. */
  setUnplugged(chip: string, isGone: boolean): void {
    if (isGone) this.#unplugged.add(chip);
    else this.#unplugged.delete(chip);
    for (const channel of this.#channels[this.#at(chip)] ?? [])
      Object.assign(channel, { holder: '', state: RESET_STATE });
  }

  deviceOf = async (name: string): Promise<string> =>
    this.#chips[Number(name.replace('pwmchip', ''))]?.id ?? name;

  protected files(): ReadonlyMap<string, SimulatedAttribute> {
    const present = [...this.#chips.entries()].filter(([, { id }]) => !this.#unplugged.has(id));
    return new Map(present.flatMap(([n, chip]) => this.#filesOf(n, chip)));
  }

  #filesOf(n: number, chip: SimulatedPwmChip): [string, SimulatedAttribute][] {
    const channels = this.#channels[n] ?? [];
    const at = (attribute: string) => `pwmchip${n}/${attribute}`;
    return [
      [at('npwm'), { read: () => chip.channels }],
      [at('export'), { write: (text) => this.#export(channels[parseUnsigned(text, at('export'))]) }],
      [at('unexport'), { write: (text) => this.#unexport(channels[parseUnsigned(text, at('unexport'))]) }],
      ...[...channels.entries()]
        .filter(([, { holder }]) => holder === 'sysfs')
        .flatMap(([channel, { state }]) => this.#channelFiles(at(`pwm${channel}`), { chip, channel, state })),
    ];
  }

  #channelFiles(
    folder: string,
    { chip, channel, state }: { chip: SimulatedPwmChip; channel: number; state: ChannelState },
  ): [string, SimulatedAttribute][] {
    const { exportedNs } = this.#channel(chip.id, channel);
    const isOurs = this.#clock.monotonicNs() - exportedNs >= BigInt(this.udevMs * 1e6);
    const file = (name: string, value: string | number, change: (text: string) => Partial<ChannelState>) =>
      [
        `${folder}/${name}`,
        {
          isWritable: isOurs,
          read: () => value,
          write: (text: string) => this.#apply(chip, channel, { ...state, ...change(text) }),
        },
      ] satisfies [string, SimulatedAttribute];
    const parse = (text: string, [no, yes]: readonly [string, string]) => {
      if (text !== no && text !== yes) throw errno('EINVAL', folder);
      return text === yes;
    };
    return [
      file('period', state.periodNs, (text) => ({ periodNs: parseUnsigned(text, folder) })),
      file('duty_cycle', state.dutyNs, (text) => ({ dutyNs: parseUnsigned(text, folder) })),
      file('enable', Number(state.isEnabled), (text) => ({ isEnabled: parse(text, ['0', '1']) })),
      file('polarity', state.isInverted ? 'inversed' : 'normal', (text) => ({
        isInverted: parse(text, ['normal', 'inversed']),
      })),
    ];
  }

  #apply(chip: SimulatedPwmChip, channel: number, next: ChannelState): void {
    const held = this.#channel(chip.id, channel);
    const { periodNs: [min, max] = [1000, 10_000_000_000], canInvert = true } = chip;
    const isInverting = next.isInverted !== held.state.isInverted;
    const isValid = next.periodNs >= min && next.periodNs <= max && next.dutyNs <= next.periodNs;
    if (!isValid || (isInverting && (!canInvert || held.state.isEnabled))) throw errno('EINVAL', chip.id);
    held.state = next;
    this.onChange(chip.id, channel, this.waveform(chip.id, channel));
  }

  #export(channel: Channel | undefined): void {
    if (channel === undefined) throw errno('ENODEV', 'export');
    if (channel.holder !== '') throw errno('EBUSY', 'export');
    channel.holder = 'sysfs';
    channel.exportedNs = this.#clock.monotonicNs();
  }

  #unexport(channel: Channel | undefined): void {
    if (channel?.holder !== 'sysfs') throw errno('ENODEV', 'unexport');
    Object.assign(channel, { holder: '', state: { ...channel.state, isEnabled: false } });
  }

  #at(chip: string): number {
    return this.#chips.findIndex(({ id }) => id === chip);
  }

  #channel(chip: string, channel: number): Channel {
    const held = this.#channels[this.#at(chip)]?.[channel];
    if (held === undefined) throw new Error(`the simulated machine has no PWM channel ${chip}/${channel}`);
    return held;
  }
}
