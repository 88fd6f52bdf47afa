import { readFile } from 'node:fs/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { faultFrom, messageOf } from '../../src/base/fault.js';
import type { Host } from '../../src/device/module.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { peerName } from '../../src/device/byte-stream.js';
import { withTimeout } from '../../src/device/toolkit/timeout.js';
import { KEEPALIVE_IDLE_MS } from './tcp-connection.js';
import { mapSocketError } from './socket-errors.js';

/** How long the other side may take, TLS included; less than an opening's deadline, to tell what is wrong. */
export const CONNECT_TIMEOUT_MS = 15_000;

/** Where a client socket leads. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | undefined;
  /** The limit for connecting; {@link CONNECT_TIMEOUT_MS} by default. */
  readonly ms?: number | undefined;
}

export interface TlsOptions {
  /** Whether the certificate must come from a known authority, or from the one in `caFile`. */
  readonly verifyPeer: boolean;
  /** Whether it must be for this host. */
  readonly verifyHost: boolean;
  /** A file in PEM, of an authority or the device's own certificate; empty: the authorities that come with Node. */
  readonly caFile: string;
}

/** Connects. Rejects with a fault that says what to do, or with an AbortError when the host's signal aborts. */
export async function openTcpConnection(
  to: Destination,
  { clock, signal, names }: Pick<Host, 'clock' | 'signal'> & { readonly names: NameResolver },
): Promise<Socket> {
  const name = peerName({ address: to.host, port: to.port });
  const { tls } = to;
  const secure = tls === undefined ? undefined : await import('node:tls');
  const security = tls === undefined ? undefined : await tlsOptions(to.host, tls);
  signal.throwIfAborted();
  const options = { ...socketOptions(to), lookup: names.lookup };
  const socket = secure?.connect({ ...options, ...security }) ?? connectTcp(options);
  const made = new Promise<void>((resolve, reject) => {
    socket.once(tls === undefined ? 'connect' : 'secureConnect', resolve);
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed before it stood')));
  });
  try {
    await withTimeout(clock, { ms: to.ms ?? CONNECT_TIMEOUT_MS, what: name, signal }, made);
    // Looked at here, as either of the two can be asked for without the other.
    const mistake =
      tls?.verifyHost === true
        ? secure?.checkServerIdentity(to.host, (socket as TLSSocket).getPeerCertificate())
        : undefined;
    if (mistake !== undefined) throw mistake;
    return socket;
  } catch (thrown) {
    socket.destroy();
    throw mapSocketError(thrown, name);
  }
}

function socketOptions({ host, port }: Destination) {
  return { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEPALIVE_IDLE_MS };
}

async function tlsOptions(host: string, { caFile, verifyPeer }: TlsOptions): Promise<ConnectionOptions> {
  return {
    // What stands in the file is believed as it is, also where another authority has signed it.
    ...(caFile === '' ? {} : { ca: await readAuthority(caFile), allowPartialTrustChain: true }),
    // A name that the server may choose its certificate by; an address is none (RFC 6066 §3).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: verifyPeer,
    checkServerIdentity: () => undefined,
  };
}

async function readAuthority(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (thrown) {
    throw faultFrom(thrown, 'DEVICE_CONFIGURATION', `CaFile can't be read: ${messageOf(thrown)}`);
  }
}
