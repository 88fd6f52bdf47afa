import type { HardwareItem } from '../../../src/device/hardware-search.js';
import type { Host } from '../../../src/device/module.js';
import type { MapCatalog } from '../maps/map-catalog.js';
import type { ModbusUnit } from '../modbus-unit.js';

/** A unit that did not reply is read again this long after: the search runs for forms as well. */
const RETRY_AFTER_MS = 60_000;

/** A unit of an open ModBus Gateway. */
interface SearchedUnit {
  readonly host: Host;
  readonly unit: ModbusUnit;
  /** For people: `/dev/ttyUSB0 9600 8N1`. */
  readonly stream: string;
}

/** The names of the maps that fit a unit, best first; undefined if the unit did not reply. */
interface Identified {
  readonly maps: readonly string[] | undefined;
  readonly atMs: number;
}

/**
 * Recognises the devices of the open ModBus Gateways that have no instance yet, by reading from them. A unit is
 * read once while its gateway is open.
 */
export class UnitSearch {
  readonly #catalog: MapCatalog;
  readonly #units = new Map<SearchedUnit, Promise<Identified> | undefined>();

  constructor(catalog: MapCatalog) {
    this.#catalog = catalog;
  }

  /** Adds the unit of a gateway that has opened; returns a function that removes it. */
  join(unit: SearchedUnit): () => void {
    this.#units.set(unit, undefined);
    return () => void this.#units.delete(unit);
  }

  async find(): Promise<readonly HardwareItem[]> {
    const found = await Promise.all([...this.#units.keys()].map((unit) => this.#itemOf(unit)));
    return found.filter((item) => item !== undefined);
  }

  async #itemOf(searched: SearchedUnit): Promise<HardwareItem | undefined> {
    const { host, unit, stream } = searched;
    const [user] = host.connected();
    if (user !== undefined) return undefined;
    const { maps = [] } = await this.#identify(searched);
    const first = maps[0];
    if (first === undefined || !this.#units.has(searched)) return undefined;
    return {
      id: `modbus ${host.id}`,
      kind: 'modbus',
      name: this.#catalog.find(first, 'device')?.name ?? first,
      about: `${unit.name}, ${stream}`,
      usedBy: '',
      instance: 0,
      makes: maps.map((map) => ({
        module: 'ModBus Mapped Device',
        properties: { Map: map },
        connectTo: host.id,
      })),
    };
  }

  async #identify(searched: SearchedUnit): Promise<Identified> {
    const { clock } = searched.host;
    const known = this.#units.get(searched);
    if (known !== undefined) {
      const { maps, atMs } = await known;
      if (maps !== undefined || clock.nowMs() < atMs + RETRY_AFTER_MS) return known;
    }
    const pending = this.#read(searched);
    if (this.#units.has(searched)) this.#units.set(searched, pending);
    return pending;
  }

  async #read({ host, unit }: SearchedUnit): Promise<Identified> {
    const { identifyUnit } = await import('./identify-unit.js');
    const maps = [...this.#catalog.files().keys()].flatMap((id) => this.#catalog.find(id, 'device') ?? []);
    return {
      // A unit that does not reply is reported by its gateway.
      maps: await identifyUnit(unit, maps, host.signal).catch(() => undefined),
      atMs: host.clock.nowMs(),
    };
  }
}
