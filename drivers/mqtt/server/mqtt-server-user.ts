import { type Static, Type } from '@sinclair/typebox';
import { readPasswordHash } from '../../../src/base/credentials/password-hash.js';
import { coded } from '../../../src/base/codes/coded-text.js';
import {
  moduleKind,
  variableType,
  type Flow,
  type Host,
  type ModuleDefinition,
} from '../../../src/device/module.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import { validateFilter } from '../topic-filter.js';
import type { BrokerUser } from './messages.js';

/** What an MQTT Server provides to its users. */
export interface UserRegistry {
  /**
   * Admits a user; `onClients` is called with the number of its clients. Returns what removes the user and
   * disconnects the clients. Throws `DEVICE_CONFIGURATION` if there is another user of that name.
   */
  add(user: BrokerUser, onClients: (count: number) => void): () => void;
}

export const usersFlow: Flow<UserRegistry> = { id: '{5D0C9C5E-6B0C-4C55-8B0B-7A4F0C3E9D21}' };

const filters = () => Type.Array(Type.String({ maxLength: 1000 }), { default: ['#'], maxItems: 100 });

const properties = Type.Object({
  UserName: withHelp(
    Type.String({ default: '', maxLength: 200 }),
    'Login',
    'The name with which devices log in.',
  ),
  Password: withHelp(
    Type.String({ default: '', maxLength: 1000, secret: true }),
    'Login',
    'The password; or set PasswordHash.',
  ),
  PasswordHash: withAdvancedHelp(
    Type.String({ default: '', maxLength: 1000, secret: true }),
    'Login',
    'The hash of the password, as stellwerk hash-password prints it.',
  ),
  Read: withHelp(filters(), 'Topics', 'The topics that the user may receive; + and # are wildcards.'),
  Write: withHelp(filters(), 'Topics', 'The topics to which the user may publish; + and # are wildcards.'),
});
type Properties = Static<typeof properties>;

/** The module **MQTT Server User**: a user of an MQTT Server. */
export const mqttServerUser: ModuleDefinition<typeof properties> = {
  id: '{E1A4B5C6-93D7-4C1B-A9E2-5F60D1C2B3A4}',
  name: 'MQTT Server User',
  description: 'A user of an MQTT server: the login of one device or program, and its topics.',
  icon: 'Presence',
  page: 'hardware/mqtt-server.md',
  kind: moduleKind.device,
  prefix: 'MQTT',
  properties,
  variables: () => [
    { ident: 'CLIENTS', name: 'Clients', type: variableType.integer, role: 'diagnostic', position: 1 },
  ],
  requires: usersFlow,
  check({ UserName, Password, PasswordHash, Read, Write }) {
    if (UserName === '')
      return coded`USER_NAME_EMPTY: UserName is empty: set the name with which devices log in`;
    if ((Password === '') === (PasswordHash === ''))
      return coded`PASSWORD_OR_HASH: set either Password or PasswordHash`;
    if (PasswordHash !== '' && readPasswordHash(PasswordHash) === undefined)
      return coded`PASSWORD_HASH_INVALID: PasswordHash is not a hash: use the output of stellwerk hash-password`;
    return [...Read, ...Write].map(validateFilter).find((error) => error !== undefined);
  },
  async open(host: Host<Properties>) {
    const { UserName, Password, PasswordHash, Read, Write } = host.properties;
    const user = { name: UserName, password: Password, passwordHash: PasswordHash, read: Read, write: Write };
    const remove = host.parent(usersFlow).add(user, (count) => host.report('CLIENTS', count));
    return { close: async () => remove() };
  },
};
