import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { backlightModule } from '../../examples/backlight.js';
import { textOf } from '../../law/sources.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const MAXIMUM = 255;

/** A directory that behaves like /sys/class/backlight, with one backlight. */
class SimulatedBacklight {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  get file(): string {
    return join(this.root, 'display', 'brightness');
  }

  async plug(raw: number): Promise<void> {
    await mkdir(join(this.root, 'display'), { recursive: true });
    await writeFile(join(this.root, 'display', 'max_brightness'), `${MAXIMUM}\n`);
    await writeFile(this.file, `${raw}\n`);
  }

  async read(): Promise<number> {
    return Number(await readFile(this.file, 'utf8'));
  }

  unplug(): Promise<void> {
    return rm(join(this.root, 'display'), { recursive: true });
  }
}

/** A gateway with one instance on a backlight that has the raw value 51, which is 20 %. */
async function makeFixture(t: Test) {
  const clock = new ManualClock();
  const backlight = new SimulatedBacklight(await tempDirectory(t));
  await backlight.plug(51);
  const gateway = new DeviceFixture([backlightModule(backlight.root)], clock);
  t.teardown(() => gateway.devices.close());
  const display = await gateway.add('Backlight', { Device: 'display' });
  await gateway.waitForLink(display, 'online');
  const write = (value: number) => gateway.devices.write(display.id, 'BRIGHTNESS', value);
  return { clock, backlight, gateway, display, write };
}

t.test('opening changes nothing and reports the brightness', async (t) => {
  const { backlight, gateway, display } = await makeFixture(t);
  t.equal(gateway.value(display, 'BRIGHTNESS'), 20);
  t.equal(await backlight.read(), 51);
});

t.test('a command is carried out and reported', async (t) => {
  const { backlight, gateway, display, write } = await makeFixture(t);
  await write(100);
  t.equal(await backlight.read(), MAXIMUM);
  t.equal(gateway.value(display, 'BRIGHTNESS'), 100);
});

t.test('a change by another program is reported within 10 s', async (t) => {
  const { clock, backlight, gateway, display } = await makeFixture(t);
  await backlight.plug(MAXIMUM);
  clock.advance(10_000);
  await gateway.waitForValue(display, 'BRIGHTNESS', 100);
});

t.test('a rejected command changes nothing', async (t) => {
  const { backlight, gateway, display, write } = await makeFixture(t);
  await rm(backlight.file);
  await mkdir(backlight.file);
  await t.rejects(write(50), { code: 'DEVICE_REFUSED' });
  t.equal(gateway.value(display, 'BRIGHTNESS'), 20);
  t.equal(gateway.value(display, 'LINK'), 'online');
});

t.test('a backlight that is removed and returns', async (t) => {
  const { clock, backlight, gateway, display, write } = await makeFixture(t);
  await backlight.unplug();
  await t.rejects(write(50), { code: 'DEVICE_OFFLINE' });
  await gateway.waitForLink(display, 'waiting');
  t.match(gateway.status(display), /the backlight was removed/);
  await backlight.plug(255);
  await gateway.waitForReconnect(display, clock);
  t.equal(gateway.value(display, 'BRIGHTNESS'), 100, 'the command was not sent later');
});

t.test('a missing property is named', async (t) => {
  const { gateway } = await makeFixture(t);
  const display = await gateway.add('Backlight', {});
  t.match(gateway.status(display), /Device is empty/);
});

t.test('the guide shows this source', (t) => {
  const sources = ['test/examples/backlight.ts', 'test/contract/examples/backlight.test.ts']
    .map(textOf)
    .join('\n');
  const blocks = [...textOf('docs/hardware/writing-a-driver.md').matchAll(/```ts\n([^]*?)```/g)];
  t.equal(blocks.length, 3);
  for (const [, code = ''] of blocks) t.ok(sources.includes(code), code);
  t.end();
});
