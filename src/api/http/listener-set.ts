import type { Cancel, Clock } from '../../base/clock.js';
import { messageOf } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import { Listener, type ListenerOptions, type ListenerParts } from './listener.js';

/** An address that is to be listened on. */
export interface ListenerConfig {
  /** For the log and for health: `api`, or the web server's name. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Whether the gateway can't do without it from the start. */
  readonly isVital: boolean;
  /** What it is opened with; asked for at every attempt, so that a certificate may come later. */
  options(): Promise<ListenerOptions>;
}

/**
 * How long between attempts to listen on an address that isn't there yet: a network that comes up, a port
 * still taken.
 */
const AGAIN_MS = 5000;

interface Place {
  wanted: ListenerConfig;
  listener: Listener | undefined;
  fault: Error | undefined;
  cancel: Cancel | undefined;
}

/** Keeps the wanted addresses listened on, whatever comes and goes. */
export class ListenerSet {
  readonly #parts: ListenerParts;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #places = new Map<string, Place>();
  /** Listeners that are no longer configured, while they finish the calls in flight. */
  readonly #leaving = new Set<Promise<void>>();
  /** Whether the gateway has begun to serve: from then on what fails is tried again, and no reason to end. */
  #isServing = false;
  #isClosed = false;

  constructor(parts: ListenerParts, log: Log) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#log = log;
  }

  /**
   * What keeps an address from being listened on, or its certificate from being read; empty when all is well.
   */
  problems(): string[] {
    return [...this.#places.values()].flatMap(({ wanted, fault }) =>
      fault === undefined ? [] : [`${wanted.name}: ${messageOf(fault)}`],
    );
  }

  /** How many connections are open that are no WebSockets. */
  async connections(): Promise<number> {
    const counts = [...this.#places.values()].map(
      ({ listener }) => listener?.connections() ?? Promise.resolve(0),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** The port of a listener by its name, also where 0 was asked for; undefined while it isn't open. */
  port(name: string): number | undefined {
    return [...this.#places.values()].find(({ wanted }) => wanted.name === name)?.listener?.port;
  }

  /**
   * From now on these are wanted: closes the others, opens what is new, gives those that stay their new
   * rules, pages and certificates. One call at a time. The first throws `LISTEN_FAILED` when a vital one
   * can't be opened.
   */
  async configure(wanted: readonly ListenerConfig[]): Promise<void> {
    const keys = new Map(wanted.map((one) => [keyOf(one), one]));
    // Their ports are free immediately. Closing is not awaited: the reload may be a call that one of them
    // received.
    for (const key of this.#places.keys()) if (!keys.has(key)) this.#drop(key);
    for (const [key, one] of keys) {
      let place = this.#places.get(key);
      if (place === undefined) {
        place = { wanted: one, listener: undefined, fault: undefined, cancel: undefined };
        this.#places.set(key, place);
      }
      place.wanted = one;
      await this.#open(place);
      if (this.#isFatal(place) && place.fault !== undefined) throw place.fault;
    }
    this.#isServing = true;
  }

  /** Reads all certificates again: others renew them, and ours must be renewed too. */
  async renew(): Promise<void> {
    for (const place of this.#places.values()) if (place.wanted.isTls) await this.#open(place);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const key of this.#places.keys()) this.#drop(key);
    await Promise.all(this.#leaving);
  }

  /** Opens a place, or gives an open one what is new; tries again later where that fails. */
  async #open(place: Place): Promise<void> {
    place.cancel?.();
    const { name } = place.wanted;
    try {
      const options = await place.wanted.options();
      if (place.listener === undefined) {
        const listener = await Listener.open(this.#parts, options);
        if (this.#isClosed) return await listener.close();
        place.listener = listener;
        this.#log.info(
          { name, host: options.host, port: listener.port, tls: place.wanted.isTls },
          'listening',
        );
      } else {
        place.listener.reconfigure(options);
      }
      place.fault = undefined;
    } catch (thrown) {
      const isNews = place.fault === undefined;
      place.fault = thrown as Error;
      if (this.#isFatal(place)) return;
      if (isNews)
        this.#log.error(
          { name, error: messageOf(thrown) },
          'an address is not served as configured; trying on',
        );
      place.cancel = this.#clock.after(AGAIN_MS, () => void this.#again(place));
    }
  }

  /** Whether a gateway that starts can't do without it. */
  #isFatal({ wanted, listener }: Place): boolean {
    return wanted.isVital && !this.#isServing && listener === undefined;
  }

  async #again(place: Place): Promise<void> {
    if (this.#isClosed || this.#places.get(keyOf(place.wanted)) !== place) return;
    await this.#open(place);
    if (this.#places.get(keyOf(place.wanted)) !== place) await place.listener?.close();
  }

  #drop(key: string): void {
    const place = this.#places.get(key);
    this.#places.delete(key);
    place?.cancel?.();
    if (place?.listener === undefined) return;
    const left = place.listener.close().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }
}

function keyOf({ name, host, port, isTls }: ListenerConfig): string {
  return JSON.stringify([name, host, port, isTls]);
}
