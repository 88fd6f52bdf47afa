import { coded } from '../../src/base/codes/coded-text.js';
import { fault } from '../../src/base/fault.js';
import type { SysfsClass } from '../../src/device/toolkit/sysfs-class.js';
import { listPwmChips, type PwmChip, type PwmChannelAddress } from './kernel-pwm.js';

/** A chip with channels that the board file names. */
export interface BoardPwmChip {
  /** The device name of the chip: `fe20c000.pwm`. */
  readonly chip: string;
  /** Name → number of the channel. */
  readonly channels: Readonly<Record<string, number>>;
}

/** The properties that select a channel. */
interface ChannelSelector {
  /** Device name or kernel name (`pwmchip0`) of a chip; empty for the one on the board, or the only one. */
  readonly chip: string;
  /** A name from the board file, or a number. */
  readonly channel: string;
}

/**
 * Finds a channel: first by its name on the board, then by its number. Throws `DEVICE_OFFLINE` while the chip
 * is missing, `DEVICE_CONFIGURATION` if the channel is ambiguous or does not exist.
 */
export async function resolveChannel(
  attributes: SysfsClass,
  board: readonly BoardPwmChip[],
  selector: ChannelSelector,
): Promise<PwmChannelAddress> {
  const all = await listPwmChips(attributes);
  const named = board.find(
    ({ chip, channels }) =>
      (selector.chip === '' || chip === selector.chip) && Object.hasOwn(channels, selector.channel),
  );
  const chip = resolveChip(all, named?.chip ?? selector.chip);
  if (named === undefined && !/^\d{1,5}$/.test(selector.channel))
    throw fault(
      'DEVICE_CONFIGURATION',
      coded`BOARD_NO_PWM_CHANNEL: the board has no PWM channel named ${selector.channel}; set Channel to a number, and Chip`,
    );
  const channel = named?.channels[selector.channel] ?? Number(selector.channel);
  if (channel >= chip.channels)
    throw fault(
      'DEVICE_CONFIGURATION',
      coded`PWM_CHANNEL_RANGE: the PWM chip ${chip.id} has channels 0 to ${chip.channels - 1}, no channel ${channel}`,
    );
  return { chip, channel, name: named === undefined ? `${chip.id}/${channel}` : selector.channel };
}

function resolveChip(all: readonly PwmChip[], idOrName: string): PwmChip {
  const available =
    all.length === 0 ? coded`NONE: it has none` : coded`HAS: it has ${all.map(({ id }) => id).join(', ')}`;
  const found = idOrName === '' ? all : all.filter(({ id, name }) => id === idOrName || name === idOrName);
  const [chip] = found;
  if (chip === undefined)
    throw fault(
      'DEVICE_OFFLINE',
      idOrName === ''
        ? coded`NO_PWM_CHIP: this machine has no PWM chip (${available})`
        : coded`NO_SUCH_PWM_CHIP: this machine has no PWM chip ${idOrName} (${available})`,
    );
  if (found.length > 1)
    throw fault(
      'DEVICE_CONFIGURATION',
      coded`PWM_CHIPS_MATCH_SET: ${found.length} PWM chips match; set Chip to one of ${found.map(({ name }) => name).join(', ')}`,
    );
  return chip;
}
