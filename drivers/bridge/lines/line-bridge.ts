import { type Static, Type } from '@sinclair/typebox';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { moduleKind, referenceKind, type ModuleDefinition } from '../../../src/device/module.js';
import type { NameResolver } from '../../../src/device/toolkit/name-resolver.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import type { BridgeEnvironment } from '../bridge.js';
import { bridgeVariables, queueProperties } from '../source/queue-properties.js';

const tag = Type.Object(
  {
    Name: withHelp(Type.String({ default: '', maxLength: 100 }), 'Forwarding', 'The name of the tag.'),
    Value: withHelp(Type.String({ default: '', maxLength: 1000 }), 'Forwarding', 'Its value.'),
  },
  { additionalProperties: false },
);

const properties = Type.Object({
  Url: withHelp(
    Type.String({ default: '', maxLength: 2000 }),
    'Database',
    'The address that lines are posted to, like http://host:8428/write.',
  ),
  Token: withHelp(
    Type.String({ default: '', maxLength: 1000, secret: true }),
    'Database',
    'The token of InfluxDB 2 or 3.',
  ),
  UserName: withHelp(
    Type.String({ default: '', maxLength: 1000 }),
    'Database',
    'The user name, if Token is empty.',
  ),
  Password: withHelp(
    Type.String({ default: '', maxLength: 1000, secret: true }),
    'Database',
    'The password of the user.',
  ),
  CaFile: withAdvancedHelp(
    Type.String({ default: '', maxLength: 4096, refers: referenceKind.file }),
    'TLS',
    'A PEM file with the authorities that may have issued the certificate of the server.',
  ),
  Measurement: withHelp(
    Type.String({ default: 'stellwerk', minLength: 1, maxLength: 100 }),
    'Forwarding',
    'The measurement, or table, of all values.',
  ),
  Tags: withAdvancedHelp(
    Type.Array(tag, { default: [], maxItems: 20 }),
    'Forwarding',
    'Tags of all values, such as the name of the site.',
  ),
  SendInterval: withAdvancedHelp(
    Type.Integer({ default: 5, minimum: 0, maximum: 3600 }),
    'Forwarding',
    'Live values are collected this long, in seconds, and sent in one request.',
  ),
  ...queueProperties,
});
export type LineBridgeProperties = Static<typeof properties>;

/** The module **Line Protocol Bridge**: values to a time-series database, with store and forward. */
export function lineBridge(
  names: NameResolver,
  environment: BridgeEnvironment,
): ModuleDefinition<typeof properties> {
  return {
    id: '{C4D7E1F2-3A96-4B08-8E57-16A2D9F0B37E}',
    name: 'Line Protocol Bridge',
    description: 'Forwards values to a time-series database, and keeps them while it is not available.',
    icon: 'Database',
    page: 'use/bridge.md',
    kind: moduleKind.device,
    prefix: 'GW',
    properties,
    variables: () => bridgeVariables,
    check: ({ Url, SendInterval, WriteInterval }) =>
      checkUrl(Url) ??
      // Otherwise values would go to the disk although the database is available.
      (SendInterval < WriteInterval
        ? undefined
        : coded`SEND_INTERVAL_TOO_LONG: SendInterval must be shorter than WriteInterval`),
    async open(host) {
      const [{ Bridge }, { LineSender }] = await Promise.all([
        import('../bridge.js'),
        import('./line-sender.js'),
      ]);
      return Bridge.open(host, { kind: 'lines', environment }, (parts) => new LineSender(host, names, parts));
    },
  };
}

function checkUrl(url: string): Text | undefined {
  if (url === '')
    return coded`DATABASE_URL_EMPTY: Url is empty: give the address of the database, like http://192.168.1.2:8428/write`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return coded`DATABASE_URL_INVALID: Url ${url} is not an address; use the form http://192.168.1.2:8428/write`;
  const { username, password, searchParams } = new URL(url);
  if (username + password !== '')
    return coded`URL_WITH_LOGIN: Url must not contain a user name or password; set UserName and Password`;
  const precision = searchParams.get('precision') ?? 'ns';
  return ['ns', 'n', 'nanosecond', 'auto'].includes(precision)
    ? undefined
    : coded`DATABASE_PRECISION: times have nanoseconds: remove precision=${precision} from Url`;
}
