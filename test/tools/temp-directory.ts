import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new empty directory that is gone, with all in it, when the test ends. */
export async function tempDirectory(t: { teardown(end: () => Promise<void>): void }): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

/**
 * A TCP port of 127.0.0.1 that was free a moment ago, for programs that can't be told port 0. Another program may take
 * it meanwhile: whoever starts one there tries again with another port.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
