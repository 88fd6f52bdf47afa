import { readFileSync } from 'node:fs';
import t from 'tap';
import { MapCatalog } from '../../../drivers/modbus/maps/map-catalog.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { ModbusServer } from '../../tools/devices/modbus-server.js';
import { registerMaps } from '../../tools/devices/register-maps.js';
import { RegisterImage } from '../../tools/devices/register-image.js';
import { until } from '../../tools/until.js';
import { MODULES, UNIT } from './peers.js';

const catalog = new MapCatalog(registerMaps());
const files = [...catalog.files().values()];

t.test('every map of the package is valid, and names its source', async (t) => {
  t.ok(files.length >= 25, `${files.length} maps`);
  const page = readFileSync(`${PACKAGE_ROOT}docs/hardware/modbus-devices.md`, 'utf8');
  const listed = Array.from(
    page.matchAll(/^\| `([\w-]+)` \| .* \| (?:meter|inverter|storage|io|sensor) \|/gm),
    ([, id]) => id,
  );
  t.strictSame(listed.sort(), files.map(({ id }) => id).sort(), 'the page lists every map');
  for (const { id } of files) {
    t.equal(catalog.check(id, 'device')?.toString(), undefined, id);
    t.match(catalog.find(id, 'device')?.source, /^.{20,}/, `${id} names its source`);
  }
});

await t.test('each map reads a generated image, also of missing values', async (t) => {
  const side = new ModbusServer(UNIT);
  await using server = await side.serveTcp();
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: server.port });
  const gateway = await fixture.add('ModBus Gateway', { GatewayMode: 0, DeviceID: UNIT }, socket);
  await fixture.waitForLink(gateway, 'online');
  for (const { id, path } of files) {
    const image = new RegisterImage(path);
    image.load(side);
    const device = await fixture.add('ModBus Mapped Device', { Map: id }, gateway);
    const wrong = () =>
      [...image.expected].filter(([ident, value]) => fixture.value(device, ident) !== value);
    await until(`${id}: ${fixture.status(device)}`, () => wrong().length === 0, 5000).catch(() => undefined);
    t.strictSame(
      wrong().map(
        ([ident, value]) => `${ident}: ${String(value)}, not ${String(fixture.value(device, ident))}`,
      ),
      [],
      id,
    );
    for (const [ident] of image.expected) t.equal(fixture.quality(device, ident), 'good', `${id}: ${ident}`);
    await fixture.devices.delete(device.id);
    if (image.missing.size === 0) continue;
    image.loadMissing(side);
    const again = await fixture.add('ModBus Mapped Device', { Map: id }, gateway);
    const read = () =>
      [...image.missing.keys()].filter((ident) => fixture.quality(again, ident) !== 'bad UNREADABLE');
    await until(`${id}: missing values`, () => read().length === 0, 5000).catch(() => undefined);
    t.strictSame(read(), [], `${id}: the number for "no value" is not a value`);
    await fixture.devices.delete(again.id);
  }
});
