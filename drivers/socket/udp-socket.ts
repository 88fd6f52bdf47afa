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
import { streamModule, peerName, type Peer } from '../../src/device/byte-stream.js';
import { declareSendPacket, declareSendText } from './send-functions.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

const properties = Type.Object({
  Host: withHelp(
    Type.String({ default: '', maxLength: 255 }),
    'Connection',
    'The host name or address to which datagrams are sent.',
  ),
  Port: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 65_535 }),
    'Connection',
    'The port to which datagrams are sent.',
  ),
  BindIP: withAdvancedHelp(
    Type.String({ default: '', maxLength: 64 }),
    'Connection',
    'The address at which datagrams are received; empty for all.',
  ),
  BindPort: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 65_535, refers: referenceKind.udpPort }),
    'Connection',
    'The port at which datagrams are received.',
  ),
  EnableBroadcast: withAdvancedHelp(
    Type.Boolean({ default: false }),
    'Connection',
    'Whether datagrams may be sent to broadcast addresses.',
  ),
  EnableReuseAddress: withAdvancedHelp(
    Type.Boolean({ default: false }),
    'Connection',
    'Whether other programs may use the same port.',
  ),
  Open: withHelp(Type.Boolean({ default: true }), 'Connection', 'Whether the socket is open.'),
});
type Properties = Static<typeof properties>;

const MODULE = { id: '{82347F20-F541-41E1-AC5B-A636FD3AE2D8}', name: 'UDP Socket' } as const;
const PREFIX = 'USCK';

/** The module **UDP Socket**: sends and receives datagrams. */
export function udpSocket(names: NameResolver): ModuleDefinition<typeof properties> {
  return {
    ...MODULE,
    description: 'Datagrams to and from devices.',
    icon: 'Plug',
    page: 'hardware/sockets.md',
    ...streamModule,
    prefix: PREFIX,
    properties,
    check({ Host: to, Port, BindIP, BindPort }) {
      if ((to === '') !== (Port === 0)) return coded`HOST_PORT_MUST_SET: Host and Port must be set together`;
      if (to === '' && BindPort === 0)
        return coded`SET_HOST_PORT_SEND: set Host and Port to send to, or BindIP and BindPort to listen on`;
      if (BindPort !== 0 && BindIP === '')
        return coded`BINDIP_EMPTY_SET_127: BindIP is empty; set 127.0.0.1, an address of this machine, or 0.0.0.0 for all`;
      return undefined;
    },
    functions: (instances) => [
      declareSendText(instances, {
        module: MODULE,
        prefix: PREFIX,
        where: 'as a datagram to the Host of a UDP socket',
      }),
      declareSendPacket(instances, {
        module: MODULE,
        prefix: PREFIX,
        where: 'as a datagram from a UDP socket',
      }),
    ],
    open: (host) => open(host, names),
  };
}

async function open(host: Host<Properties>, names: NameResolver): Promise<OpenInstance> {
  const [{ DatagramSocket }, { ByteReceiver }] = await Promise.all([
    import('./datagram-socket.js'),
    import('../../src/device/toolkit/byte-receiver.js'),
  ]);
  const { Host: to, Port, BindIP, BindPort, EnableBroadcast, EnableReuseAddress } = host.properties;
  const socket = await DatagramSocket.open(
    { address: BindIP, port: BindPort, host: to, broadcast: EnableBroadcast, reuse: EnableReuseAddress },
    {
      clock: host.clock,
      names,
      onData: (bytes, from) => {
        host.debug('received', bytes, peerName(from));
        incoming.receive(bytes, from);
      },
      onLost: (cause) => host.reportLost(cause),
    },
  );
  const name =
    to === ''
      ? `UDP port ${socket.port}`
      : `${peerName({ address: to, port: Port })} from UDP port ${socket.port}`;
  const incoming = new ByteReceiver(host.log, name);
  const sendTo = async (bytes: Uint8Array, peer: Peer) => {
    if (peer.address === '') throw fault('PARAMETER_BOUNDS', 'ClientIP');
    if (peer.port < 1 || peer.port > 65_535) throw fault('PARAMETER_BOUNDS', 'ClientPort');
    await socket.send(bytes, peer);
    host.debug('sent', bytes, peerName(peer));
  };
  return {
    provided: {
      name,
      onData: incoming.onData,
      async send(bytes: Uint8Array) {
        if (to === '')
          throw fault(
            'DEVICE_CONFIGURATION',
            coded`HOST_PORT_NOT_SET: Host and Port are not set; set them to send data`,
          );
        await sendTo(bytes, { address: to, port: Port });
      },
      sendTo,
    },
    close: () => socket.close(),
  };
}
