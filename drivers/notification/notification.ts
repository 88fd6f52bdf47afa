import { type Static, Type } from '@sinclair/typebox';
import { coded, either, type Text } from '../../src/base/codes/coded-text.js';
import { type ModuleDefinition, moduleKind, referenceKind, variableType } from '../../src/device/module.js';
import { enumProperty } from '../../src/device/toolkit/enum-property.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { readPropertyFile } from '../../src/device/toolkit/property-file.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';
import { notificationFunctions } from './notification-functions.js';
import { Notifier } from './notifier.js';
import { ntfyTopic, services } from './services.js';

const properties = Type.Object({
  Service: withHelp(enumProperty(services, 'ntfy'), 'Target', 'The kind of server that delivers messages.'),
  Url: withHelp(
    Type.String({ default: '', maxLength: 2000 }),
    'Target',
    'The address of the server: https://ntfy.sh/my-topic, https://…, smtps://host, smtp://host. Empty for Telegram.',
  ),
  Recipient: withHelp(
    Type.String({ default: '', maxLength: 1000 }),
    'Target',
    'Telegram: the id of the chat. Mail: addresses, separated by commas.',
  ),
  Sender: withHelp(
    Type.String({ default: '', maxLength: 320 }),
    'Target',
    'Mail: the address that mails come from.',
  ),
  UserName: withHelp(
    Type.String({ default: '', maxLength: 1000 }),
    'Login',
    'The user name at the server; empty if a token is enough.',
  ),
  Password: withHelp(
    Type.String({ default: '', maxLength: 1000, secret: true }),
    'Login',
    'The password at the server, or the token: of the application (Gotify), of the bot (Telegram), of the user (ntfy).',
  ),
  CaFile: withAdvancedHelp(
    Type.String({ default: '', maxLength: 4096, refers: referenceKind.file }),
    'TLS',
    'A PEM file with the authorities that may have issued the certificate of the server.',
  ),
});
export type NotificationProperties = Static<typeof properties>;

const MODULE = { id: '{0C3B0A6E-51D7-4B3C-9E0F-7A5D2C8E4F61}', name: 'Notification' } as const;

/** The module **Notification**: messages to people, by a server that delivers them. */
export function notification(names: NameResolver): ModuleDefinition<typeof properties> {
  return {
    ...MODULE,
    description: 'Sends messages to people: ntfy, Gotify, Telegram, mail, or a webhook.',
    icon: 'Alert',
    page: 'use/notifications.md',
    kind: moduleKind.device,
    prefix: 'GW',
    properties,
    variables: () => [
      {
        ident: 'MESSAGE',
        name: 'Message',
        type: variableType.string,
        role: 'main',
        action: true,
        position: 1,
      },
      { ident: 'WAITING', name: 'Waiting', type: variableType.integer, role: 'diagnostic', position: 2 },
      { ident: 'SENT', name: 'Sent', type: variableType.integer, role: 'diagnostic', position: 3 },
      { ident: 'FAILED', name: 'Failed', type: variableType.integer, role: 'diagnostic', position: 4 },
    ],
    check,
    functions: (instances) => notificationFunctions(instances, MODULE),
    async open(host) {
      const { CaFile } = host.properties;
      const ca = CaFile === '' ? undefined : await readPropertyFile('CaFile', CaFile);
      return new Notifier(host, names, ca);
    },
  };
}

/** The schemes of each service's URL. */
const SCHEMES: Readonly<Record<NotificationProperties['Service'], readonly string[]>> = {
  ntfy: ['https:', 'http:'],
  gotify: ['https:', 'http:'],
  telegram: ['https:', 'http:'],
  webhook: ['https:', 'http:'],
  mail: ['smtps:', 'smtp:'],
};

/** What Node accepts as the value of a header (RFC 9110 §5.5). */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function check(checked: NotificationProperties): Text | undefined {
  const { Service, Url, Recipient, Sender, UserName, Password } = checked;
  if (Url === '' && Service !== 'telegram')
    return coded`NOTIFICATION_URL_EMPTY: Url is empty: give the address of the server`;
  const schemes = SCHEMES[Service];
  if (Url !== '' && (!URL.canParse(Url) || !schemes.includes(new URL(Url).protocol)))
    return coded`NOTIFICATION_URL_INVALID: Url ${Url} must begin with ${either(schemes.map((one) => `${one}//`))}`;
  if (Url !== '' && new URL(Url).username + new URL(Url).password !== '')
    return coded`URL_WITH_LOGIN: Url must not contain a user name or password; set UserName and Password`;
  if (Service === 'ntfy' && !canDecode(new URL(Url).pathname))
    return coded`NTFY_TOPIC_INVALID: Url ${Url} has a % that encodes no character; write it as %25`;
  if (Service === 'ntfy' && ntfyTopic(Url) === '')
    return coded`NTFY_TOPIC_MISSING: Url ${Url} has no topic; give it after the server: https://ntfy.sh/my-topic`;
  if ((Service === 'telegram' || Service === 'gotify') && Password === '')
    return coded`TOKEN_EMPTY: Password is empty: give the token of the bot or application`;
  if (Service !== 'mail' && (UserName === '' || Service === 'gotify') && !HEADER_VALUE.test(Password))
    return coded`TOKEN_INVALID: Password contains a character that no token has, such as a line feed; enter the token again`;
  if ((Service === 'telegram' || Service === 'mail') && Recipient === '')
    return coded`RECIPIENT_EMPTY: Recipient is empty: give the mail address, or the id of the chat`;
  if (Service === 'mail' && Sender === '')
    return coded`SENDER_EMPTY: Sender is empty: give the mail address that mails come from`;
  return undefined;
}

function canDecode(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false; // a URIError: it has no other
  }
}
