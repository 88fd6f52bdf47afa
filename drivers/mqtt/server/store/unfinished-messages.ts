import type { DurableRecords } from './durable-records.js';
import { KEY_SEPARATOR, keyNumber } from './record-keys.js';
import {
  decodePacket,
  encodePacket,
  storedPacketOf,
  type PassedPacket,
  type StoredPacket,
} from './stored-packet.js';

/**
 * Identifiers of QoS 2 of one client: twice what a connection may begin. A client that does not release those of its
 * former connections would collect all 65,535.
 */
const UNRELEASED_LIMIT = 200;

/**
 * Messages between their receipt and the moment when they are queued, retained and passed on; and the identifiers
 * of messages of QoS 2 that their clients have not released.
 */
export class UnfinishedMessages {
  readonly #records: DurableRecords;
  readonly #numbers = new WeakMap<object, number>();
  /** Client → message identifiers. */
  readonly #unreleased = new Map<string, Set<number>>();
  readonly #ofEarlierProcess: StoredPacket[] = [];
  #count = 0;

  constructor(records: DurableRecords) {
    this.#records = records;
  }

  /** Reads a record of an earlier process. */
  load(key: string, value: Buffer): void {
    if (key.startsWith('p')) {
      const packet = decodePacket(value);
      this.#count = Math.max(this.#count, keyNumber(key));
      this.#numbers.set(packet, keyNumber(key));
      this.#ofEarlierProcess.push(packet);
      return;
    }
    const [id = '', messageId = '0'] = key.slice(1).split(KEY_SEPARATOR);
    this.#add(id, Number(messageId));
  }

  /** The messages that an earlier process acknowledged and did not pass on; `published` removes each. */
  takeUnpublished(): StoredPacket[] {
    return this.#ofEarlierProcess.splice(0);
  }

  /** Whether it is a message of QoS 2 that its client has sent before and has not released. */
  isRepeated(id: string, { qos, messageId = 0 }: PassedPacket): boolean {
    return qos === 2 && this.#unreleased.get(id)?.has(messageId) === true;
  }

  /** Notes a message before it is acknowledged. */
  receive(packet: PassedPacket & object): void {
    this.#count += 1;
    this.#numbers.set(packet, this.#count);
    this.#records.put(`p${this.#count}`, encodePacket(storedPacketOf(packet)));
  }

  /** The message has been passed on and queued, or its client is gone before it was acknowledged. */
  published(packet: object): void {
    const number = this.#numbers.get(packet);
    if (number === undefined) return;
    this.#numbers.delete(packet);
    this.#records.delete(`p${number}`);
  }

  async store(id: string, messageId: number): Promise<void> {
    this.#add(id, messageId);
    this.#records.put(keyOf(id, messageId), Buffer.alloc(0));
  }

  /** Rejects if there is none, as aedes expects. */
  async get(id: string, messageId: number): Promise<object> {
    if (this.#unreleased.get(id)?.has(messageId) !== true) throw new Error('no such packet');
    return { messageId };
  }

  /** Rejects if there is none. */
  async delete(id: string, messageId: number): Promise<void> {
    if (this.#unreleased.get(id)?.delete(messageId) !== true) throw new Error('no such packet');
    this.#records.delete(keyOf(id, messageId));
  }

  async deleteOf(id: string): Promise<void> {
    for (const messageId of this.#unreleased.get(id) ?? []) this.#records.delete(keyOf(id, messageId));
    this.#unreleased.delete(id);
  }

  /** Adds an identifier; forgets the oldest one if there are too many. */
  #add(id: string, messageId: number): void {
    const all = this.#unreleased.get(id) ?? new Set();
    this.#unreleased.set(id, all.add(messageId));
    if (all.size <= UNRELEASED_LIMIT) return;
    const [oldest = 0] = all;
    all.delete(oldest);
    this.#records.delete(keyOf(id, oldest));
  }
}

const keyOf = (id: string, messageId: number): string => `i${id}${KEY_SEPARATOR}${messageId}`;
