import { connect as connectTcp, isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { PACKET_LIMIT } from './packet-reader.js';

/** Contents of PEM files: trusted authorities, our certificate and our key. */
export type Credentials = Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>;

/** Credentials, and `lookup`, which resolves the broker's host name. */
interface TransportOptions extends Credentials {
  readonly lookup: LookupFunction;
}

/** Longest WebSocket frame, bytes. A frame may contain more than one packet. */
const FRAME_LIMIT = 2 * PACKET_LIMIT;

/**
 * Starts connecting to an `mqtt:`, `mqtts:`, `ws:` or `wss:` URL. Failures are reported as events of the
 * stream.
 */
export async function connectTransport(
  url: string,
  { lookup, ...credentials }: TransportOptions,
): Promise<Duplex> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'mqtt:') return connectTcp({ host, port: Number(port || 1883), noDelay: true, lookup });
  if (protocol === 'mqtts:') {
    const { connect } = await import('node:tls');
    // Server Name Indication takes host names only, no addresses (RFC 6066 §3).
    const name = isIP(host) === 0 ? { servername: host } : {};
    return connect({ host, port: Number(port || 8883), ...name, lookup, ...credentials });
  }
  const { createWebSocketStream, WebSocket } = await import('ws');
  const options = {
    lookup,
    ...credentials,
    perMessageDeflate: false,
    maxPayload: FRAME_LIMIT,
    // One frame per iteration of the event loop: a burst of tiny frames, such as pings, would block it.
    allowSynchronousEvents: false,
  };
  return createWebSocketStream(new WebSocket(url, ['mqtt'], options));
}
