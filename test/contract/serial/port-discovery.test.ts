import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { discoverPorts } from '../../../drivers/serial/port-discovery.js';
import { tempDirectory } from '../../tools/temp-directory.js';

t.test('a port is listed with its stable name', async (t) => {
  const root = await tempDirectory(t);
  const [tty, dev, usb] = [join(root, 'tty'), join(root, 'dev'), join(root, 'usb')];
  for (const [name, device] of [
    ['ttyUSB0', usb],
    ['ttyS0', join(root, 'uart')],
  ] as const) {
    await mkdir(join(tty, name), { recursive: true });
    await mkdir(device, { recursive: true });
    await symlink(device, join(tty, name, 'device'));
    await mkdir(dev, { recursive: true });
    await writeFile(join(dev, name), '');
  }
  await writeFile(join(usb, 'idVendor'), '0403\n');
  await writeFile(join(usb, 'idProduct'), '6001\n');
  await writeFile(join(usb, 'serial'), 'A1\n');
  for (const folder of ['by-id', 'by-path']) {
    await mkdir(join(dev, 'serial', folder), { recursive: true });
    await symlink('../../ttyUSB0', join(dev, 'serial', folder, `usb-${folder}`));
  }
  const found = await discoverPorts({ roots: { tty, dev } });
  t.strictSame(
    found.map(({ id, name, about }) => [id, name, about]),
    [
      [`port ${dev}/ttyS0`, `${dev}/ttyS0`, ''],
      [
        `port ${dev}/serial/by-id/usb-by-id`,
        `${dev}/ttyUSB0`,
        `${dev}/serial/by-id/usb-by-id, USB 0403:6001:A1`,
      ],
    ],
  );
  t.strictSame(found[1]?.makes, [
    { module: 'Serial Port', properties: { Port: `${dev}/serial/by-id/usb-by-id` } },
  ]);
});
