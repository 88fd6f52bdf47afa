/**
 * A gateway with an MQTT Bridge, for tests that kill it: changes a counter and prints each number on stdout when
 * the bridge has accepted it; `durable NAME SIZE` when a file of the queue is on the disk up to this size, and
 * `full` when the disk has rejected a write. Arguments: the directory of the queue, the address of the broker, the
 * first number, how many there are, the id of the run of the kernel, and how many writes the disk rejects.
 */
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { mqttBridge } from '../../../drivers/bridge/json/mqtt-bridge.js';
import { openQueueFiles } from '../../../drivers/bridge/queue/disk-files.js';
import type { QueueFiles } from '../../../drivers/bridge/queue/queue-files.js';
import { NetworkConnector } from '../../../drivers/mqtt/network-connection.js';
import type { ModuleDefinition } from '../../../src/device/module.js';
import { printLine } from '../../tools/print-line.js';
import { BridgeFixture } from '../../tools/bridge/bridge-fixture.js';

const [directory = '', url = '', from = '0', count = '0', boot = '', full = '0'] = process.argv.slice(2);
let rejections = Number(full);

/** The files of the queue, on a disk that rejects the first writes. */
function observed(files: QueueFiles): QueueFiles {
  const sizes = new Map<string, number>();
  return {
    ...files,
    append: async (name, bytes) => {
      if (rejections-- > 0) {
        await printLine('full');
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      }
      await files.append(name, bytes);
      const size = (sizes.get(name) ?? 0) + bytes.length;
      sizes.set(name, size);
      await printLine(`durable ${name} ${size}`);
    },
  };
}

const environment = {
  boot,
  openFiles: async (kind: string) =>
    observed(
      await openQueueFiles({
        directory: join(directory, kind),
        memoryFile: join(directory, 'run', kind),
      }),
    ),
};
const module = mqttBridge(new NetworkConnector(), environment) as unknown as ModuleDefinition;
const fixture = new BridgeFixture([module]);
process.once('SIGTERM', () => void fixture[Symbol.asyncDispose]().then(() => process.exit()));
const bridge = await fixture.add('MQTT Bridge', {
  Url: url,
  Topic: 'box',
  Paths: [{ Path: 'hall', Priority: 'normal' }],
  WriteInterval: 1,
  ResendRate: 20_000,
});
await fixture.waitForLink(bridge, 'online');
for (let n = 0; n < Number(count); n++) {
  const value = Number(from) + n;
  fixture.set('COUNT', value);
  // The queue accepts it in the next iteration of the event loop.
  await turn();
  await turn();
  await printLine(String(value));
  // The write interval passes once while there are values.
  if (n % 8 === 0) await sleep(25);
}
setInterval(() => undefined, 60_000);
