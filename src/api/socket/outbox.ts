import { Change } from '../../kernel/changes.js';
import { message } from '../../kernel/messages.js';

/** Queued bytes from which on only the newest value of each variable is kept. */
export const OUTBOX_BUDGET = 1024 * 1024;
/** Queued bytes at which the session is closed: room for an update of each of 50,000 variables. */
export const OUTBOX_LIMIT = 8 * 1024 * 1024;

export interface OutboxLimits {
  readonly budget: number;
  readonly limit: number;
}

/**
 * Messages before and after which updates must not be made one: an object's id may mean another one, or a
 * value that was good would come after the message that it no longer is.
 */
const BARRIERS: ReadonlySet<number> = new Set([message.VM_DELETE, message.OM_UNREGISTER, message.GW_QUALITY]);

/** Places that have become empty before the list is closed up. */
const COMPACT_AT = 1024;

/**
 * The messages queued for one client (interface, decision 11). Within the budget every message, in order.
 * Over it, of each variable only one `VM_UPDATE` is kept: at the newest place, with the newest value, the
 * first dropped one's old value and times, and changed when any of them was. All others stay, in order. It
 * counts again from nothing once it has been emptied.
 */
export class Outbox {
  readonly #limits: OutboxLimits;
  #items: (Change | undefined)[] = [];
  /** Before it, all places are empty. */
  #head = 0;
  #count = 0;
  #bytes = 0;
  /** The index of the update of each variable, while coalescing. */
  #places: Map<number, number> | undefined;

  constructor(limits: OutboxLimits = { budget: OUTBOX_BUDGET, limit: OUTBOX_LIMIT }) {
    this.#limits = limits;
  }

  /** How many messages wait. */
  get size(): number {
    return this.#count;
  }

  /** Bytes that wait, as they go over the wire. */
  get bytes(): number {
    return this.#bytes;
  }

  get isCoalescing(): boolean {
    return this.#places !== undefined;
  }

  /** Adds a message. Returns false if the limit is exceeded and the session must be closed. */
  put(change: Change): boolean {
    if (this.#places === undefined) {
      this.#append(change);
      if (this.#bytes > this.#limits.budget) this.#coalesce();
    } else {
      this.#merge(change, this.#places);
    }
    return this.#bytes <= this.#limits.limit;
  }

  /** Takes messages from the front: as many as fit into `bytes`, but at least one where there is one. */
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
        if (this.#places?.get(change.SenderID) === this.#head) this.#places.delete(change.SenderID);
      }
      this.#head += 1;
    }
    if (this.#count === 0) this.clear();
    else if (this.#head > COMPACT_AT && this.#head * 2 > this.#items.length) this.#closeUp();
    return taken;
  }

  clear(): void {
    this.#items = [];
    this.#head = this.#count = this.#bytes = 0;
    this.#places = undefined;
  }

  #coalesce(): void {
    const waiting = this.#items.slice(this.#head);
    this.clear();
    const places = (this.#places = new Map<number, number>());
    for (const change of waiting) if (change !== undefined) this.#merge(change, places);
    this.#closeUp();
  }

  #merge(change: Change, places: Map<number, number>): void {
    const { SenderID, Message } = change;
    if (Message !== message.VM_UPDATE) {
      if (BARRIERS.has(Message)) places.delete(SenderID);
      this.#append(change);
      return;
    }
    const place = places.get(SenderID);
    const earlier = place === undefined ? undefined : this.#items[place];
    if (place !== undefined && earlier !== undefined) this.#remove(place, earlier);
    places.set(SenderID, this.#items.length);
    this.#append(earlier === undefined ? change : merged(earlier, change));
    if (this.#items.length - this.#head > COMPACT_AT + 2 * this.#count) this.#closeUp();
  }

  #append(change: Change): void {
    this.#items.push(change);
    this.#count += 1;
    this.#bytes += bytesOf(change);
  }

  #remove(place: number, change: Change): void {
    this.#items[place] = undefined;
    this.#count -= 1;
    this.#bytes -= bytesOf(change);
  }

  /** Takes the empty places out. */
  #closeUp(): void {
    const known = this.#places === undefined ? undefined : new Set(this.#places.values());
    const items: Change[] = [];
    for (let place = this.#head; place < this.#items.length; place++) {
      const change = this.#items[place];
      if (change === undefined) continue;
      if (known?.has(place) === true) this.#places?.set(change.SenderID, items.length);
      items.push(change);
    }
    this.#items = items;
    this.#head = 0;
  }
}

/**
 * Two updates of one variable as one. Data: new, changed, old, now, previously updated, previously changed
 * (interface, decision 8).
 */
function merged(earlier: Change, later: Change): Change {
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
