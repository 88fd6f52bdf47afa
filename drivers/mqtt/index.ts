import type { ModuleDefinition } from '../../src/device/module.js';
import type { Brokers } from './broker.js';
import { NetworkBrokers } from './connection.js';
import { mqttClient } from './mqtt-client.js';
import { mqttDevice } from './mqtt-device.js';

/** The modules of this driver for one gateway, over the network unless given other brokers. */
export function mqttModules(brokers: Brokers = new NetworkBrokers()): readonly ModuleDefinition[] {
  return [mqttClient(brokers), mqttDevice] as readonly ModuleDefinition[];
}
