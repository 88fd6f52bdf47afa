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
    {
      module: 'Serial Port',
      properties: { Port: `${dev}/serial/by-id/usb-by-id` },
      aliases: { Port: [`${dev}/serial/by-path/usb-by-path`, `${dev}/ttyUSB0`] },
    },
  ]);
});

t.test('adapters that cannot be distinguished are named by their USB path', async (t) => {
  const root = await tempDirectory(t);
  const [tty, dev] = [join(root, 'tty'), join(root, 'dev')];
  for (const folder of ['by-id', 'by-path']) await mkdir(join(dev, 'serial', folder), { recursive: true });
  const plug = async (name: string, serial: string) => {
    // As the kernel's: the port, its interface, the USB device.
    const usb = join(root, 'usb', name);
    await mkdir(join(usb, '1.0', name), { recursive: true });
    await mkdir(join(tty, name), { recursive: true });
    await symlink(join(usb, '1.0', name), join(tty, name, 'device'));
    await writeFile(join(dev, name), '');
    await writeFile(join(usb, 'idVendor'), '1a86\n');
    await writeFile(join(usb, 'idProduct'), '7523\n');
    if (serial !== '') await writeFile(join(usb, 'serial'), `${serial}\n`);
    await symlink(`../../${name}`, join(dev, 'serial', 'by-path', `path-${name}`));
  };
  const names = async () => {
    const found = await discoverPorts({ roots: { tty, dev } });
    return found.map(({ makes }) => String(makes[0]?.properties?.['Port']).slice(dev.length));
  };
  await plug('ttyUSB0', '');
  await symlink('../../ttyUSB0', join(dev, 'serial', 'by-id', 'usb-1a86_USB_Serial-if00-port0'));
  t.strictSame(await names(), ['/serial/by-id/usb-1a86_USB_Serial-if00-port0'], 'one alone');
  await plug('ttyUSB1', '');
  t.strictSame(await names(), ['/serial/by-path/path-ttyUSB0', '/serial/by-path/path-ttyUSB1']);
  await plug('ttyUSB2', 'B7');
  await symlink('../../ttyUSB2', join(dev, 'serial', 'by-id', 'usb-1a86_USB_Serial_B7-if00-port0'));
  t.strictSame(await names(), [
    '/serial/by-path/path-ttyUSB0',
    '/serial/by-path/path-ttyUSB1',
    '/serial/by-id/usb-1a86_USB_Serial_B7-if00-port0',
  ]);
});
