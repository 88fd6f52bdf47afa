import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { listPorts, resolvePort } from '../../../drivers/serial/port-discovery.js';
import { KernelPorts } from '../../../drivers/serial/kernel-ports.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';
import { fakePort, ptyPort } from './test-ports.js';
import { serialContract, SETTINGS } from './suite.js';
import { serialModulesContract } from './modules-suite.js';

const skip = hasProgram('socat') ? false : 'socat is not installed (Debian package socat)';

await serialContract(t, 'simulated ports', fakePort);
await serialModulesContract(t, 'simulated ports', fakePort);
await t.test('pseudo-terminals', { skip }, async (t) => {
  await serialContract(t, 'kernel', () => ptyPort());
  await serialModulesContract(t, 'kernel', () => ptyPort());
  await t.test('a send that waits continues, although bytes have arrived', async (t) => {
    // The device reads slowly: the send waits for most of the time.
    await using testPort = await ptyPort(['-b', '1']);
    let received = 0;
    const listener = {
      onData: (bytes: Buffer) => (received += bytes.length),
      onLost: () => t.fail('the port is lost'),
    };
    const port = await testPort.ports.open(testPort.where, SETTINGS, listener);
    const bytes = Buffer.alloc(40_000, 'x');
    const sent = port.send(bytes);
    for (let n = 1; n <= 5; n++) {
      testPort.say('.');
      await until('a byte', () => received === n);
    }
    await until('all bytes', () => testPort.heard().length === bytes.length);
    await t.resolves(sent);
    await port.close();
  });
});

await t.test('adapters are found by their sysfs attributes', async (t) => {
  const directory = await tempDirectory(t);
  const roots = { tty: join(directory, 'class'), dev: '/dev' };
  const usb = async (tty: string, id: string, serial: string | undefined) => {
    const device = join(directory, 'devices', tty);
    const [vendor = '', product = ''] = id.split(':');
    await mkdir(join(device, 'interface', 'port'), { recursive: true });
    await writeFile(join(device, 'idVendor'), `${vendor}\n`);
    await writeFile(join(device, 'idProduct'), `${product}\n`);
    if (serial !== undefined) await writeFile(join(device, 'serial'), `${serial}\n`);
    await mkdir(join(roots.tty, tty), { recursive: true });
    await symlink(join(device, 'interface', 'port'), join(roots.tty, tty, 'device'));
  };
  const platform = async (tty: string, type: string) => {
    await mkdir(join(directory, 'devices', 'platform', tty), { recursive: true });
    await mkdir(join(roots.tty, tty), { recursive: true });
    await symlink(join(directory, 'devices', 'platform', tty), join(roots.tty, tty, 'device'));
    await writeFile(join(roots.tty, tty, 'type'), `${type}\n`);
  };
  t.same(await listPorts(roots), [], 'none, without a tty');
  await t.rejects(resolvePort('0403:6001', roots), {
    code: 'DEVICE_OFFLINE',
    message: /has no serial ports/,
  });
  await usb('ttyUSB10', '0403:6001', 'FT9');
  await usb('ttyUSB2', '0403:6001', 'FT1');
  await usb('ttyACM0', '2341:0043', undefined);
  await platform('ttyS0', '4');
  await platform('ttyS1', '0');
  await mkdir(join(roots.tty, 'tty1'));
  t.same(
    (await listPorts(roots)).map(({ path }) => path),
    ['/dev/ttyACM0', '/dev/ttyS0', '/dev/ttyUSB2', '/dev/ttyUSB10'],
    'only those with hardware',
  );
  t.equal(await resolvePort('0403:6001:FT9', roots), '/dev/ttyUSB10');
  t.equal(await resolvePort('2341:0043', roots), '/dev/ttyACM0');
  t.equal(await resolvePort('2341:0043:', roots), '/dev/ttyACM0');
  await t.rejects(resolvePort('0403:6001', roots), {
    code: 'DEVICE_OFFLINE',
    message: /\/dev\/ttyUSB2 and \/dev\/ttyUSB10.*serial number/,
  });
  await t.rejects(resolvePort('1a86:7523:', roots), {
    message: /no adapter matches 1a86:7523:.*\/dev\/ttyUSB2 \(0403:6001:FT1\)/,
  });
});

await t.test('a path that is not a port is rejected with a reason', async (t) => {
  const directory = await tempDirectory(t);
  const file = join(directory, 'file');
  await writeFile(file, '');
  const opening = new KernelPorts().open(
    file,
    { baudRate: 9600, dataBits: 8, stopBits: 1, parity: 'none' },
    { onData: () => undefined, onLost: () => undefined },
  );
  await t.rejects(opening, { code: 'DEVICE_CONFIGURATION', message: /cannot be opened/ });
});
