import { Type } from '@sinclair/typebox';
import { messageOf } from '../base/fault.js';
import { message } from '../kernel/messages.js';
import { type Host, moduleKind, type ModuleDefinition, type OpenInstance, variableType } from './module.js';

/** A module, by name, and the properties with which an instance of it would use a hardware item. */
export interface InstanceTemplate {
  readonly module: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /**
   * The I/O instance to connect it to: an existing one with these properties, otherwise one that is created
   * too.
   */
  readonly over?: InstanceTemplate;
}

/** A piece of hardware of this machine, found without touching it. */
export interface HardwareItem {
  /** Stable across restarts: `line pinctrl-bcm2711/17`, `port /dev/serial/by-id/…`. */
  readonly id: string;
  readonly kind: 'chip' | 'line' | 'port' | 'pwm' | 'led' | 'onewire';
  /** The display name: `GPIO17`, `/dev/ttyUSB0`. */
  readonly name: string;
  /** A description. */
  readonly about: string;
  /** Who uses it, if known; empty if nobody does. */
  readonly usedBy: string;
  /** The instance that uses it, 0 for none. */
  readonly instance: number;
  /**
   * The instances that can be created for it, those that move nothing first; empty if it is not available.
   */
  readonly makes: readonly InstanceTemplate[];
}

/** A search for hardware. */
export interface Search {
  readonly isSearching: boolean;
  /**
   * Starts a search. Returns false if one is running, which then searches once more before it ends.
   * IM_SEARCHSTOP announces the end.
   */
  start(): boolean;
  /** Stops a running search; the results of the last complete one stay. Returns false if none is running. */
  stop(): boolean;
  /** The results of the last complete search. */
  found(): readonly HardwareItem[];
}

/** Finds the hardware that one driver can use. */
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
