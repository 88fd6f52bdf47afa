import { connect as connectTcp, isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { PACKET_LIMIT } from './packet-reader.js';

/** PEM contents: whom to trust, and who we are. */
export type Credentials = Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>;

/** `lookup`: finds the broker's addresses. */
export interface TransportOptions extends Credentials {
  readonly lookup: LookupFunction;
}

/** A frame of a WebSocket may have more than one packet in it. */
const FRAME_LIMIT = 2 * PACKET_LIMIT;

/** Begins to connect to the broker at `mqtt:`, `mqtts:`, `ws:` or `wss:`. What fails is an event of the stream. */
export async function connectTransport(
  url: string,
  { lookup, ...credentials }: TransportOptions,
): Promise<Duplex> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'mqtt:') return connectTcp({ host, port: Number(port || 1883), noDelay: true, lookup });
  if (protocol === 'mqtts:') {
    const { connect } = await import('node:tls');
    // An address is no server name (RFC 6066 §3).
    const name = isIP(host) === 0 ? { servername: host } : {};
    return connect({ host, port: Number(port || 8883), ...name, lookup, ...credentials });
  }
  const { createWebSocketStream, WebSocket } = await import('ws');
  const options = {
    lookup,
    ...credentials,
    perMessageDeflate: false,
    maxPayload: FRAME_LIMIT,
    // One frame in each turn of the event loop: tiny ones, pings among them, would hold it up.
    allowSynchronousEvents: false,
  };
  return createWebSocketStream(new WebSocket(url, ['mqtt'], options));
}
