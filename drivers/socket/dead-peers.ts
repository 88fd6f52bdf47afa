import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/**
 * Number of unacknowledged retransmissions after which a peer counts as dead: about 13 s, with timeouts that
 * double from 0.2 s (RFC 6298 §5.5). The kernel itself continues for a quarter of an hour, without keepalive
 * probes during that time.
 */
export const RETRANSMIT_LIMIT = 6;

/** An established connection in /proc/net/tcp: its ports, retransmissions and unanswered probes. */
const ESTABLISHED_ROW = /^ *\d+: \w+:(\w{4}) \w+:(\w{4}) 01 \S+ \S+ (\w{8}) +\d+ +(\d+)/gm;

/**
 * Whether the peer of a connection has stopped responding, according to the kernel's table (`proc_net_tcp`);
 * false if ambiguous.
 */
export function isPeerDead(table: string, { localPort = 0, remotePort = 0 }: ConnectionPorts): boolean {
  const rows = [...table.matchAll(ESTABLISHED_ROW)].filter(
    ([, local = '', remote = '']) => parseInt(local, 16) === localPort && parseInt(remote, 16) === remotePort,
  );
  // Two connections to different addresses may have the same ports: if one of them is alive, both count as
  // alive.
  return (
    rows.length > 0 &&
    rows.every(
      ([, , , retransmissions = '', probes = '']) =>
        parseInt(retransmissions, 16) >= RETRANSMIT_LIMIT || Number(probes) >= RETRANSMIT_LIMIT,
    )
  );
}

type ConnectionPorts = Pick<Socket, 'localPort' | 'remotePort'>;

/** Returns the sockets whose peers have stopped responding. */
export async function findDeadPeers<T extends Socket>(sockets: readonly T[]): Promise<T[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/self/net/${name}`, 'utf8').catch(() => '')),
  );
  const table = tables.join('');
  return sockets.filter((socket) => isPeerDead(table, socket));
}
