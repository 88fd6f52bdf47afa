/** A longer message is no state. */
const STATE_LIMIT = 1024;

/** Follows the STATE messages of a primary host application (Sparkplug 3.0 §5.4, §6.4.7). */
export class PrimaryHost {
  /** The topic of its state. */
  readonly topic: string;
  #isOnline = false;
  #timestamp = -1;

  constructor(id: string) {
    this.topic = `spBv1.0/STATE/${id}`;
  }

  get isOnline(): boolean {
    return this.#isOnline;
  }

  /** A new connection: what the host has said at another server does not count. */
  reset(): void {
    this.#isOnline = false;
    this.#timestamp = -1;
  }

  /**
   * Takes a message. Returns whether the host is online; undefined if the message is older, or not the
   * host's.
   */
  take(topic: string, payload: Buffer): boolean | undefined {
    if (topic !== this.topic || payload.length > STATE_LIMIT) return undefined;
    const state = parse(payload.toString());
    if (typeof state !== 'object' || state === null) return undefined;
    const { online, timestamp } = state as { online?: unknown; timestamp?: unknown };
    if (typeof online !== 'boolean' || typeof timestamp !== 'number' || !(timestamp >= this.#timestamp))
      return undefined;
    this.#timestamp = timestamp;
    this.#isOnline = online;
    return online;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON is no state.
    return undefined;
  }
}
