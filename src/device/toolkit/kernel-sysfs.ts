import { constants } from 'node:fs';
import { access, open, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../base/fault.js';
import { type SysfsClass, errno } from './sysfs-class.js';

/** Numbers, and short texts. */
const OPEN_ATTRIBUTE_BYTES = 256;

/**
 * A device class of this machine: `root` is its directory, such as `/sys/class/leds`; `nodes` has the nodes of
 * its devices.
 */
export function kernelSysfs(root: string, nodes = '/dev'): SysfsClass {
  return {
    root,
    async list(folder) {
      const names = await readdir(join(root, folder)).catch(() => []);
      return names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    },
    read: async (path) => (await readFile(join(root, path), 'utf8')).trim(),
    async readBytes(path, length) {
      const file = await open(join(root, path), constants.O_RDONLY);
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, null);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    async open(path) {
      const file = await open(join(root, path), constants.O_RDONLY);
      const buffer = Buffer.alloc(OPEN_ATTRIBUTE_BYTES);
      return {
        // A read from the beginning makes the kernel's driver read again.
        async read() {
          const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
          return buffer.toString('utf8', 0, bytesRead).trim();
        },
        close: () => file.close(),
      };
    },
    async openNode(name) {
      const file = await open(join(nodes, name), constants.O_RDONLY | constants.O_NONBLOCK);
      return {
        async read(into) {
          try {
            return (await file.read(into, 0, into.length, null)).bytesRead;
          } catch (thrown) {
            if (codeOf(thrown) === 'EAGAIN') return 0;
            throw thrown;
          }
        },
        close: () => file.close(),
      };
    },
    async write(path, data) {
      const bytes = Buffer.from(data);
      const file = await open(join(root, path), constants.O_WRONLY);
      try {
        const { bytesWritten } = await file.write(bytes);
        if (bytesWritten < bytes.length) throw errno('EIO', path);
      } finally {
        await file.close();
      }
    },
    async isWritable(path) {
      try {
        await access(join(root, path), constants.W_OK);
        return true;
      } catch (thrown) {
        if (codeOf(thrown) === 'ENOENT') throw thrown;
        return false;
      }
    },
    // Devices of a bus have no link to their parent: they are in its directory.
    deviceOf: async (name) =>
      basename(
        await realpath(join(root, name, 'device')).catch(async () =>
          dirname(await realpath(join(root, name))),
        ),
      ),
  };
}
