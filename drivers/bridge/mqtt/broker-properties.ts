import { Type, type Static } from '@sinclair/typebox';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { referenceKind } from '../../../src/device/module.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import type { BrokerOptions } from './broker-port.js';

const file = () => Type.String({ default: '', maxLength: 4096, refers: referenceKind.file });

/** A bridge has a connection of its own: its will and its session depend on what it forwards. */
export const brokerProperties = {
  Url: withHelp(
    Type.String({ default: '', maxLength: 2000 }),
    'Broker',
    'The address of the broker: mqtt://host or mqtts://host for TLS.',
  ),
  UserName: withHelp(Type.String({ default: '', maxLength: 1000 }), 'Broker', 'The user name at the broker.'),
  Password: withHelp(
    Type.String({ default: '', maxLength: 1000, secret: true }),
    'Broker',
    'The password at the broker.',
  ),
  ClientID: withAdvancedHelp(
    Type.String({ default: '', maxLength: 256 }),
    'Broker',
    'The name under which the broker knows this client; generated if empty.',
  ),
  KeepAliveInterval: withAdvancedHelp(
    Type.Integer({ default: 30, minimum: 5, maximum: 65_535 }),
    'Broker',
    'The client sends something at least this often, in seconds.',
  ),
  CaFile: withAdvancedHelp(
    file(),
    'TLS',
    'A PEM file with the authorities that may have issued the certificate of the broker.',
  ),
  CertificateFile: withAdvancedHelp(file(), 'TLS', 'A PEM file with the certificate of this client.'),
  KeyFile: withAdvancedHelp(file(), 'TLS', 'A PEM file with the key of this client.'),
};
const all = Type.Object(brokerProperties);
type BrokerProperties = Static<typeof all>;

const PROTOCOLS: readonly string[] = ['mqtt:', 'mqtts:', 'ws:', 'wss:'];
const SECURE: readonly string[] = ['mqtts:', 'wss:'];

/** What is wrong with the properties, and what to do; undefined if nothing is. */
export function checkBroker({ Url, CaFile, CertificateFile, KeyFile }: BrokerProperties): Text | undefined {
  if (Url === '')
    return coded`URL_EMPTY: Url is empty: give the address of the broker, like mqtt://192.168.1.2:1883`;
  return checkUrl(Url) ?? checkCertificates(Url, { CaFile, CertificateFile, KeyFile });
}

/** What is wrong with the address of a broker. */
export function checkUrl(url: string): Text | undefined {
  if (!URL.canParse(url))
    return coded`URL_INVALID: Url ${url} is not a URL; use the form mqtt://192.168.1.2:1883`;
  const { protocol, username, password, hostname } = new URL(url);
  if (!PROTOCOLS.includes(protocol) || hostname === '')
    return coded`URL_NOT_MQTT: Url ${url} must begin with mqtt://, mqtts://, ws:// or wss:// and name a host`;
  return username === '' && password === ''
    ? undefined
    : coded`URL_WITH_LOGIN: Url must not contain a user name or password; set UserName and Password`;
}

function checkCertificates(
  url: string,
  { CaFile, CertificateFile, KeyFile }: Pick<BrokerProperties, 'CaFile' | 'CertificateFile' | 'KeyFile'>,
): Text | undefined {
  if ((CertificateFile === '') !== (KeyFile === ''))
    return coded`CERTIFICATE_AND_KEY_TOGETHER: CertificateFile and KeyFile must be set together`;
  return CaFile + KeyFile === '' || SECURE.includes(new URL(url).protocol)
    ? undefined
    : coded`CERTIFICATE_WITHOUT_TLS: CaFile and CertificateFile only apply to mqtts:// and wss:// URLs`;
}

/** The options of a connection with these properties. */
export function brokerOptions(
  properties: BrokerProperties,
  { clientId, will, url = properties.Url }: { clientId: string; will: BrokerOptions['will']; url?: string },
): BrokerOptions {
  return {
    url,
    clientId: properties.ClientID === '' ? clientId : properties.ClientID,
    userName: properties.UserName,
    password: properties.Password,
    keepAliveS: properties.KeepAliveInterval,
    version: 4,
    cleanSession: true,
    caFile: properties.CaFile,
    certificateFile: properties.CertificateFile,
    keyFile: properties.KeyFile,
    will,
  };
}
