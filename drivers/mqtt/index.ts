import type { ModuleDefinition } from '../../src/device/module.js';
import type { BrokerConnector } from './broker.js';
import { NetworkConnector } from './network-connection.js';
import { mqttClient } from './mqtt-client.js';
import { mqttDevice } from './mqtt-device.js';

/** The modules of this driver for one gateway, over the network unless given other brokers. */
export function mqttModules(brokers: BrokerConnector = new NetworkConnector()): readonly ModuleDefinition[] {
  return [mqttClient(brokers), mqttDevice] as readonly ModuleDefinition[];
}
