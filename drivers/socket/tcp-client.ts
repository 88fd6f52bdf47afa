import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Host } from '../../src/device/module.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { peerName } from '../../src/device/byte-stream.js';
import { withTimeout } from '../../src/device/toolkit/timeout.js';
import { readCertificatePair, readPropertyFile } from '../../src/device/toolkit/property-file.js';
import { KEEPALIVE_IDLE_MS, withReset } from './tcp-connection.js';
import { mapSocketError } from './socket-errors.js';

/**
 * How long connecting may take, including the TLS handshake. Shorter than the limit for opening an instance,
 * so that the error says what is wrong.
 */
export const CONNECT_TIMEOUT_MS = 15_000;

/** The destination of a TCP connection. */
interface Destination {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | undefined;
  /** Timeout for connecting; {@link CONNECT_TIMEOUT_MS} by default. */
  readonly ms?: number | undefined;
}

interface TlsOptions {
  /** Whether the certificate must be issued by a known authority, or by the one in `caFile`. */
  readonly verifyPeer: boolean;
  /** Whether it must be issued for this host. */
  readonly verifyHost: boolean;
  /**
   * Path of a PEM file with an authority or the device's own certificate; empty for the authorities bundled
   * with Node.
   */
  readonly caFile: string;
  /** Paths of PEM files with our certificate and its key, which each connection reads; empty for none. */
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * Opens a connection. Rejects with a fault that says what to do, or with an AbortError if the host's signal
 * aborts.
 */
export async function openTcpConnection(
  to: Destination,
  { clock, signal, names }: Pick<Host, 'clock' | 'signal'> & { readonly names: NameResolver },
): Promise<Socket> {
  const name = peerName({ address: to.host, port: to.port });
  const { tls } = to;
  const secure = tls === undefined ? undefined : await import('node:tls');
  const security = tls === undefined ? undefined : await tlsOptions(to.host, tls);
  signal.throwIfAborted();
  const socket = connectTcp({ ...socketOptions(to), lookup: names.lookup });
  const open = async (): Promise<Socket> => {
    await opened(socket, 'connect');
    if (secure === undefined) return socket;
    const tlsSocket = secure.connect({ socket, ...security });
    await opened(tlsSocket, 'secureConnect');
    // Checked here, because host name and authority can be verified independently.
    const error =
      tls?.verifyHost === true
        ? secure.checkServerIdentity(to.host, tlsSocket.getPeerCertificate())
        : undefined;
    if (error !== undefined) throw error;
    return withReset(tlsSocket, socket);
  };
  try {
    return await withTimeout(clock, { ms: to.ms ?? CONNECT_TIMEOUT_MS, what: name, signal }, open());
  } catch (thrown) {
    socket.destroy();
    throw mapSocketError(thrown, name);
  }
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve);
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed before it was established')));
  });
}

function socketOptions({ host, port }: Destination) {
  return { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEPALIVE_IDLE_MS };
}

async function tlsOptions(
  host: string,
  { caFile, certificateFile, keyFile, verifyPeer }: TlsOptions,
): Promise<ConnectionOptions> {
  return {
    ...(certificateFile === '' ? {} : await readCertificatePair(certificateFile, keyFile)),
    // A certificate in the file is trusted as it is, even if it was issued by an authority that is not.
    ...(caFile === '' ? {} : { ca: await readPropertyFile('CaFile', caFile), allowPartialTrustChain: true }),
    // Server Name Indication takes host names only, no addresses (RFC 6066 §3).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: verifyPeer,
    checkServerIdentity: () => undefined,
  };
}
