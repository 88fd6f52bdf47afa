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
  /** The device that it is: `fe20c000.pwm`. */
  readonly id: string;
  readonly channels: number;
  /** What it can make; 1 µs to 10 s unless said. */
  readonly periodNs?: readonly [least: number, most: number];
  /** False where it can't invert. */
  readonly canInvert?: boolean;
}

interface Channel {
  /** Who has requested it: `sysfs`, a driver of the kernel's, or nobody. */
  holder: string;
  madeNs: bigint;
  state: ChannelState;
}

interface ChannelState extends Waveform {
  readonly isEnabled: boolean;
}

const RESET_STATE: ChannelState = { periodNs: 0, dutyNs: 0, isInverted: false, isEnabled: false };

/**
 * The kernel's PWM class, with its manners (Documentation/ABI/testing/sysfs-class-pwm, driver-api/pwm.rst),
 * the strictest of all versions where they differ: a channel that is not there is `ENODEV`, one that anybody
 * has `EBUSY`; a duty time above the period, a period of 0 and what the chip can't make are `EINVAL`, and so
 * is another polarity while it runs. An exported channel's files are ours some time later. Giving a channel
 * back stops it.
 */
export class SimulatedPwm extends SimulatedSysfs {
  readonly root = PWM_CLASS_PATH;
  readonly #clock: Clock;
  readonly #chips: readonly SimulatedPwmChip[];
  readonly #channels: readonly (readonly Channel[])[];
  readonly #out = new Set<string>();
  /** How long udev takes to give an exported channel's files to our group. */
  udevMs = 0;
  /** Told of every state of every channel, in order. */
  moved: (chip: string, channel: number, wave: Waveform | undefined) => void = () => undefined;

  constructor(clock: Clock, chips: readonly SimulatedPwmChip[]) {
    super();
    this.#clock = clock;
    this.#chips = chips;
    this.#channels = chips.map(({ channels }) =>
      Array.from({ length: channels }, () => ({ holder: '', madeNs: 0n, state: RESET_STATE })),
    );
  }

  has(chip: string): boolean {
    return this.#at(chip) >= 0;
  }

  /** What a channel puts out at this moment; undefined: nothing. */
  waveform(chip: string, channel: number): Waveform | undefined {
    const { isEnabled, ...wave } = this.#channel(chip, channel).state;
    return isEnabled && !this.#out.has(chip) ? wave : undefined;
  }

  /** Gives a channel to a driver of the kernel's: a fan, a backlight. */
  occupy(chip: string, channel: number, driver: string): void {
    this.#channel(chip, channel).holder = driver;
  }

  /** Pulls a chip out, or puts it back. */
  setUnplugged(chip: string, isGone: boolean): void {
    if (isGone) this.#out.add(chip);
    else this.#out.delete(chip);
    for (const channel of this.#channels[this.#at(chip)] ?? [])
      Object.assign(channel, { holder: '', state: RESET_STATE });
  }

  deviceOf = async (name: string): Promise<string> =>
    this.#chips[Number(name.replace('pwmchip', ''))]?.id ?? name;

  protected files(): ReadonlyMap<string, SimulatedAttribute> {
    const there = [...this.#chips.entries()].filter(([, { id }]) => !this.#out.has(id));
    return new Map(there.flatMap(([n, chip]) => this.#filesOf(n, chip)));
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
    const { madeNs } = this.#channel(chip.id, channel);
    const isOurs = this.#clock.monotonicNs() - madeNs >= BigInt(this.udevMs * 1e6);
    const file = (name: string, value: string | number, change: (text: string) => Partial<ChannelState>) =>
      [
        `${folder}/${name}`,
        {
          isWritable: isOurs,
          read: () => value,
          write: (text: string) => this.#apply(chip, channel, { ...state, ...change(text) }),
        },
      ] satisfies [string, SimulatedAttribute];
    const word = (text: string, [no, yes]: readonly [string, string]) => {
      if (text !== no && text !== yes) throw errno('EINVAL', folder);
      return text === yes;
    };
    return [
      file('period', state.periodNs, (text) => ({ periodNs: parseUnsigned(text, folder) })),
      file('duty_cycle', state.dutyNs, (text) => ({ dutyNs: parseUnsigned(text, folder) })),
      file('enable', Number(state.isEnabled), (text) => ({ isEnabled: word(text, ['0', '1']) })),
      file('polarity', state.isInverted ? 'inversed' : 'normal', (text) => ({
        isInverted: word(text, ['normal', 'inversed']),
      })),
    ];
  }

  #apply(chip: SimulatedPwmChip, channel: number, next: ChannelState): void {
    const held = this.#channel(chip.id, channel);
    const { periodNs: [least, most] = [1000, 10_000_000_000], canInvert = true } = chip;
    const isTurned = next.isInverted !== held.state.isInverted;
    const isValid = next.periodNs >= least && next.periodNs <= most && next.dutyNs <= next.periodNs;
    if (!isValid || (isTurned && (!canInvert || held.state.isEnabled))) throw errno('EINVAL', chip.id);
    held.state = next;
    this.moved(chip.id, channel, this.waveform(chip.id, channel));
  }

  #export(channel: Channel | undefined): void {
    if (channel === undefined) throw errno('ENODEV', 'export');
    if (channel.holder !== '') throw errno('EBUSY', 'export');
    channel.holder = 'sysfs';
    channel.madeNs = this.#clock.monotonicNs();
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
