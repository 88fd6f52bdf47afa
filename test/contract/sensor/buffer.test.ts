import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { SIMULATED_TRIGGER } from '../../../drivers/sensor/buffer/simulated-buffer.js';
import { SimulatedSensors } from '../../../drivers/sensor/simulated-sensors.js';
import { ManualClock } from '../../../src/base/clock.js';
import { kernelSysfs } from '../../../src/device/toolkit/kernel-sysfs.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { bufferContract, type BufferFixture } from './buffer-suite.js';

const ID = 'ads1015@1-0048';
/** The simulated trigger fires ten times per second. */
const PERIOD_MS = 100;

async function simulatedFixture(): Promise<BufferFixture> {
  const clock = new ManualClock();
  const sensors = new SimulatedSensors(clock, [ID]);
  sensors.setFile(ID, 'in_voltage0_raw', '11520');
  sensors.setFile(ID, 'in_voltage1_raw', '-8000');
  return {
    attributes: sensors,
    id: ID,
    trigger: SIMULATED_TRIGGER,
    channels: [
      { channel: 'in_voltage1', ident: 'VOLTAGE_1', raw: -8000, value: -1 },
      { channel: 'in_voltage0', ident: 'VOLTAGE_0', raw: 11_520, value: 1.44 },
    ],
    fire: (times) => clock.advance(times * PERIOD_MS),
    remove: () => sensors.setUnplugged(ID, true),
    close: async () => undefined,
  };
}

await t.test('the simulated chips', (t) =>
  bufferContract((name, body) => t.test(name, body), simulatedFixture),
);

await t.test('reading the node of a device never waits', async (t) => {
  const directory = await tempDirectory(t);
  const fifo = join(directory, 'iio:device0');
  await promisify(execFile)('mkfifo', [fifo]);
  const node = await kernelSysfs(directory, directory).openNode('iio:device0');
  const into = new Uint8Array(8);
  const writer = await open(fifo, constants.O_WRONLY);
  t.equal(await node.read(into), 0, 'nothing has arrived');
  await writer.write(Buffer.from([1, 2, 3]));
  t.equal(await node.read(into), 3);
  t.strictSame([...into], [1, 2, 3, 0, 0, 0, 0, 0]);
  await writer.close();
  await node.close();
  await t.rejects(kernelSysfs(directory, directory).openNode('iio:device1'), { code: 'ENOENT' });
});
