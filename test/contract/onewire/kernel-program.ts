/**
 * The contract on a bus of this machine's kernel with simulated devices (test/lab/recipe/w1-sim.c): a program
 * for a machine that has root, the gateway's own packages and nothing else. `node --test-reporter=tap
 * kernel-program.js BUS`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { listDevices, W1_DEVICES_PATH } from '../../../drivers/onewire/w1-files.js';
import { kernelSysfs } from '../../../src/device/toolkit/kernel-sysfs.js';
import { until } from '../../tools/until.js';
import { withNodeTest } from '../gpio/node-test-asserts.js';
import { oneWireContract } from './suite.js';

const [, , bus = ''] = process.argv;
const [thermometer, single, eight, pair] = [
  '28-0000075565ad',
  '12-000000c0ffee',
  '29-000000d0d0d0',
  '3a-000000123456',
] as const;
const FAR_END = '/sys/devices/w1-sim';
const attributes = kernelSysfs(W1_DEVICES_PATH);

const set = (address: string, word: string, number: number) =>
  writeFile(`${FAR_END}/set`, `${address} ${word} ${number}`);
const pulled = new Map<string, number>();

/** The pins that conduct, and the number of writes to them. */
async function stateOf(address: string): Promise<readonly [on: number, writes: number]> {
  const lines = (await readFile(`${FAR_END}/state`, 'utf8')).split('\n');
  const [, on, writes] = lines.find((line) => line.startsWith(address))?.split(' ') ?? [];
  return [Number(on), Number(writes)];
}

await oneWireContract(withNodeTest, async () => {
  // It searches only on request: a device that is silent for a while stays on its list.
  await attributes.write(`${bus}/w1_master_search`, '0');
  return {
    attributes,
    bus,
    thermometer,
    single,
    eight,
    pair,
    warm: (celsius) => set(thermometer, 'raw', Math.round(celsius * 16)),
    weaken: (isWeak) => set(thermometer, 'weak', Number(isWeak)),
    damage: (isDamaged) => set(thermometer, 'damaged', Number(isDamaged)),
    async pull(address, pin, isDown) {
      const before = pulled.get(address) ?? 0;
      const after = isDown ? before | (1 << pin) : before & ~(1 << pin);
      pulled.set(address, after);
      await set(address, 'pulled', after);
    },
    conducting: async (address) => (await stateOf(address))[0],
    writes: async (address) => (await stateOf(address))[1],
    setSilent: (address, isSilent) => set(address, 'silent', Number(isSilent)),
    async searchUntil(address, isListed) {
      await attributes.write(`${bus}/w1_master_search`, '-1');
      await until(`${address} to be noticed`, async () => {
        return (await listDevices(attributes, bus)).includes(address) === isListed;
      });
      await attributes.write(`${bus}/w1_master_search`, '0');
    },
    close: async () => undefined,
  };
});
