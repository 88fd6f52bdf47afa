import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { tempDirectory } from '../temp-directory.js';

const UNIT = 'etc/systemd/system/multi-user.target.wants/stellwerk-chips.path';

/** The root directory of a machine with the I²C bus 1, on which the service that declares chips is enabled. */
export async function makeI2cMachine(t: Test) {
  const root = await tempDirectory(t);
  const path = join(root, 'etc/udev/rules.d/61-stellwerk-chips.rules');
  mkdirSync(dirname(path), { recursive: true });
  for (const [name, text] of [
    ['sys/bus/i2c/devices/i2c-1/name', 'test\n'],
    [UNIT, ''],
  ] as const) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return {
    root,
    /** The file that declares chips. */
    path,
    disable: () => rmSync(join(root, UNIT)),
  };
}
