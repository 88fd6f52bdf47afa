import type { HardwareItem } from '../../src/device/hardware-search.js';
import { listPwmChips } from './kernel-pwm.js';
import type { PwmContext } from './index.js';

/** All channels of all PWM chips, as items of the hardware search. */
export async function discoverChannels({ board, attributes }: PwmContext): Promise<HardwareItem[]> {
  const chips = await listPwmChips(await attributes());
  return chips.flatMap(({ id, name, channels, exported }) => {
    const named = board.pwm?.find(({ chip }) => chip === id)?.channels ?? {};
    const names = new Map(Object.entries(named).map(([label, channel]) => [channel, label]));
    return Array.from({ length: channels }, (_, channel): HardwareItem => {
      const Channel = names.get(channel);
      const properties = Channel === undefined ? { Chip: id, Channel: String(channel) } : { Channel };
      return {
        id: `pwm ${id}/${channel}`,
        kind: 'pwm',
        name: Channel ?? `${id}/${channel}`,
        about: exported.includes(channel) ? `${name}, exported` : name,
        usedBy: '',
        instance: 0,
        makes: [{ module: 'PWM', properties }],
      };
    });
  });
}
