import type { HardwareItem, InstanceTemplate } from '../../src/device/hardware-search.js';
import { familyOf } from './families.js';
import { listBuses, listDevices } from './w1-files.js';
import type { OneWireContext } from './index.js';

/** All buses, and what the kernel has found on them, as a search shows them. Sends nothing over the wire. */
export async function discoverOneWire({ attributes }: OneWireContext): Promise<HardwareItem[]> {
  const files = await attributes();
  const found: HardwareItem[] = [];
  for (const bus of await listBuses(files)) {
    const over: InstanceTemplate = { module: '1-Wire Bus', properties: { Bus: bus } };
    // One may be pulled out while another is looked at.
    const addresses = await listDevices(files, bus).catch(() => []);
    const about = addresses.length === 1 ? '1 device' : `${addresses.length} devices`;
    found.push({ ...nobody, id: `onewire ${bus}`, name: bus, about, makes: [over] });
    for (const Address of addresses) {
      const making: InstanceTemplate = { module: '1-Wire Device', properties: { Address }, over };
      const about = `${familyOf(Address).type}, on ${bus}`;
      found.push({ ...nobody, id: `onewire ${Address}`, name: Address, about, makes: [making] });
    }
  }
  return found;
}

const nobody = { kind: 'onewire', usedBy: '', instance: 0 } as const;
