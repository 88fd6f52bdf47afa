import type { HardwareItem, InstanceTemplate } from '../../src/device/hardware-search.js';
import { familyOf } from './families.js';
import { listBuses, listDevices } from './w1-files.js';
import type { OneWireContext } from './index.js';

/**
 * All buses and the devices that the kernel has found on them, as items of the hardware search. Causes no
 * traffic on the bus.
 */
export async function discoverOneWire({ attributes }: OneWireContext): Promise<HardwareItem[]> {
  const files = await attributes();
  const found: HardwareItem[] = [];
  for (const bus of await listBuses(files)) {
    const over: InstanceTemplate = { module: '1-Wire Bus', properties: { Bus: bus } };
    // A bus may be unplugged during the search.
    const addresses = await listDevices(files, bus).catch(() => []);
    const about = addresses.length === 1 ? '1 device' : `${addresses.length} devices`;
    found.push({ ...unused, id: `onewire ${bus}`, name: bus, about, makes: [over] });
    for (const Address of addresses) {
      const making: InstanceTemplate = { module: '1-Wire Device', properties: { Address }, over };
      const about = `${familyOf(Address).type}, on ${bus}`;
      found.push({ ...unused, id: `onewire ${Address}`, name: Address, about, makes: [making] });
    }
  }
  return found;
}

const unused = { kind: 'onewire', usedBy: '', instance: 0 } as const;
