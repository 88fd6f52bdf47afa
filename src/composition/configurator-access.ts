import type { Configurators } from '../api/access/accounts.js';
import { accessTo, type ConfiguratorEntry } from '../config/apply/configurators.js';
import type { ConfiguratorsPort } from '../functions/ports.js';
import type { Store } from '../store/store.js';

/**
 * The configurators for the functions. Front data is stored by ident, because the ident outlives the
 * instance.
 */
export function configuratorsPort(store: Store, all: () => readonly ConfiguratorEntry[]): ConfiguratorsPort {
  const nameOf = (id: number, kind: string) => `front ${kind} ${all().find((one) => one.id === id)?.ident}`;
  return {
    all,
    frontData: (id, kind) => store.meta(nameOf(id, kind)),
    saveFrontData: (id, kind, text) => store.setMeta(nameOf(id, kind), text),
  };
}

/** The configurators for the API: the users that may sign in, and their areas of the tree. */
export function configuratorAccess(all: () => readonly ConfiguratorEntry[]): Configurators {
  const access = () => all().map(accessTo);
  return { all: access, get: (id) => access().find((one) => one.id === id) };
}
