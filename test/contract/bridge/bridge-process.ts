/**
 * A gateway with an MQTT Bridge, for tests that kill it: changes a counter and prints each number on stdout when
 * the bridge has accepted it. Arguments: the directory of the queue, the address of the broker, the first number,
 * and how many there are.
 */
import { writeSync } from 'node:fs';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { mqttBridge } from '../../../drivers/bridge/json/mqtt-bridge.js';
import { NetworkConnector } from '../../../drivers/mqtt/network-connection.js';
import type { ModuleDefinition } from '../../../src/device/module.js';
import { BridgeFixture, environmentIn } from '../../tools/bridge/bridge-fixture.js';

const [directory = '', url = '', from = '0', count = '0'] = process.argv.slice(2);
const module = mqttBridge(new NetworkConnector(), environmentIn(directory)) as unknown as ModuleDefinition;
const fixture = new BridgeFixture([module]);
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
  writeSync(1, `${value}\n`);
  if (n % 8 === 0) await sleep(1);
}
writeSync(1, 'done\n');
setInterval(() => undefined, 60_000);
