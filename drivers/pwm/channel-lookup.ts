import { fault } from '../../src/base/fault.js';
import type { SysfsClass } from '../../src/device/toolkit/sysfs-class.js';
import { listPwmChips, type PwmChip, type PwmChannelAddress } from './kernel-pwm.js';

/** Channels that a board names. */
export interface BoardPwmChip {
  /** The device that the chip is: `fe20c000.pwm`. */
  readonly chip: string;
  /** Name → number of the channel. */
  readonly channels: Readonly<Record<string, number>>;
}

/** What a person writes to say which channel is meant. */
export interface ChannelSelector {
  /** A chip's device, or what the kernel calls it now (`pwmchip0`); empty: the board's, or the only one. */
  readonly chip: string;
  /** A name of the board's, or a number. */
  readonly channel: string;
}

/**
 * Finds a channel: a name of the board's first, then a number. Throws `DEVICE_OFFLINE` while the chip is not
 * there, `DEVICE_CONFIGURATION` when no channel can be meant, or not one alone.
 */
export async function resolveChannel(
  attributes: SysfsClass,
  board: readonly BoardPwmChip[],
  wish: ChannelSelector,
): Promise<PwmChannelAddress> {
  const all = await listPwmChips(attributes);
  const named = board.find(
    ({ chip, channels }) => (wish.chip === '' || chip === wish.chip) && Object.hasOwn(channels, wish.channel),
  );
  const chip = resolveChip(all, named?.chip ?? wish.chip);
  if (named === undefined && !/^\d{1,5}$/.test(wish.channel))
    throw fault(
      'DEVICE_CONFIGURATION',
      `the board has no PWM channel named ${wish.channel}; give Channel as a number, with its Chip`,
    );
  const channel = named?.channels[wish.channel] ?? Number(wish.channel);
  if (channel >= chip.channels)
    throw fault(
      'DEVICE_CONFIGURATION',
      `the PWM chip ${chip.id} has channels 0 to ${chip.channels - 1}, no channel ${channel}`,
    );
  return { chip, channel, name: named === undefined ? `${chip.id}/${channel}` : wish.channel };
}

function resolveChip(all: readonly PwmChip[], wish: string): PwmChip {
  const there = all.length === 0 ? 'there is none' : `there is ${all.map(({ id }) => id).join(', ')}`;
  const found = wish === '' ? all : all.filter(({ id, name }) => id === wish || name === wish);
  const [chip] = found;
  if (chip === undefined)
    throw fault('DEVICE_OFFLINE', `this machine has no PWM chip ${wish}`.trimEnd() + ` (${there})`);
  if (found.length > 1)
    throw fault(
      'DEVICE_CONFIGURATION',
      `${found.length} PWM chips can be meant; give Chip as one of ${found.map(({ name }) => name).join(', ')}`,
    );
  return chip;
}
