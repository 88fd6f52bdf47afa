import { coded } from '../../../src/base/codes/coded-text.js';
import { fault } from '../../../src/base/fault.js';
import type { BrokerUser } from './messages.js';
import type { UserRegistry } from './mqtt-server-user.js';

interface ListedUser {
  readonly user: BrokerUser;
  readonly onClients: (count: number) => void;
  reported: number;
}

/** The users of an open server. */
export class UserList implements UserRegistry {
  readonly #onChange: () => void;
  readonly #users = new Map<string, ListedUser>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get users(): readonly BrokerUser[] {
    return Array.from(this.#users.values(), ({ user }) => user);
  }

  add(user: BrokerUser, onClients: (count: number) => void): () => void {
    if (this.#users.has(user.name))
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`USER_EXISTS_ALREADY: the server has another user ${user.name}: give each a name of its own`,
      );
    const listed = { user, onClients, reported: 0 };
    this.#users.set(user.name, listed);
    onClients(0);
    this.#onChange();
    return () => {
      if (this.#users.get(user.name) !== listed) return;
      this.#users.delete(user.name);
      this.#onChange();
    };
  }

  /** Reports the clients of each user. */
  report(clientsOf: Readonly<Record<string, number>>): void {
    for (const listed of this.#users.values()) {
      const count = Object.hasOwn(clientsOf, listed.user.name) ? (clientsOf[listed.user.name] ?? 0) : 0;
      if (count !== listed.reported) listed.onClients(count);
      listed.reported = count;
    }
  }
}
