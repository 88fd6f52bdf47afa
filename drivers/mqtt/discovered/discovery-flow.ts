import type { Flow } from '../../../src/device/module.js';
import type { DiscoveryHub } from './discovery-hub.js';

/** The data flow from an MQTT Discovery to the devices that it discovers. */
export const discoveryFlow: Flow<DiscoveryHub> = { id: '{9D0E6C44-3F2B-4C1F-8B57-6A1E0C9D2F18}' };

/** The module of the devices, by name. */
export const DEVICE_MODULE = 'MQTT Discovered Device';
