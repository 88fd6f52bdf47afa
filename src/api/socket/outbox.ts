import { Change } from '../../kernel/changes.js';
import { message } from '../../kernel/messages.js';

/** Above this number of queued bytes, only the newest value of each variable is kept. */
export const OUTBOX_BUDGET = 1024 * 1024;
/** Queued bytes at which the session is closed: enough for an update of each of 50,000 variables. */
export const OUTBOX_LIMIT = 8 * 1024 * 1024;

export interface OutboxLimits {
  readonly budget: number;
  readonly limit: number;
}

/** What slow clients have not received as it was. */
export interface OutboxLosses {
  /** Updates that a newer one of the same variable has replaced. */
  coalesced: number;
  /** Messages that were dropped with the session of a client that was too slow. */
  dropped: number;
}

/**
 * Messages across which updates must not be coalesced: the id may belong to another object afterwards, or a
 * good value would follow the message that it is no longer good.
 */
const BARRIERS: ReadonlySet<number> = new Set([message.VM_DELETE, message.OM_UNREGISTER, message.GW_QUALITY]);

/** Empty slots before the list is compacted. */
const COMPACT_AT = 1024;

/**
 * The messages queued for one client (interface, decision 11). Within the budget, every message is kept in
 * order. Above it, only one `VM_UPDATE` of each variable is kept: at the newest position, with the newest
 * value, with the old value and times of the first dropped one, and marked as changed if any of them was. All
 * other messages stay in order. Once the outbox is empty, coalescing ends.
 */
export class Outbox {
  readonly #limits: OutboxLimits;
  readonly #losses: OutboxLosses;
  #items: (Change | undefined)[] = [];
  /** All slots before it are empty. */
  #head = 0;
  #count = 0;
  #bytes = 0;
  /** The index of the update of each variable, while coalescing. */
  #updateSlots: Map<number, number> | undefined;

  /** `losses` counts what it coalesces. */
  constructor(
    limits: OutboxLimits = { budget: OUTBOX_BUDGET, limit: OUTBOX_LIMIT },
    losses: OutboxLosses = { coalesced: 0, dropped: 0 },
  ) {
    this.#limits = limits;
    this.#losses = losses;
  }

  /** Number of queued messages. */
  get size(): number {
    return this.#count;
  }

  /** Queued bytes, as sent over the wire. */
  get bytes(): number {
    return this.#bytes;
  }

  get isCoalescing(): boolean {
    return this.#updateSlots !== undefined;
  }

  /** Adds a message. Returns false if the limit is exceeded and the session must be closed. */
  put(change: Change): boolean {
    if (this.#updateSlots === undefined) {
      this.#append(change);
      if (this.#bytes > this.#limits.budget) this.#coalesce();
    } else {
      this.#coalesceUpdate(change, this.#updateSlots);
    }
    return this.#bytes <= this.#limits.limit;
  }

  /** Takes messages from the front: as many as fit into `bytes`, but at least one if there are any. */
  take(bytes: number): Change[] {
    const taken: Change[] = [];
    let left = bytes;
    while (this.#head < this.#items.length) {
      const change = this.#items[this.#head];
      if (change !== undefined) {
        const size = bytesOf(change);
        if (taken.length > 0 && size > left) break;
        left -= size;
        taken.push(change);
        this.#remove(this.#head, change);
        if (this.#updateSlots?.get(change.SenderID) === this.#head) this.#updateSlots.delete(change.SenderID);
      }
      this.#head += 1;
    }
    if (this.#count === 0) this.clear();
    else if (this.#head > COMPACT_AT && this.#head * 2 > this.#items.length) this.#compact();
    return taken;
  }

  clear(): void {
    this.#items = [];
    this.#head = this.#count = this.#bytes = 0;
    this.#updateSlots = undefined;
  }

  #coalesce(): void {
    const waiting = this.#items.slice(this.#head);
    this.clear();
    const slots = (this.#updateSlots = new Map<number, number>());
    for (const change of waiting) if (change !== undefined) this.#coalesceUpdate(change, slots);
    this.#compact();
  }

  #coalesceUpdate(change: Change, slots: Map<number, number>): void {
    const { SenderID, Message } = change;
    if (Message !== message.VM_UPDATE) {
      if (BARRIERS.has(Message)) slots.delete(SenderID);
      this.#append(change);
      return;
    }
    const slot = slots.get(SenderID);
    const earlier = slot === undefined ? undefined : this.#items[slot];
    if (slot !== undefined && earlier !== undefined) {
      this.#remove(slot, earlier);
      this.#losses.coalesced += 1;
    }
    slots.set(SenderID, this.#items.length);
    this.#append(earlier === undefined ? change : coalesced(earlier, change));
    if (this.#items.length - this.#head > COMPACT_AT + 2 * this.#count) this.#compact();
  }

  #append(change: Change): void {
    this.#items.push(change);
    this.#count += 1;
    this.#bytes += bytesOf(change);
  }

  #remove(slot: number, change: Change): void {
    this.#items[slot] = undefined;
    this.#count -= 1;
    this.#bytes -= bytesOf(change);
  }

  /** Removes the empty slots. */
  #compact(): void {
    const known = this.#updateSlots === undefined ? undefined : new Set(this.#updateSlots.values());
    const items: Change[] = [];
    for (let slot = this.#head; slot < this.#items.length; slot++) {
      const change = this.#items[slot];
      if (change === undefined) continue;
      if (known?.has(slot) === true) this.#updateSlots?.set(change.SenderID, items.length);
      items.push(change);
    }
    this.#items = items;
    this.#head = 0;
  }
}

/**
 * Combines two updates of one variable. Data: new, changed, old, now, previously updated, previously changed
 * (interface, decision 8).
 */
function coalesced(earlier: Change, later: Change): Change {
  const [value, changed, , now] = later.Data;
  const [, changedBefore, old, , updated, changedAt] = earlier.Data;
  const { TimeStamp, SenderID, Message } = later;
  const isChanged = changed === true || changedBefore === true;
  return new Change({ TimeStamp, SenderID, Message, Data: [value, isChanged, old, now, updated, changedAt] });
}

/** A frame's size on the wire; text beyond ASCII takes more than its length, so it is counted in full. */
function bytesOf(change: Change): number {
  return Buffer.byteLength(change.frame);
}
