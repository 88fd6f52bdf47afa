import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { access, mkdir, rmdir, writeFile } from 'node:fs/promises';
import type { GpioBackend } from '../../../drivers/gpio/backends/line.js';
import { until } from '../../tools/until.js';
import type { Fixture } from './suite.js';

const CONFIG = '/sys/kernel/config/gpio-sim';
const LINES = 16;

/**
 * The contract's fixture, over the character device or sysfs, on a chip of the kernel's own simulator (module
 * gpio-sim; needs root and a mounted configfs): real interrupts, a real character device. With one CPU online
 * every edge of a burst is numbered.
 */
export async function gpioSimFixture(backend: GpioBackend): Promise<Fixture> {
  const name = `contract-${process.pid}`;
  const config = `${CONFIG}/${name}`;
  await mkdir(`${config}/bank0/line7`, { recursive: true });
  await writeFile(`${config}/bank0/num_lines`, String(LINES));
  await writeFile(`${config}/bank0/label`, name);
  await writeFile(`${config}/bank0/line7/name`, 'EIGHT');
  await writeFile(`${config}/live`, '1');
  const [device, chip] = [read(`${config}/dev_name`), read(`${config}/bank0/chip_name`)];
  const wires = `/sys/devices/platform/${device}/${chip}`;
  await until(`/dev/${chip}`, () =>
    access(`/dev/${chip}`).then(
      () => true,
      () => false,
    ),
  );
  const pulls = Array.from({ length: LINES }, (_, n) => openSync(`${wires}/sim_gpio${n}/pull`, 'w'));
  const drive = (offset: number, level: boolean) =>
    void writeSync(pulls[offset] as number, level ? 'pull-up' : 'pull-down', 0);
  const isKernel = backend.name === 'cdev';
  const alive = setInterval(() => undefined, 1000); // no timer of the clock's keeps the process alive
  return {
    backend,
    label: name,
    ...(isKernel ? { named: { name: 'EIGHT', offset: 7 } } : {}),
    isKernel,
    isExact: isKernel && read('/sys/devices/system/cpu/online') === '0',
    drive,
    burst(offset, edges) {
      for (let n = 1; n <= edges; n++) drive(offset, n % 2 === 1);
    },
    levelAt: (offset) => read(`${wires}/sim_gpio${offset}/value`) === '1',
    unplug: () => writeFileSync(`${config}/live`, '0'),
    async close() {
      clearInterval(alive);
      for (const pull of pulls) closeSync(pull);
      await writeFile(`${config}/live`, '0').catch(() => undefined); // it may have been unplugged already
      for (const part of ['/bank0/line7', '/bank0', '']) await rmdir(config + part);
    },
  };
}

const read = (path: string): string => readFileSync(path, 'utf8').trim();
