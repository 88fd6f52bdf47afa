import { Type } from '@sinclair/typebox';
import { messageOf } from '../base/fault.js';
import { message } from '../kernel/messages.js';
import { type Host, moduleKind, type ModuleDefinition, type OpenInstance, variableType } from './module.js';

/** A module, by its name, that a found thing can be turned into an instance of, and the properties then. */
export interface InstanceTemplate {
  readonly module: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** The I/O instance that it is to be connected to: the one there is with these properties, else one that is made too. */
  readonly over?: InstanceTemplate;
}

/** Something of this machine that was found, and touched by nobody for that. */
export interface HardwareItem {
  /** The same after a restart: `line pinctrl-bcm2711/17`, `port /dev/serial/by-id/…`. */
  readonly id: string;
  readonly kind: 'chip' | 'line' | 'port' | 'pwm' | 'led' | 'onewire';
  /** For people: `GPIO17`, `/dev/ttyUSB0`. */
  readonly name: string;
  /** What is known of it, in words. */
  readonly about: string;
  /** Who has it, where that is known; empty: nobody. */
  readonly usedBy: string;
  /** The instance that has it, 0 for none. */
  readonly instance: number;
  /** What it can be turned into, what moves nothing first; empty for what is not ours to use. */
  readonly makes: readonly InstanceTemplate[];
}

/** Looking for hardware. */
export interface Search {
  readonly isSearching: boolean;
  /** Begins; false where a search is going on, which then looks once more before it ends. Its end is told by IM_SEARCHSTOP. */
  start(): boolean;
  /** Ends a search early; what the last whole one found stays. False where none is going on. */
  stop(): boolean;
  /** What the last whole search found. */
  found(): readonly HardwareItem[];
}

/** Looks for what one driver knows of. */
export type HardwareFinder = () => Promise<readonly HardwareItem[]>;

/** The module **Hardware**: what this machine has, by what all drivers find. */
export function hardwareModule(finders: readonly HardwareFinder[]): ModuleDefinition {
  return {
    id: '{A916E6F8-1BC0-40B4-922D-0D52ECD3218B}',
    name: 'Hardware',
    kind: moduleKind.configurator,
    prefix: 'GW',
    properties: Type.Object({}),
    variables: () => [{ ident: 'FOUND', name: 'Found', type: variableType.integer, position: 1 }],
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
    this.#host.emitMessage(message.IM_SEARCHSTART, []);
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
      this.#host.emitMessage(message.IM_SEARCHUPDATE, []);
    } while (own.isStale);
    this.stop();
  }

  stop(): boolean {
    if (this.#going === undefined) return false;
    this.#going = undefined;
    this.#host.emitMessage(message.IM_SEARCHSTOP, []);
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
