import { coded } from '../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import {
  type Host,
  type ModuleDefinition,
  referenceKind,
  type OpenInstance,
} from '../../src/device/module.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { streamModule, peerName, type ByteStream } from '../../src/device/byte-stream.js';
import { declareSendText } from './send-functions.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/**
 * How long reconnecting may take after the device closed the connection: its values stay good during that
 * time.
 */
const RECONNECT_MS = 2_000;

const properties = Type.Object({
  Host: withHelp(
    Type.String({ default: '', maxLength: 255 }),
    'Connection',
    'The host name or address of the device.',
  ),
  Port: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 65_535 }),
    'Connection',
    'The port of the device.',
  ),
  Open: withHelp(Type.Boolean({ default: true }), 'Connection', 'Whether the connection is open.'),
  UseSSL: withHelp(Type.Boolean({ default: false }), 'TLS', 'Whether the connection uses TLS.'),
  VerifyHost: withAdvancedHelp(
    Type.Boolean({ default: true }),
    'TLS',
    'Whether the certificate must be issued for the host.',
  ),
  VerifyPeer: withAdvancedHelp(
    Type.Boolean({ default: true }),
    'TLS',
    'Whether the certificate must be issued by a known authority.',
  ),
  CaFile: withAdvancedHelp(
    Type.String({ default: '', maxLength: 4096, refers: referenceKind.file }),
    'TLS',
    'A PEM file with the authorities that may have issued the certificate.',
  ),
  CertificateFile: withAdvancedHelp(
    Type.String({ default: '', maxLength: 4096, refers: referenceKind.file }),
    'TLS',
    'A PEM file with the certificate of the gateway, for devices that require one.',
  ),
  KeyFile: withAdvancedHelp(
    Type.String({ default: '', maxLength: 4096, refers: referenceKind.file }),
    'TLS',
    'A PEM file with its key.',
  ),
});
type Properties = Static<typeof properties>;

const MODULE = { id: '{3CFF0FD9-E306-41DB-9B5A-9D06D38576C3}', name: 'Client Socket' } as const;
const PREFIX = 'CSCK';

/** The module **Client Socket**: a TCP connection to a server. */
export function clientSocket(names: NameResolver): ModuleDefinition<typeof properties> {
  return {
    ...MODULE,
    description: 'A TCP connection to a device.',
    icon: 'Plug',
    page: 'hardware/sockets.md',
    ...streamModule,
    prefix: PREFIX,
    properties,
    check({ Host: to, Port, UseSSL, CaFile, CertificateFile, KeyFile }) {
      if (to === '' || Port === 0)
        return coded`HOST_PORT_REQUIRED_EXAMPLE: Host and Port are required, for example 192.168.1.5 and 23`;
      if (CaFile !== '' && !UseSSL) return coded`CAFILE_APPLIES_USESSL: CaFile only applies with UseSSL`;
      if ((CertificateFile === '') !== (KeyFile === ''))
        return coded`CERTIFICATE_AND_KEY_TOGETHER: CertificateFile and KeyFile must be set together`;
      if (CertificateFile !== '' && !UseSSL)
        return coded`CERTIFICATE_WITHOUT_USESSL: CertificateFile only applies with UseSSL`;
      return undefined;
    },
    functions: (instances) => [
      declareSendText(instances, { module: MODULE, prefix: PREFIX, where: 'over a client socket' }),
    ],
    open: (host) => open(host, names),
  };
}

async function open(host: Host<Properties>, names: NameResolver): Promise<OpenInstance> {
  const [{ openTcpConnection }, { ReconnectingClient }, { findDeadPeers }, { ByteReceiver }] =
    await Promise.all([
      import('./tcp-client.js'),
      import('./reconnecting-client.js'),
      import('./dead-peers.js'),
      import('../../src/device/toolkit/byte-receiver.js'),
    ]);
  const {
    Host: to,
    Port: port,
    UseSSL,
    VerifyHost: verifyHost,
    VerifyPeer: verifyPeer,
    CaFile: caFile,
    CertificateFile: certificateFile,
    KeyFile: keyFile,
  } = host.properties;
  const name = peerName({ address: to, port });
  const tls = UseSSL ? { verifyHost, verifyPeer, caFile, certificateFile, keyFile } : undefined;
  const { clock, signal } = host;
  const openSocket = (ms?: number) =>
    openTcpConnection({ host: to, port, tls, ms }, { clock, signal, names });
  const socket = await openSocket();
  const incoming = new ByteReceiver(host.log, name);
  const options = {
    name,
    clock,
    signal,
    connect: () => openSocket(RECONNECT_MS),
    onData: (bytes: Buffer) => {
      host.debug('received', bytes);
      incoming.receive(bytes);
    },
    onSent: (bytes: Uint8Array) => host.debug('sent', bytes),
    onDisconnect: () => {
      host.debug('closed', '');
      incoming.reportBreak();
    },
    onLost: (cause: Error) => host.reportLost(cause),
  };
  const connection = new ReconnectingClient(options, socket);
  const offer: ByteStream = {
    name,
    onData: incoming.onData,
    onBreak: incoming.onBreak,
    send: (bytes) => connection.send(bytes),
  };
  return {
    provided: offer,
    async probe() {
      const present = connection.socket;
      const [gone] = await findDeadPeers(present === undefined ? [] : [present]);
      if (gone !== undefined)
        throw fault(
          'DEVICE_OFFLINE',
          coded`NO_LONGER_RESPONDS_CHECK: ${name} no longer responds; check the device and the network`,
        );
    },
    close: () => connection.close(),
  };
}
