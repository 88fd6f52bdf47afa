import type { HardwareItem } from '../../src/device/hardware-search.js';
import { parseChannelName } from './channel-names.js';
import type { SensorContext } from './index.js';
import { listChannels, listSensorDevices } from './sensor-devices.js';
import { channelSettings } from './sensor-instance.js';

/** All sensor chips of the machine, as items of the hardware search. Measures nothing. */
export async function discoverSensors({ attributes }: SensorContext): Promise<HardwareItem[]> {
  const files = await attributes();
  const devices = await listSensorDevices(files);
  const items = await Promise.all(
    devices.map(async ({ id, path }): Promise<HardwareItem | undefined> => {
      const channels = await listChannels(files, path);
      if (channels.length === 0) return undefined;
      const quantities = channels.map(({ channel }) => parseChannelName(channel)?.quantity);
      return {
        id: `sensor ${id}`,
        kind: 'sensor',
        name: id,
        about: [...new Set(quantities)].join(', '),
        usedBy: '',
        instance: 0,
        makes: [
          {
            module: 'Sensor',
            properties: { Device: id, Channels: channelSettings(channels) },
            recognizedBy: ['Device'],
          },
        ],
      };
    }),
  );
  return items.filter((item) => item !== undefined);
}
