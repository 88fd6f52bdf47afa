import type { PassedPacket, StoredPacket } from './stored-packet.js';

/** What a queue contains: the packet, and the number in the key of its record. */
export interface QueueEntry {
  readonly number: number;
  packet: StoredPacket;
}

/** MQTT 3.1.1 §2.3.1. */
const MAX_MESSAGE_ID = 65_535;

/** The messages that wait for one client, or for its acknowledgement, in their order. */
export class SessionQueue {
  readonly #entries = new Map<number, QueueEntry>();
  readonly #byMessageId = new Map<number, number>();
  readonly #byCounter = new Map<string, number>();
  #next = 1;
  #lastMessageId = 0;

  get size(): number {
    return this.#entries.size;
  }

  entries(): IterableIterator<QueueEntry> {
    return this.#entries.values();
  }

  add(packet: StoredPacket, number = this.#next): QueueEntry {
    const entry = { number, packet };
    this.#next = Math.max(this.#next, number + 1);
    this.#entries.set(number, entry);
    this.#index(entry);
    return entry;
  }

  /** The entry of a message: by the number that the broker gave it, or by the identifier of its delivery. */
  find({ brokerId, brokerCounter, messageId }: PassedPacket): QueueEntry | undefined {
    const number =
      (brokerId === undefined ? undefined : this.#byCounter.get(`${brokerId} ${brokerCounter}`)) ??
      (messageId === undefined ? undefined : this.#byMessageId.get(messageId));
    return number === undefined ? undefined : this.#entries.get(number);
  }

  /**
   * An identifier that no entry has [MQTT-2.3.1-2], unless all are in use. aedes begins each connection with a random
   * one, while the entries of earlier connections keep theirs.
   */
  newMessageId(): number {
    for (let tries = 0; tries < MAX_MESSAGE_ID; tries++) {
      this.#lastMessageId = (this.#lastMessageId % MAX_MESSAGE_ID) + 1;
      if (!this.#byMessageId.has(this.#lastMessageId)) break;
    }
    return this.#lastMessageId;
  }

  replace(entry: QueueEntry, packet: StoredPacket): void {
    this.#unindex(entry);
    entry.packet = packet;
    this.#index(entry);
  }

  delete(entry: QueueEntry): void {
    this.#unindex(entry);
    this.#entries.delete(entry.number);
  }

  #index({ number, packet }: QueueEntry): void {
    if (packet.brokerId !== '') this.#byCounter.set(`${packet.brokerId} ${packet.brokerCounter}`, number);
    if (packet.messageId !== undefined) this.#byMessageId.set(packet.messageId, number);
  }

  #unindex({ packet }: QueueEntry): void {
    this.#byCounter.delete(`${packet.brokerId} ${packet.brokerCounter}`);
    if (packet.messageId !== undefined) this.#byMessageId.delete(packet.messageId);
  }
}

/** The state of a client that the broker keeps while the client is not connected (MQTT 3.1.1 §3.1.2.4). */
export interface Session {
  readonly queue: SessionQueue;
  /** Filter → QoS. */
  readonly subscriptions: Map<string, 0 | 1 | 2>;
  /** The name of the user that it belongs to; empty without users. */
  user: string;
  /** When the client was connected last, unix ms. */
  seenMs: number;
}
