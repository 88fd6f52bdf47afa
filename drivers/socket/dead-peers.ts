import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/**
 * So many times in a row the kernel has sent the same again without an answer: 13 s of waits that double from 0.2 s
 * (RFC 6298 §5.5). By itself it goes on for a quarter of an hour, and asks no questions of its own meanwhile.
 */
export const RETRANSMIT_LIMIT = 6;

/** One of the kernel's connections, by a line of /proc/net/tcp: where it stands, and what it repeats in vain. */
const ESTABLISHED_ROW = /^ *\d+: \w+:(\w{4}) \w+:(\w{4}) 01 \S+ \S+ (\w{8}) +\d+ +(\d+)/gm;

/** Whether the other side of a connection has stopped answering, by the kernel's table (`proc_net_tcp`); false where in doubt. */
export function isPeerDead(table: string, { localPort = 0, remotePort = 0 }: ConnectionPorts): boolean {
  const rows = [...table.matchAll(ESTABLISHED_ROW)].filter(
    ([, local = '', remote = '']) => parseInt(local, 16) === localPort && parseInt(remote, 16) === remotePort,
  );
  // Two connections may have these ports, to different addresses: one that is answered speaks for both.
  return (
    rows.length > 0 &&
    rows.every(
      ([, , , again = '', probes = '']) =>
        parseInt(again, 16) >= RETRANSMIT_LIMIT || Number(probes) >= RETRANSMIT_LIMIT,
    )
  );
}

type ConnectionPorts = Pick<Socket, 'localPort' | 'remotePort'>;

/** Those of the sockets whose other side has stopped answering what was sent to it. */
export async function findDeadPeers<T extends Socket>(sockets: readonly T[]): Promise<T[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/self/net/${name}`, 'utf8').catch(() => '')),
  );
  const table = tables.join('');
  return sockets.filter((socket) => isPeerDead(table, socket));
}
