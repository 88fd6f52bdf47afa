import { Type } from '@sinclair/typebox';
import { messageOf } from '../base/fault.js';
import {
  searchMessage,
  type HardwareFinder,
  type HardwareItem,
  type Search,
} from '../device/hardware-search.js';
import {
  type Host,
  moduleKind,
  type ModuleDefinition,
  type OpenInstance,
  variableType,
} from '../device/module.js';

/** The module **Hardware**: the hardware of this machine that the drivers find. */
export function hardwareModule(finders: readonly HardwareFinder[]): ModuleDefinition {
  return {
    id: '{A916E6F8-1BC0-40B4-922D-0D52ECD3218B}',
    name: 'Hardware',
    description: 'Finds the hardware of this machine.',
    icon: 'Gear',
    page: 'hardware/discovery.md',
    kind: moduleKind.configurator,
    prefix: 'GW',
    properties: Type.Object({}),
    variables: () => [
      { ident: 'FOUND', name: 'Found', type: variableType.integer, role: 'diagnostic', position: 1 },
    ],
    open: async (host) => {
      const search = new HardwareSearch(host, finders);
      search.start();
      return search;
    },
  };
}

/** One search at a time; it ends when all drivers have replied. */
class HardwareSearch implements OpenInstance, Search {
  readonly search = this;
  readonly #host: Host;
  readonly #finders: readonly HardwareFinder[];
  #found: readonly HardwareItem[] = [];
  /** The running search; stale if another one was requested after the drivers were queried. */
  #running: { isStale: boolean } | undefined;

  constructor(host: Host, finders: readonly HardwareFinder[]) {
    this.#host = host;
    this.#finders = finders;
  }

  get isSearching(): boolean {
    return this.#running !== undefined;
  }

  start(): boolean {
    if (this.#running !== undefined) {
      this.#running.isStale = true;
      return false;
    }
    const search = (this.#running = { isStale: false });
    this.#host.emitMessage(searchMessage.start, []);
    void this.#search(search);
    return true;
  }

  async #search(search: { isStale: boolean }): Promise<void> {
    do {
      search.isStale = false;
      const found = await this.#queryFinders();
      if (this.#running !== search) return;
      this.#found = found;
      this.#host.report('FOUND', found.length);
      this.#host.emitMessage(searchMessage.update, []);
    } while (search.isStale);
    this.stop();
  }

  stop(): boolean {
    if (this.#running === undefined) return false;
    this.#running = undefined;
    this.#host.emitMessage(searchMessage.stop, []);
    return true;
  }

  found(): readonly HardwareItem[] {
    return this.#found;
  }

  async close(): Promise<void> {
    this.#running = undefined;
  }

  /** Queries all drivers. The failure of one does not affect the results of the others. */
  async #queryFinders(): Promise<HardwareItem[]> {
    const results = await Promise.allSettled(this.#finders.map((find) => find()));
    const failed = results.flatMap((result) =>
      result.status === 'rejected' ? [messageOf(result.reason)] : [],
    );
    this.#host.setProblem('SEARCH', failed.length === 0 ? undefined : failed.join('; '));
    return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  }
}
