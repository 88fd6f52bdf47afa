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

/** The module **Hardware**: what this machine has, by what all drivers find. */
export function hardwareModule(finders: readonly HardwareFinder[]): ModuleDefinition {
  return {
    id: '{A916E6F8-1BC0-40B4-922D-0D52ECD3218B}',
    name: 'Hardware',
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

/** One search at a time; it is over when all drivers have answered. */
class HardwareSearch implements OpenInstance, Search {
  readonly search = this;
  readonly #host: Host;
  readonly #finders: readonly HardwareFinder[];
  #found: readonly HardwareItem[] = [];
  /** The search that is going on; stale when somebody has asked for one after its look had begun. */
  #going: { isStale: boolean } | undefined;

  constructor(host: Host, finders: readonly HardwareFinder[]) {
    this.#host = host;
    this.#finders = finders;
  }

  get isSearching(): boolean {
    return this.#going !== undefined;
  }

  start(): boolean {
    if (this.#going !== undefined) {
      this.#going.isStale = true;
      return false;
    }
    const own = (this.#going = { isStale: false });
    this.#host.emitMessage(searchMessage.start, []);
    void this.#search(own);
    return true;
  }

  async #search(own: { isStale: boolean }): Promise<void> {
    do {
      own.isStale = false;
      const found = await this.#look();
      if (this.#going !== own) return;
      this.#found = found;
      this.#host.report('FOUND', found.length);
      this.#host.emitMessage(searchMessage.update, []);
    } while (own.isStale);
    this.stop();
  }

  stop(): boolean {
    if (this.#going === undefined) return false;
    this.#going = undefined;
    this.#host.emitMessage(searchMessage.stop, []);
    return true;
  }

  found(): readonly HardwareItem[] {
    return this.#found;
  }

  async close(): Promise<void> {
    this.#going = undefined;
  }

  /** A driver that can't look hides nothing of what the others find. */
  async #look(): Promise<HardwareItem[]> {
    const parts = await Promise.allSettled(this.#finders.map((find) => find()));
    const failed = parts.flatMap((part) => (part.status === 'rejected' ? [messageOf(part.reason)] : []));
    this.#host.setProblem('SEARCH', failed.length === 0 ? undefined : failed.join('; '));
    return parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
  }
}
