import { join } from 'node:path';
import type { ModuleDefinition } from '../../src/device/module.js';
import { fault } from '../../src/base/fault.js';
import { pruneDirectory } from '../../src/base/prune-directory.js';
import type { BrokerConnector } from './broker.js';
import { NetworkConnector } from './network-connection.js';
import { mqttClient } from './mqtt-client.js';
import { mqttDevice } from './mqtt-device.js';
import { discoveredDevice } from './discovered/discovered-device.js';
import { mqttPublisher } from './publishing/mqtt-publisher.js';
import { mqttDiscovery } from './discovered/mqtt-discovery.js';
import { mqttServer, type ServerEnvironment } from './server/mqtt-server.js';
import { mqttServerUser } from './server/mqtt-server-user.js';

/** Nobody else needs to read what clients published. */
const DIRECTORY_MODE = 0o700;

/** What the MQTT Server of a running gateway needs: where it keeps its data, and the gateway's certificate. */
interface ServerOptions extends Pick<ServerEnvironment, 'certificate'> {
  readonly directory: string;
  /** On a tmpfs. */
  readonly runtimeDirectory: string;
}

/**
 * The MQTT modules of one gateway; they connect over the network by default. Without `server`, no MQTT Server
 * can be opened: only its configuration is checked.
 */
export function mqttModules(
  brokers: BrokerConnector = new NetworkConnector(),
  server?: ServerOptions,
): readonly ModuleDefinition[] {
  return [
    mqttClient(brokers),
    mqttDevice,
    mqttDiscovery(),
    discoveredDevice(),
    mqttPublisher,
    mqttServer(environmentOf(server)),
    mqttServerUser,
  ] as readonly ModuleDefinition[];
}

function environmentOf(server: ServerOptions | undefined): ServerEnvironment {
  if (server === undefined) {
    const missing = async () => {
      throw fault('DEVICE_CONFIGURATION', 'there is no data directory');
    };
    return { openDirectories: missing, certificate: missing };
  }
  return {
    certificate: server.certificate,
    async openDirectories(id, ids) {
      const names = new Set(ids.map(String));
      const data = join(server.directory, 'mqtt-server');
      const journals = join(server.runtimeDirectory, 'mqtt-server');
      for (const directory of [data, journals])
        await pruneDirectory(directory, { names, mode: DIRECTORY_MODE });
      return { database: join(data, String(id), 'sessions.db'), journal: join(journals, String(id)) };
    },
  };
}
