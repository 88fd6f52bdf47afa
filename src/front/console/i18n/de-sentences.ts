import { calls } from './de-gateway/sentences/calls.js';
import { configuration } from './de-gateway/sentences/configuration.js';
import { connections } from './de-gateway/sentences/connections.js';
import { devices } from './de-gateway/sentences/devices.js';
import { faults } from './de-gateway/sentences/faults.js';
import { health } from './de-gateway/sentences/health.js';
import { backup } from './de-gateway/sentences/backup.js';
import { records } from './de-gateway/sentences/records.js';
import { registerMaps } from './de-gateway/sentences/register-maps.js';
import { meters } from './de-gateway/sentences/meters.js';
import { sensors } from './de-gateway/sentences/sensors.js';
import { storage } from './de-gateway/sentences/storage.js';
import { rare } from './de-gateway/sentences/rare.js';

/** German for the gateway's sentences, by code; `{0}` is the first parameter. */
export const deSentences: Readonly<Record<string, string>> = {
  ...calls,
  ...configuration,
  ...connections,
  ...devices,
  ...health,
  ...backup,
  ...rare,
  ...meters,
  ...sensors,
  ...registerMaps,
  ...storage,
  ...records,
  ...faults,
};
