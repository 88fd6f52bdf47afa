import { createServer, type Server } from 'node:net';
import { readFileSync } from 'node:fs';

/**
 * Ports below those that Linux gives to connections and to listeners on port 0 (ip_local_port_range, ip(7)).
 */
const LOWEST = 15_000;

/**
 * A TCP port of 127.0.0.1 on which nothing listens, and that no other test takes as long as this process
 * runs: for programs that cannot listen on port 0, and for addresses without a server. Everything that can
 * listen on port 0 does, and reports its port.
 */
export async function reservePort(): Promise<number> {
  const [first = '32768'] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/);
  const count = Math.max(1000, Number(first) - LOWEST);
  const start = Math.floor(Math.random() * count);
  for (let n = 0; n < count; n++) {
    const port = LOWEST + ((start + n) % count);
    // An abstract socket (unix(7)) of the port's name is the lock: the kernel releases it with the process.
    const lock = await listening(`\0stellwerk-test-port-${port}`);
    if (lock === undefined) continue;
    const probe = await listening(port);
    if (probe !== undefined) {
      await new Promise((resolve) => probe.close(resolve));
      return port;
    }
    lock.close();
  }
  throw new Error('no port is free');
}

/** A server that does not keep the process running; undefined if the address is taken. */
function listening(address: string | number): Promise<Server | undefined> {
  const server = createServer().unref();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(address, () => resolve(server));
  });
}
