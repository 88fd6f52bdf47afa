import { join } from 'node:path';
import { fault } from '../../src/base/fault.js';
import type { ModuleDefinition } from '../../src/device/module.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import type { BridgeEnvironment } from './bridge.js';
import { mqttBridge } from './json/mqtt-bridge.js';
import { lineBridge } from './lines/line-bridge.js';
import type { BrokerPort } from './mqtt/broker-port.js';
import { sparkplugEdgeNode } from './sparkplug/sparkplug-edge-node.js';
import { exclusively } from './queue/exclusive-files.js';
import { openQueueFiles, readBootId, removeOtherQueues } from './queue/disk-files.js';

/** Where the queues of a gateway are. */
interface QueueDirectories {
  readonly directory: string;
  /** On a tmpfs. */
  readonly runtimeDirectory: string;
}

/** The bridges of one gateway. Without directories, none can be opened: only their configuration is checked. */
export function bridgeModules(
  { brokers, names }: { readonly brokers: BrokerPort; readonly names: NameResolver },
  directories: QueueDirectories | undefined,
): readonly ModuleDefinition[] {
  const environment: BridgeEnvironment = {
    boot: readBootId(),
    openFiles: exclusively(async (kind, id, ids) => {
      if (directories === undefined) throw fault('DEVICE_CONFIGURATION', 'there is no data directory');
      const queues = join(directories.directory, 'forward', kind);
      await removeOtherQueues(queues, new Set(ids.map(String)));
      return openQueueFiles({
        directory: join(queues, String(id)),
        memoryFile: join(directories.runtimeDirectory, 'forward', `${kind}-${id}`),
      });
    }),
  };
  return [
    mqttBridge(brokers, environment),
    sparkplugEdgeNode(brokers, environment),
    lineBridge(names, environment),
  ] as readonly ModuleDefinition[];
}
