import { type Static, Type } from '@sinclair/typebox';
import { coded } from '../../../src/base/codes/coded-text.js';
import { moduleKind, type ModuleDefinition } from '../../../src/device/module.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import { buildDevice, declareDevice, declareImages, type DeviceModel } from '../discovery/device-model.js';
import { unpackRecord, type DeviceRecord } from '../discovery/device-record.js';
import { DEVICE_MODULE, discoveryFlow } from './discovery-flow.js';

/** Longest stored announcement, characters: that of 500 entities. */
const ANNOUNCEMENT_LIMIT = 1024 * 1024;

const properties = Type.Object({
  Device: withHelp(
    Type.String({ default: '', maxLength: 1000 }),
    'Device',
    'The identifier with which the device announces itself.',
  ),
  Announcement: withAdvancedHelp(
    Type.String({ default: '', maxLength: ANNOUNCEMENT_LIMIT }),
    'Device',
    'What the device has announced. MQTT Discovery keeps it up to date.',
  ),
  Removed: withAdvancedHelp(
    Type.Boolean({ default: false }),
    'Device',
    'Whether the device has been removed from the broker since.',
  ),
});
export type DiscoveredDeviceProperties = Static<typeof properties>;

/** What a device has announced, as its record and as variables. */
export interface AnnouncedModel {
  readonly record: DeviceRecord;
  readonly model: DeviceModel;
}

/** The module **MQTT Discovered Device**: a device whose variables are those that it has announced. */
export function discoveredDevice(): ModuleDefinition<typeof properties> {
  // The variables of all instances are asked for whenever a profile is created.
  const cache = new WeakMap<object, AnnouncedModel>();
  const modelOf = (settings: DiscoveredDeviceProperties): AnnouncedModel | undefined => {
    const known = cache.get(settings);
    if (known !== undefined) return known;
    const record = unpackRecord(settings.Announcement);
    if (record === undefined) return undefined;
    const made = { record, model: buildDevice(record) };
    cache.set(settings, made);
    return made;
  };
  return {
    id: '{6B1C2A5E-8F43-4D0B-9A67-2E5D1F7C3B90}',
    name: DEVICE_MODULE,
    description: 'A device that announces its variables to an MQTT broker.',
    icon: 'Gear',
    page: 'hardware/mqtt-discovery.md',
    kind: moduleKind.device,
    prefix: 'MQTT',
    properties,
    requires: discoveryFlow,
    variables: (settings) => {
      const announced = modelOf(settings);
      return announced === undefined ? [] : declareDevice(announced.model);
    },
    images: (settings) => {
      const announced = modelOf(settings);
      return announced === undefined ? [] : declareImages(announced.model, announced.record.name);
    },
    check: (settings) =>
      modelOf(settings) === undefined
        ? coded`ANNOUNCEMENT_INVALID: Announcement does not describe a device: create the instance from the results of MQTT Discovery (GW_CreateFrom)`
        : undefined,
    async open(host) {
      const announced = modelOf(host.properties);
      const { openDiscoveredDevice } = await import('./open-device.js');
      return openDiscoveredDevice(
        host,
        announced ?? { record: EMPTY, model: { entities: [], problems: [] } },
      );
    },
  };
}

const EMPTY: DeviceRecord = {
  keys: [],
  name: '',
  manufacturer: '',
  model: '',
  software: '',
  origin: '',
  entities: [],
  requests: [],
};
