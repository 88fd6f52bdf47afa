import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Size limit, bytes; ample for passwords, keys and bundles of certificates. */
const LIMIT = 1024 * 1024;
/** Bytes per read. */
const CHUNK = 64 * 1024;

/**
 * Reads a file whose name a setting or a property has. Throws if it is larger than 1 MiB or is not a regular
 * file, after links: a device may have no end.
 */
export async function readNamedFile(path: string): Promise<Buffer> {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    // A file in /proc has a size of 0, whatever it contains.
    const chunks: Buffer[] = [];
    for (let total = stats.size > LIMIT ? stats.size : 0; total <= LIMIT;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK);
      if (bytesRead === 0) return Buffer.concat(chunks);
      chunks.push(buffer.subarray(0, bytesRead));
      total += bytesRead;
    }
    throw new Error(`it is larger than ${LIMIT} bytes`);
  } finally {
    await handle.close();
  }
}
