import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '../../src/base/clock.js';
import { withTimeout } from '../../src/device/toolkit/timeout.js';
import { PACKET_LIMIT } from './packet-reader.js';

/** Contents of PEM files: trusted authorities, our certificate and our key. */
export type Credentials = Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>;

/** Credentials, `lookup`, which resolves the broker's host name, and the limit of the TCP connection. */
interface TransportOptions extends Credentials {
  readonly lookup: LookupFunction;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A stream to a broker, and the TCP connection below it: only that one can be reset. */
export interface Transport {
  readonly stream: Duplex;
  readonly socket: Socket;
}

const PORTS: Readonly<Record<string, number>> = { 'mqtt:': 1883, 'mqtts:': 8883, 'ws:': 80, 'wss:': 443 };

/** Longest WebSocket frame, bytes. A frame may contain more than one packet. */
const FRAME_LIMIT = 2 * PACKET_LIMIT;

/**
 * Connects to the host of an `mqtt:`, `mqtts:`, `ws:` or `wss:` URL. Rejects with the error of the TCP
 * connection, `TIMED_OUT`, or the reason of the signal. Later failures are reported as events of the stream.
 */
export async function connectTransport(
  url: string,
  { lookup, clock, signal, timeoutMs, ...credentials }: TransportOptions,
): Promise<Transport> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const tls = protocol === 'mqtts:' || protocol === 'wss:' ? await import('node:tls') : undefined;
  const web = protocol === 'ws:' || protocol === 'wss:' ? await import('ws') : undefined;
  signal.throwIfAborted();
  const socket = connectTcp({ host, port: Number(port || PORTS[protocol]), noDelay: true, lookup });
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.on('error', reject);
  });
  try {
    await withTimeout(clock, { ms: timeoutMs, what: url, signal }, connected);
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
  // Server Name Indication takes host names only, no addresses (RFC 6066 §3).
  const name = isIP(host) === 0 ? { servername: host } : {};
  const secure = () => tls?.connect({ socket, host, ...name, ...credentials }) ?? socket;
  if (web === undefined) return { stream: secure(), socket };
  const options = {
    createConnection: secure,
    perMessageDeflate: false,
    maxPayload: FRAME_LIMIT,
    // One frame per iteration of the event loop: a burst of tiny frames, such as pings, would block it.
    allowSynchronousEvents: false,
  };
  return { stream: web.createWebSocketStream(new web.WebSocket(url, ['mqtt'], options)), socket };
}
