import { type Static, Type } from '@sinclair/typebox';
import { Complaints } from '../../src/device/complaints.js';
import { type Host, type ModuleDefinition, refersTo, type Running } from '../../src/device/module.js';
import type { Names } from '../../src/device/names.js';
import { streamModule, peerName } from '../../src/device/stream.js';
import { sendPacket, sendText } from './functions.js';

/** The most clients that may be asked for: each has memory of the gateway and of the kernel. */
const CLIENTS_MOST = 256;

/** How often it is looked who was silent for too long. */
const SWEEP_MS = 1000;

const properties = Type.Object({
  Port: Type.Integer({ default: 0, minimum: 0, maximum: 65_535, refers: refersTo.tcpPort }),
  /** So many clients at a time; more are sent away. */
  Limit: Type.Integer({ default: 16, minimum: 1, maximum: CLIENTS_MOST }),
  /** The address that is listened on; `0.0.0.0` or `::` are all of this machine. */
  BindIP: Type.String({ default: '127.0.0.1', maxLength: 64 }),
  Open: Type.Boolean({ default: true }),
  /** Seconds after which a client that says nothing is dropped; 0: never. */
  IdleS: Type.Integer({ default: 0, minimum: 0, maximum: 86_400 }),
  UseSSL: Type.Boolean({ default: false }),
  /** With UseSSL: files in PEM. */
  CertificateFile: Type.String({ default: '', maxLength: 4096, refers: refersTo.file }),
  KeyFile: Type.String({ default: '', maxLength: 4096, refers: refersTo.file }),
});
type Properties = Static<typeof properties>;

const MODULE = { id: '{8062CF2B-600E-41D6-AD4B-1BA66C32D6ED}', name: 'Server Socket' } as const;
const PREFIX = 'SSCK';

/** The module **Server Socket**: listens for clients over TCP, for the devices connected to it. */
export function serverSocket(names: Names): ModuleDefinition<typeof properties> {
  return {
    ...MODULE,
    ...streamModule,
    prefix: PREFIX,
    properties,
    check({ Port, BindIP, UseSSL, CertificateFile, KeyFile }) {
      if (Port === 0) return 'Port is 0: give the one that clients connect to';
      if (BindIP === '')
        return 'BindIP is empty: give 127.0.0.1, an address of this machine, or 0.0.0.0 for all';
      if (UseSSL !== (CertificateFile !== '') || UseSSL !== (KeyFile !== ''))
        return 'UseSSL, CertificateFile and KeyFile go together';
      return undefined;
    },
    functions: (instances) => [
      sendText(instances, { module: MODULE, prefix: PREFIX, where: 'to all clients of a server socket' }),
      sendPacket(instances, { module: MODULE, prefix: PREFIX, where: 'to one client of a server socket' }),
    ],
    open: (host) => open(host, names),
  };
}

async function open(host: Host<Properties>, names: Names): Promise<Running> {
  const [{ listen }, { Clients }, { Incoming }] = await Promise.all([
    import('./tcp-server.js'),
    import('./clients.js'),
    import('../../src/device/incoming.js'),
  ]);
  const { Port: port, Limit: limit, BindIP: address, IdleS } = host.properties;
  const { UseSSL, CertificateFile: certificateFile, KeyFile: keyFile } = host.properties;
  const name = peerName({ address, port });
  const incoming = new Incoming(host.log, name);
  const complaints = new Complaints(host);
  const clients = new Clients({
    name,
    clock: host.clock,
    joined: (who) => host.debug('joined', '', peerName(who)),
    received: (bytes, from) => {
      host.debug('received', bytes, peerName(from));
      incoming.received(bytes, from);
    },
    sent: (bytes, to) => host.debug('sent', bytes, peerName(to)),
    left(who, why, dropped) {
      host.debug('left', why, peerName(who));
      if (dropped) complaints.add('DROPPED', () => `a client was dropped: ${why}`);
      incoming.left(who);
    },
  });
  const tls = UseSSL ? { certificateFile, keyFile } : undefined;
  const server = await listen(
    { address, port, limit, tls, names },
    {
      joined: (socket) => clients.add(socket),
      makeRoom: () => clients.makeRoom(),
      refused: (from) =>
        complaints.add(
          'LIMIT',
          () => `${limit} clients are connected, the one at ${from} was sent away; raise Limit`,
        ),
      unsecured: (from, why) =>
        complaints.add('TLS', () => `the client at ${from} could not begin with TLS: ${why}`),
      lost: (cause) => host.lost(cause),
    },
  );
  const cancel = IdleS > 0 ? host.clock.every(SWEEP_MS, () => clients.dropSilent(IdleS)) : undefined;
  return {
    offer: {
      name,
      onData: incoming.onData,
      onLeave: incoming.onLeave,
      send: (bytes: Uint8Array) => clients.send(bytes),
      sendTo: clients.sendTo.bind(clients),
    },
    knownDevices: () => clients.known(),
    probe: () => clients.dropUnanswered(),
    async close() {
      cancel?.();
      complaints.close();
      await Promise.all([server.close(), clients.close()]);
    },
  };
}
