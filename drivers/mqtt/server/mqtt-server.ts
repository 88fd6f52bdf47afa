import { type Static, Type } from '@sinclair/typebox';
import { isLoopbackHost } from '../../../src/base/addresses.js';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { fault } from '../../../src/base/fault.js';
import {
  moduleKind,
  referenceKind,
  variableType,
  type Host,
  type ModuleDefinition,
  type OpenInstance,
} from '../../../src/device/module.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import type { BrokerCertificate } from './messages.js';
import { usersFlow } from './mqtt-server-user.js';

/** What an MQTT Server requires of the gateway. */
export interface ServerEnvironment {
  /** Where the database of an instance and its journal are; removes those of instances other than `ids`. */
  openDirectories(id: number, ids: readonly number[]): Promise<{ database: string; journal: string }>;
  /** The certificate of the gateway's own authority; the same one until it is renewed. */
  certificate(): Promise<BrokerCertificate>;
}

const file = () => Type.String({ default: '', maxLength: 4096, refers: referenceKind.file });

const properties = Type.Object({
  BindIP: withHelp(
    Type.String({ default: '127.0.0.1', maxLength: 64 }),
    'Connection',
    'The address on which the server listens; 0.0.0.0 for all, which requires users.',
  ),
  Port: withHelp(
    Type.Integer({ default: 1883, minimum: 1, maximum: 65_535, refers: referenceKind.tcpPort }),
    'Connection',
    'The port on which the server listens.',
  ),
  UseSSL: withHelp(
    Type.Boolean({ default: false }),
    'TLS',
    'Whether clients must use TLS. Without files, the certificate is issued by the gateway’s own authority.',
  ),
  CertificateFile: withAdvancedHelp(file(), 'TLS', 'A PEM file with the certificate of the server.'),
  KeyFile: withAdvancedHelp(file(), 'TLS', 'A PEM file with its key.'),
  MaxClients: withAdvancedHelp(
    Type.Integer({ default: 100, minimum: 1, maximum: 1000 }),
    'Limits',
    'The maximum number of clients.',
  ),
  MaxPacketKiB: withAdvancedHelp(
    Type.Integer({ default: 256, minimum: 1, maximum: 16_384 }),
    'Limits',
    'A client that sends a larger packet is disconnected.',
  ),
  MaxSubscriptions: withAdvancedHelp(
    Type.Integer({ default: 200, minimum: 1, maximum: 10_000 }),
    'Limits',
    'The maximum number of subscriptions of a client.',
  ),
  MaxQueued: withAdvancedHelp(
    Type.Integer({ default: 1000, minimum: 0, maximum: 100_000 }),
    'Stored messages',
    'The maximum number of messages that wait for a client; later ones are dropped.',
  ),
  MaxKeptMiB: withAdvancedHelp(
    Type.Integer({ default: 16, minimum: 1, maximum: 64 }),
    'Stored messages',
    'The maximum size of all retained and waiting messages.',
  ),
  SessionDays: withAdvancedHelp(
    Type.Integer({ default: 7, minimum: 1, maximum: 365 }),
    'Stored messages',
    'How long messages wait for a client that does not connect.',
  ),
  WriteInterval: withAdvancedHelp(
    Type.Integer({ default: 60, minimum: 1, maximum: 3600 }),
    'Stored messages',
    'How often changes are written to the disk, in seconds: what a power cut can lose.',
  ),
});
export type ServerProperties = Static<typeof properties>;

/** The module **MQTT Server**: a broker in a process of its own. */
export function mqttServer(environment: ServerEnvironment): ModuleDefinition<typeof properties> {
  return {
    id: '{B8F3D1A2-4E5C-4F7B-8C6D-9E0A1B2C3D4E}',
    name: 'MQTT Server',
    description: 'An MQTT broker for devices of this network.',
    icon: 'Database',
    page: 'hardware/mqtt-server.md',
    kind: moduleKind.io,
    prefix: 'MQTT',
    properties,
    variables: () => [
      { ident: 'CLIENTS', name: 'Clients', type: variableType.integer, role: 'detail', position: 1 },
      {
        ident: 'MESSAGES',
        name: 'Messages per second',
        type: variableType.float,
        role: 'detail',
        position: 2,
      },
      {
        ident: 'RETAINED',
        name: 'Retained messages',
        type: variableType.integer,
        role: 'diagnostic',
        position: 3,
      },
      {
        ident: 'WAITING',
        name: 'Waiting messages',
        type: variableType.integer,
        role: 'diagnostic',
        position: 4,
      },
      {
        ident: 'DROPPED',
        name: 'Dropped messages',
        type: variableType.integer,
        role: 'diagnostic',
        position: 5,
      },
      { ident: 'REJECTED', name: 'Rejections', type: variableType.integer, role: 'diagnostic', position: 6 },
    ],
    provides: usersFlow,
    check,
    open: (host) => open(host, environment),
  };
}

function check({ BindIP, UseSSL, CertificateFile, KeyFile }: ServerProperties): Text | undefined {
  if (BindIP === '')
    return coded`BINDIP_EMPTY_SET_127: BindIP is empty; set 127.0.0.1, an address of this machine, or 0.0.0.0 for all`;
  if ((CertificateFile === '') !== (KeyFile === ''))
    return coded`CERTIFICATE_AND_KEY_TOGETHER: CertificateFile and KeyFile must be set together`;
  if (CertificateFile !== '' && !UseSSL)
    return coded`CERTIFICATE_WITHOUT_USESSL: CertificateFile only applies with UseSSL`;
  return undefined;
}

async function open(host: Host<ServerProperties>, environment: ServerEnvironment): Promise<OpenInstance> {
  const { BindIP } = host.properties;
  if (!isLoopbackHost(BindIP) && host.connected().length === 0)
    throw fault(
      'DEVICE_CONFIGURATION',
      coded`SERVER_WITHOUT_USERS: without users, the server only listens on 127.0.0.1: create an MQTT Server User below it, or set BindIP to 127.0.0.1`,
    );
  const { OpenServer } = await import('./open-server.js');
  return OpenServer.open(host, environment);
}
