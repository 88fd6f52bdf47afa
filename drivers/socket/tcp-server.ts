import { coded } from '../../src/base/codes/coded-text.js';
import { createServer, isIP, type Server, type Socket } from 'node:net';
import { parseCertificateFor } from '../../src/base/credentials/certificate-key-pair.js';
import { faultFrom, messageOf, codedMessageOf } from '../../src/base/fault.js';
import { readCertificatePair } from '../../src/device/toolkit/property-file.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { peerName } from '../../src/device/byte-stream.js';
import { KEEPALIVE_IDLE_MS, withReset } from './tcp-connection.js';
import { mapSocketError } from './socket-errors.js';

/** How long a TLS handshake may take. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Options of a TCP server. */
interface ListenOptions {
  readonly address: string;
  readonly port: number;
  /** Limit of concurrent clients, including those in a TLS handshake. */
  readonly limit: number;
  readonly names: Pick<NameResolver, 'addressesOf'>;
  /** Paths of PEM files, for TLS. */
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | undefined;
}

/** Receives the events of a server; none after `close()`. */
interface ServerListener {
  onConnection(socket: Socket): void;
  /** A client above the limit is connecting: drops another one if possible, and returns whether it did. */
  makeRoom(): boolean;
  /** A client above the limit was rejected. */
  onRejected(address: string): void;
  /** The TLS handshake of a client failed. */
  onTlsError(address: string, why: string): void;
  onLost(cause: Error): void;
}

/** A listening server. */
interface TcpServer {
  /**
   * Reads the PEM files again, and uses a renewed certificate for the next connections; open ones stay.
   * Rejects if the files cannot be used; the previous certificate then stays in use.
   */
  renewCertificate(): Promise<void>;
  /** A second call waits for the first. */
  close(): Promise<void>;
}

/** Starts listening. Rejects with a fault that says what to do. */
export async function listenTcp(where: ListenOptions, listener: ServerListener): Promise<TcpServer> {
  const { address, port, limit, tls } = where;
  const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEPALIVE_IDLE_MS };
  const secure = tls === undefined ? undefined : await createSecureServer(tls, options);
  const server = secure?.server ?? createServer(options);
  const sockets = new Set<Socket>();
  const bound = isIP(address) === 0 ? await resolveBindAddress(where) : address;
  let closing: Promise<void> | undefined;
  // Accept one more than the limit: a silent client may be dropped for it.
  server.maxConnections = limit + 1;
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    if (sockets.size >= limit && (closing !== undefined || !listener.makeRoom())) {
      if (closing === undefined) listener.onRejected(addressOf(socket));
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    if (closing !== undefined || socket.destroyed) return;
    const isBelow = (one: Socket) =>
      one.remotePort === socket.remotePort && one.remoteAddress === socket.remoteAddress;
    const below = tls === undefined ? undefined : [...sockets].find(isBelow);
    listener.onConnection(below === undefined ? socket : withReset(socket, below));
  });
  server.on('drop', (dropped) => {
    if (closing === undefined) listener.onRejected(addressOf(dropped));
  });
  // Also emitted for handshakes that closing interrupts.
  server.on('tlsClientError', (error: Error, socket: Socket) => {
    if (closing === undefined) listener.onTlsError(addressOf(socket), messageOf(error));
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
    server.listen({ host: bound, port });
  }).catch((thrown: unknown) => {
    throw mapSocketError(thrown, peerName(where));
  });
  server.on('error', (error) => {
    if (closing === undefined) listener.onLost(mapSocketError(error, peerName(where)));
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    close: () => (closing ??= close()),
    renewCertificate: async () => secure?.renew(),
  };
}

/** Resolves a `BindIP` that is a host name to its first address. */
async function resolveBindAddress(where: ListenOptions): Promise<string> {
  const [first = ''] = await where.names.addressesOf(where.address).catch((thrown: unknown) => {
    throw mapSocketError(thrown, peerName(where));
  });
  return first;
}

function addressOf(client: { readonly remoteAddress?: string | undefined } | undefined): string {
  return client?.remoteAddress ?? 'an address that is gone';
}

interface SecureServer {
  readonly server: Server;
  /** See {@link TcpServer.renewCertificate}. */
  renew(): Promise<void>;
}

async function createSecureServer(
  { certificateFile, keyFile }: NonNullable<ListenOptions['tls']>,
  options: object,
): Promise<SecureServer> {
  let pair = await readCertificatePair(certificateFile, keyFile);
  const { createServer: createTlsServer } = await import('node:tls');
  const server = withPair(() =>
    createTlsServer({ ...options, ...pair, handshakeTimeout: HANDSHAKE_TIMEOUT_MS }),
  );
  return {
    server,
    async renew() {
      const read = await readCertificatePair(certificateFile, keyFile);
      if (read.cert.equals(pair.cert) && read.key.equals(pair.key)) return;
      withPair(() => {
        // Node accepts a key of another certificate here, and fails in each handshake.
        parseCertificateFor(read.cert.toString(), read.key.toString());
        server.setSecureContext(read);
      });
      pair = read;
    },
  };
}

/** Maps what Node says of a certificate and a key. */
function withPair<T>(use: () => T): T {
  try {
    return use();
  } catch (thrown) {
    const why = coded`CERTIFICATEFILE_KEYFILE_DO_NOT: CertificateFile and KeyFile do not work: ${codedMessageOf(thrown)}`;
    throw faultFrom(thrown, 'DEVICE_CONFIGURATION', why);
  }
}
