import type { ModuleDefinition } from '../../src/device/module.js';
import type { BrokerConnector } from './broker.js';
import { NetworkConnector } from './network-connection.js';
import { mqttClient } from './mqtt-client.js';
import { mqttDevice } from './mqtt-device.js';
import { discoveredDevice } from './discovered/discovered-device.js';
import { mqttPublisher } from './publishing/mqtt-publisher.js';
import { mqttDiscovery } from './discovered/mqtt-discovery.js';

/** The MQTT modules of one gateway; they connect over the network by default. */
export function mqttModules(brokers: BrokerConnector = new NetworkConnector()): readonly ModuleDefinition[] {
  return [
    mqttClient(brokers),
    mqttDevice,
    mqttDiscovery(),
    discoveredDevice(),
    mqttPublisher,
  ] as readonly ModuleDefinition[];
}
