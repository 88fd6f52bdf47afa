import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { nativeFile, PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { compileC } from '../../tools/compile-c.js';
import { openPtyPair } from '../../tools/devices/pty.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const missing = ['gcc', 'socat'].filter((name) => !hasProgram(name)).join(' and ');

/** Opens a port with each direction control, and prints the mode while it is open and afterwards. */
const PROGRAM = `
  const [ports, addon, path] = process.argv.slice(1);
  const { createRequire } = await import('node:module');
  const { KernelPorts } = await import(ports);
  const { exchangeRs485 } = createRequire(addon)(addon);
  const listener = { onData() {}, onLost() {} };
  for (const directionControl of ['rts-on', 'rts-off']) {
    const settings = { baudRate: 9600, dataBits: 8, stopBits: 1, parity: 'none', directionControl };
    try {
      const port = await new KernelPorts().open(path, settings, listener);
      const open = exchangeRs485(0, 3);
      await port.close();
      console.log(directionControl, open, exchangeRs485(0, 0));
    } catch (fault) {
      console.log(directionControl, fault.code, fault.message, exchangeRs485(0, 0));
    }
  }`;

t.test(
  'the kernel switches the direction where the driver can, and closing restores its mode',
  { skip: missing === '' ? false : `needs ${missing}` },
  async (t) => {
    await using pair = await openPtyPair(await tempDirectory(t));
    const source = join(PACKAGE_ROOT, 'test/contract/serial/kernel/rs485-mode.c');
    const kernel = await compileC('rs485-mode.so', [source], ['-fPIC', '-shared']);
    const ports = join(PACKAGE_ROOT, 'dist/drivers/serial/kernel-ports.js');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', PROGRAM, ports, nativeFile('serial.node'), pair.near],
      { env: { ...process.env, LD_PRELOAD: kernel } },
    );
    const [on, off] = stdout.split('\n');
    t.equal(
      on,
      'rts-on 3 0',
      'RS-485 is enabled with RTS on while sending, and not after the port was closed',
    );
    t.match(off, /^rts-off DEVICE_CONFIGURATION .* cannot switch the direction of RS-485 .* 0$/);
  },
);
