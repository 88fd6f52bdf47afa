import type { Account } from './authenticator.js';
import type { Secret } from './credentials.js';

/** What the API must know of a configurator to authenticate its users. */
export interface ConfiguratorAccess extends Secret {
  readonly id: number;
  /** The object whose subtree its users see. */
  readonly base: number;
  /** False: it is open without a password. Set only by the configuration. */
  readonly passwordRequired: boolean;
  /** Addresses whose browsers go straight to its front. */
  readonly autostart: readonly string[];
}

/** Access to the configurators, which may be added and removed while the gateway runs. */
export interface Configurators {
  get(id: number): ConfiguratorAccess | undefined;
  all(): Iterable<ConfiguratorAccess>;
}

/** The owner's name and password. Without a password nobody is the owner (authentication rule 2). */
export interface RemoteAccess extends Secret {
  readonly username: string;
}

/** The fixed user name of all configurators (authentication rule 3). */
export const WEBFRONT = 'webfront';

/**
 * The accounts of a configuration. Replaced when the configuration changes, which invalidates what was
 * derived from them.
 */
export class Accounts {
  readonly owner: Account;
  readonly #configurators: Configurators;

  constructor(remoteAccess: RemoteAccess | undefined, configurators: Configurators) {
    this.owner = {
      name: 'owner',
      username: remoteAccess?.username ?? '',
      secret: remoteAccess,
      byToken: true,
    };
    this.#configurators = configurators;
  }

  /**
   * The account of a configurator. An unknown one has an account too, so that it is handled like a wrong
   * password.
   */
  configurator(id: number): Account {
    return { name: `configurator ${id}`, username: WEBFRONT, secret: this.#configurators.get(id) };
  }

  /**
   * The account with this name (see {@link Account}); if there is none, an account that no credentials match.
   */
  named(name: string): Account {
    const id = /^configurator (\d{1,9})$/.exec(name)?.[1];
    if (id !== undefined) return this.configurator(Number(id));
    return name === this.owner.name ? this.owner : { name, username: '', secret: undefined };
  }

  /** Whether the configurator needs no password. */
  isOpen(id: number): boolean {
    return this.#configurators.get(id)?.passwordRequired === false;
  }

  /** The object that a configurator's area begins at. */
  baseOf(id: number): number | undefined {
    return this.#configurators.get(id)?.base;
  }
}
