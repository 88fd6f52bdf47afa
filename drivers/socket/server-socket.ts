import { coded } from '../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { renewCertificateRegularly } from '../../src/device/toolkit/property-file.js';
import { TransientProblems } from '../../src/device/toolkit/transient-problems.js';
import {
  type Host,
  type ModuleDefinition,
  referenceKind,
  type OpenInstance,
} from '../../src/device/module.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { streamModule, peerName } from '../../src/device/byte-stream.js';
import { declareSendPacket, declareSendText } from './send-functions.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/** Upper limit of Limit: each client takes memory of the gateway and the kernel. */
const MAX_CLIENTS = 256;

/** How often clients are checked for IdleS. */
const IDLE_CHECK_MS = 1000;

const properties = Type.Object({
  Port: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 65_535, refers: referenceKind.tcpPort }),
    'Connection',
    'The port on which the gateway listens.',
  ),
  Limit: withAdvancedHelp(
    Type.Integer({ default: 16, minimum: 1, maximum: MAX_CLIENTS }),
    'Connection',
    'The maximum number of clients.',
  ),
  BindIP: withHelp(
    Type.String({ default: '127.0.0.1', maxLength: 64 }),
    'Connection',
    'The address on which the gateway listens; 0.0.0.0 for all.',
  ),
  Open: withHelp(Type.Boolean({ default: true }), 'Connection', 'Whether the gateway listens.'),
  IdleS: withAdvancedHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 86_400 }),
    'Connection',
    'A client that sends nothing for this time is disconnected; 0 is never.',
  ),
  UseSSL: withHelp(Type.Boolean({ default: false }), 'TLS', 'Whether clients must use TLS.'),
  CertificateFile: withHelp(
    Type.String({ default: '', maxLength: 4096, refers: referenceKind.file }),
    'TLS',
    'A PEM file with the certificate of the gateway.',
  ),
  KeyFile: withHelp(
    Type.String({ default: '', maxLength: 4096, refers: referenceKind.file }),
    'TLS',
    'A PEM file with its key.',
  ),
});
type Properties = Static<typeof properties>;

const MODULE = { id: '{8062CF2B-600E-41D6-AD4B-1BA66C32D6ED}', name: 'Server Socket' } as const;
const PREFIX = 'SSCK';

/** The module **Server Socket**: a TCP server. */
export function serverSocket(names: NameResolver): ModuleDefinition<typeof properties> {
  return {
    ...MODULE,
    description: 'A port to which devices connect by TCP.',
    icon: 'Plug',
    page: 'hardware/sockets.md',
    ...streamModule,
    prefix: PREFIX,
    properties,
    check({ Port, BindIP, UseSSL, CertificateFile, KeyFile }) {
      if (Port === 0) return coded`PORT_0_SET_PORT: Port is 0; set the port that clients connect to`;
      if (BindIP === '')
        return coded`BINDIP_EMPTY_SET_127: BindIP is empty; set 127.0.0.1, an address of this machine, or 0.0.0.0 for all`;
      if (UseSSL !== (CertificateFile !== '') || UseSSL !== (KeyFile !== ''))
        return coded`USESSL_CERTIFICATEFILE_KEYFILE_MUST: UseSSL, CertificateFile and KeyFile must be set together`;
      return undefined;
    },
    functions: (instances) => [
      declareSendText(instances, {
        module: MODULE,
        prefix: PREFIX,
        where: 'to all clients of a server socket',
      }),
      declareSendPacket(instances, {
        module: MODULE,
        prefix: PREFIX,
        where: 'to one client of a server socket',
      }),
    ],
    open: (host) => open(host, names),
  };
}

async function open(host: Host<Properties>, names: NameResolver): Promise<OpenInstance> {
  const [{ listenTcp }, { ServerClients }, { ByteReceiver }] = await Promise.all([
    import('./tcp-server.js'),
    import('./server-clients.js'),
    import('../../src/device/toolkit/byte-receiver.js'),
  ]);
  const { Port: port, Limit: limit, BindIP: address, IdleS } = host.properties;
  const { UseSSL, CertificateFile: certificateFile, KeyFile: keyFile } = host.properties;
  const name = peerName({ address, port });
  const incoming = new ByteReceiver(host.log, name);
  const problems = new TransientProblems(host);
  const clients = new ServerClients({
    name,
    clock: host.clock,
    onJoin: (who) => host.debug('joined', '', peerName(who)),
    onData: (bytes, from) => {
      host.debug('received', bytes, peerName(from));
      incoming.receive(bytes, from);
    },
    onSent: (bytes, to) => host.debug('sent', bytes, peerName(to)),
    onLeave(who, why, dropped) {
      host.debug('left', why, peerName(who));
      if (dropped) problems.add('DROPPED', () => coded`CLIENT_DROPPED: a client was dropped: ${why}`);
      incoming.reportLeave(who);
    },
  });
  const tls = UseSSL ? { certificateFile, keyFile } : undefined;
  const server = await listenTcp(
    { address, port, limit, tls, names },
    {
      onConnection: (socket) => clients.add(socket),
      makeRoom: () => clients.makeRoom(),
      onRejected: (from) =>
        problems.add(
          'LIMIT',
          () =>
            coded`CLIENTS_CONNECTED_REJECTED_RAISE: ${limit} clients are connected, the one at ${from} was rejected; raise Limit`,
        ),
      onTlsError: (from, why) =>
        problems.add(
          'TLS',
          () => coded`TLS_HANDSHAKE_CLIENT_FAILED: the TLS handshake of the client at ${from} failed: ${why}`,
        ),
      onLost: (cause) => host.reportLost(cause),
    },
  );
  const cancelRenewal = UseSSL ? renewCertificateRegularly(host, () => server.renewCertificate()) : undefined;
  const cancel = IdleS > 0 ? host.clock.every(IDLE_CHECK_MS, () => clients.dropSilent(IdleS)) : undefined;
  return {
    provided: {
      name,
      onData: incoming.onData,
      onLeave: incoming.onLeave,
      send: (bytes: Uint8Array) => clients.send(bytes),
      sendTo: clients.sendTo.bind(clients),
    },
    knownDevices: () => clients.knownClients(),
    probe: () => clients.dropDead(),
    async close() {
      cancel?.();
      cancelRenewal?.();
      problems.close();
      await Promise.all([server.close(), clients.close()]);
    },
  };
}
