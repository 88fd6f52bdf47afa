import { codeOf } from '../../../src/base/fault.js';
import { decode } from '../codec.js';
import { dataTypeOf, lengthOf } from '../maps/build-map.js';
import type { IdentificationEntry } from '../maps/map-schema.js';
import type { RegisterMap } from '../maps/register-map.js';
import { findModels } from '../mapped/sunspec-models.js';
import type { ModbusUnit } from '../modbus-unit.js';
import {
  identificationObjects,
  identificationRequest,
  nextIdentification,
  readRequest,
  type PduRequest,
} from '../pdu.js';

/** IDs of objects of the device identification [MODBUS Application Protocol V1.1b3 §6.21]. */
const VENDOR = 0;
const PRODUCT = 1;
/** The last object of the basic identification. */
const REVISION = 2;

/**
 * Requests without a reply after which the search of a unit ends: it is not connected, or not switched on.
 */
const MAX_UNANSWERED = 3;

/**
 * The names of the maps that fit a unit, those with a SunSpec model last: they are less specific. Only reads.
 * Rejects with `DEVICE_OFFLINE` if the unit does not reply at all, or with the signal's reason.
 */
export async function identifyUnit(
  unit: ModbusUnit,
  maps: readonly RegisterMap[],
  signal: AbortSignal,
): Promise<string[]> {
  const probe = new Probe(unit, signal);
  const objects = await probe.identification();
  const models = maps.some(({ identify }) => identify.some(({ model }) => model !== undefined))
    ? await probe.models()
    : undefined;
  const specific: string[] = [];
  const general: string[] = [];
  for (const map of maps)
    for (const entry of map.identify) {
      if (entry.model !== undefined) {
        if (models?.has(entry.model) === true) general.push(map.id);
      } else if (
        entry.at === undefined ? fitsObjects(entry, objects) : await probe.fitsRegister(entry, entry.at)
      )
        specific.push(map.id);
    }
  return [...new Set([...specific, ...general])];
}

/** Whether the device identification contains the words of an entry. */
function fitsObjects(
  { vendor, product }: IdentificationEntry,
  objects: ReadonlyMap<number, string>,
): boolean {
  const has = (word: string | undefined, id: number) =>
    word === undefined || (objects.get(id) ?? '').toLowerCase().includes(word.toLowerCase());
  return has(vendor, VENDOR) && has(product, PRODUCT);
}

/** Reads from a unit that may not know the request. */
class Probe {
  readonly #unit: ModbusUnit;
  readonly #signal: AbortSignal;
  /** Replies to registers that several maps ask for. */
  readonly #replies = new Map<string, Buffer | undefined>();
  #unanswered = 0;
  #hasReplied = false;

  constructor(unit: ModbusUnit, signal: AbortSignal) {
    this.#unit = unit;
    this.#signal = signal;
  }

  /** The objects that fit into one reply, or follow in further ones. */
  async identification(): Promise<ReadonlyMap<number, string>> {
    const objects = new Map<number, string>();
    for (let next: number | undefined = VENDOR; next !== undefined && next <= REVISION;) {
      const pdu = await this.#read(identificationRequest(next));
      if (pdu === undefined) break;
      for (const [id, text] of identificationObjects(pdu)) objects.set(id, text);
      const following = nextIdentification(pdu);
      // A device that names an earlier object would be queried indefinitely.
      next = following !== undefined && following > next ? following : undefined;
    }
    return objects;
  }

  async models(): Promise<ReadonlyMap<number, number> | undefined> {
    return findModels(
      { ...this.#unit, execute: async (request) => (await this.#read(request)) ?? Buffer.alloc(6) },
      { priority: 'probe', signal: this.#signal },
    );
  }

  async fitsRegister(entry: IdentificationEntry, at: number): Promise<boolean> {
    const registers = lengthOf(entry);
    const key = `${entry.table} ${at} ${registers}`;
    if (!this.#replies.has(key))
      this.#replies.set(key, await this.#read(readRequest(entry.table === 'input' ? 4 : 3, at, registers)));
    const pdu = this.#replies.get(key);
    if (pdu === undefined) return false;
    const layout = {
      type: dataTypeOf(entry),
      registers,
      factor: undefined,
      swapBytes: false,
      swapWords: false,
    };
    const value = decode(layout, pdu.subarray(2));
    return typeof value === 'string' && typeof entry.is === 'string'
      ? value.startsWith(entry.is)
      : value === entry.is;
  }

  /** The reply; undefined if the unit rejects the request or does not reply to it. */
  async #read(request: PduRequest): Promise<Buffer | undefined> {
    try {
      const pdu = await this.#unit.execute(request, 'probe', this.#signal);
      this.#hasReplied = true;
      this.#unanswered = 0;
      return pdu;
    } catch (thrown) {
      if (codeOf(thrown) === 'DEVICE_REFUSED') {
        this.#hasReplied = true;
        this.#unanswered = 0;
        return undefined;
      }
      this.#unanswered += 1;
      if (!this.#hasReplied && this.#unanswered >= MAX_UNANSWERED) throw thrown;
      this.#signal.throwIfAborted();
      return undefined;
    }
  }
}
