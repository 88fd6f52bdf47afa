import { fault } from '../base/fault.js';

/**
 * One change as clients receive it (interface §3.1). The text of its frame is encoded on first use and shared
 * by all clients.
 */
export class Change {
  readonly TimeStamp: number;
  readonly SenderID: number;
  readonly Message: number;
  readonly Data: readonly unknown[];
  #frame: string | undefined;

  constructor({
    TimeStamp,
    SenderID,
    Message,
    Data,
  }: Pick<Change, 'TimeStamp' | 'SenderID' | 'Message' | 'Data'>) {
    this.TimeStamp = TimeStamp;
    this.SenderID = SenderID;
    this.Message = Message;
    this.Data = Data;
  }

  get frame(): string {
    this.#frame ??= JSON.stringify(this);
    return this.#frame;
  }

  /** Its memory as the buffer's limit counts it: strings by their bytes, twice because of the frame. */
  get bytes(): number {
    let sum = CHANGE_BYTES;
    for (const item of this.Data) sum += typeof item === 'string' ? item.length * 2 : ITEM_BYTES;
    return sum * 2;
  }
}

/**
 * Memory of a change without strings in V8, measured: the object and its array; the frame takes as much
 * again.
 */
const CHANGE_BYTES = 120;
const ITEM_BYTES = 8;

/** The newest 65,536 messages and at most 16 MiB, whichever is less (interface, decision 9). */
export const BUFFER_MESSAGES = 65_536;
export const BUFFER_BYTES = 16 * 1024 * 1024;

/** Limits of the change buffer, from the configuration. */
export interface BufferLimits {
  readonly messages: number;
  readonly bytes: number;
}

/**
 * The stream of changes: one increasing counter for all messages, a bounded buffer of the newest ones, and
 * the listeners. Listeners are called synchronously, in order of `listen`, and must not throw. Each gets all
 * messages in ascending order, also those that a listener emits.
 */
export class Changes {
  /** If set: called for each message; it calls `publish` to pass the message to the listeners. */
  deliver: ((change: Change, publish: () => void) => void) | undefined;
  /**
   * The monotonic time of the oldest edge of an input whose change has not been sent to clients; whoever sends
   * changes clears it.
   */
  edgeNs: bigint | undefined;
  #counter: number;
  readonly #firstCounter: number;
  #buffer: (Change | undefined)[] = [];
  /** Index of the oldest kept change; the array is compacted when half of it is spent. */
  #head = 0;
  #bytes = 0;
  #limits: BufferLimits;
  #listeners: ((change: Change) => void)[] = [];
  #isPassing = false;
  /** What listeners emitted while a change was passed on: it follows when all have that one. */
  #following: Change[] = [];

  /** Begins after `counter`: the first message gets `counter + 1`. */
  constructor(counter: number, limits: BufferLimits = { messages: BUFFER_MESSAGES, bytes: BUFFER_BYTES }) {
    this.#counter = this.#firstCounter = counter;
    this.#limits = limits;
  }

  /** The counter of the newest message. */
  get counter(): number {
    return this.#counter;
  }

  /** Messages since the start. */
  get emitted(): number {
    return this.#counter - this.#firstCounter;
  }

  get buffered(): { readonly messages: number; readonly bytes: number } {
    return { messages: this.#buffer.length - this.#head, bytes: this.#bytes };
  }

  setLimits(limits: BufferLimits): void {
    this.#limits = limits;
    this.#trim();
  }

  /** Adds a listener; returns a function that removes it. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((l) => l !== listener);
    };
  }

  emit(senderId: number, message: number, data: readonly unknown[]): void {
    const change = new Change({
      TimeStamp: ++this.#counter,
      SenderID: senderId,
      Message: message,
      Data: data,
    });
    this.#buffer.push(change);
    this.#bytes += change.bytes;
    this.#trim();
    if (this.#isPassing) this.#following.push(change);
    else this.#passInOrder(change);
  }

  /** All buffered messages, ascending. */
  all(): readonly Change[] {
    return this.#buffer.slice(this.#head) as Change[];
  }

  /**
   * The buffered messages after `counter`, ascending. Throws `CHANGES_LOST` if some of them are no longer
   * buffered, or if the counter is from the future (interface, decision 9).
   */
  since(counter: number): readonly Change[] {
    const first = this.#buffer[this.#head]?.TimeStamp ?? this.#counter + 1;
    if (counter > this.#counter || counter < first - 1) throw fault('CHANGES_LOST');
    return this.#buffer.slice(this.#head + (counter + 1 - first)) as Change[];
  }

  #passInOrder(change: Change): void {
    this.#isPassing = true;
    try {
      this.#pass(change);
      for (const next of this.#following) this.#pass(next);
    } finally {
      this.#isPassing = false;
      if (this.#following.length > 0) this.#following = [];
    }
  }

  #pass(change: Change): void {
    if (this.deliver === undefined) this.#publish(change);
    else this.deliver(change, () => this.#publish(change));
  }

  #publish(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  #trim(): void {
    while (
      this.#buffer.length - this.#head > this.#limits.messages ||
      (this.#bytes > this.#limits.bytes && this.#buffer.length > this.#head)
    ) {
      this.#bytes -= this.#buffer[this.#head]?.bytes ?? 0;
      this.#buffer[this.#head++] = undefined;
    }
    if (this.#head > COMPACT_AT && this.#head * 2 > this.#buffer.length) {
      this.#buffer = this.#buffer.slice(this.#head);
      this.#head = 0;
    }
  }
}

/** Freed slots before the array is compacted: rare enough to cost nothing per message. */
const COMPACT_AT = 4096;
