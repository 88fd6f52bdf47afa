import { coded, type CodedText, type Text } from '../../base/codes/coded-text.js';
import type { Cancel, Clock } from '../../base/clock.js';
import { codedMessageOf, messageOf } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import type { LoadedTls } from './tls.js';
import { Listener, type ListenerOptions, type ListenerContext } from './listener.js';

/** An address to listen on. */
export interface ListenerConfig {
  /** For the log and for health: `api`, or the web server's name. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Whether the start fails without it. */
  readonly isVital: boolean;
  /** The options for opening it; called for every attempt, so that a certificate may be created later. */
  options(): Promise<ListenerOptions>;
}

/** A listener, and its certificate. */
interface ListenerFacts {
  readonly name: string;
  readonly host: string;
  readonly port: number | undefined;
  readonly tls: Pick<LoadedTls, 'names' | 'untilMs'> | undefined;
  readonly problem: Text;
}

/** A listener with TLS that is open. */
interface TlsListener {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** When its certificate expires, unix ms. */
  readonly untilMs: number;
}

/**
 * The delay between attempts to listen on an address that is not available yet: a network that comes up, a
 * port still in use.
 */
const RETRY_MS = 5000;

interface ListenerState {
  config: ListenerConfig;
  listener: Listener | undefined;
  fault: Error | undefined;
  cancel: Cancel | undefined;
}

/** Keeps listeners open on the configured addresses, and retries those that fail. */
export class ListenerSet {
  readonly #context: ListenerContext;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listenerStates = new Map<string, ListenerState>();
  /** Listeners that are no longer configured, while they finish the calls in flight. */
  readonly #closing = new Set<Promise<void>>();
  /**
   * Whether the gateway has started to serve: from then on, failures are retried and do not end the gateway.
   */
  #isServing = false;
  #isClosed = false;

  constructor(context: ListenerContext, log: Log) {
    this.#context = context;
    this.#clock = context.clock;
    this.#log = log;
  }

  /**
   * Why addresses have no listener or certificates cannot be read; empty if everything works.
   */
  problems(): CodedText[] {
    return [...this.#listenerStates.values()].flatMap(({ config, fault }) =>
      fault === undefined ? [] : [coded`ABOUT: ${config.name}: ${codedMessageOf(fault)}`],
    );
  }

  /** The number of open connections other than WebSockets. */
  async connections(): Promise<number> {
    const counts = [...this.#listenerStates.values()].map(
      ({ listener }) => listener?.connections() ?? Promise.resolve(0),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** The port of a listener by its name, even if 0 was configured; undefined while it is not open. */
  port(name: string): number | undefined {
    return [...this.#listenerStates.values()].find(({ config }) => config.name === name)?.listener?.port;
  }

  /** All listeners, including those that are not open, which have no port. */
  all(): readonly ListenerFacts[] {
    return [...this.#listenerStates.values()].map(({ config: { name, host }, listener, fault }) => ({
      name,
      host,
      port: listener?.port,
      tls: listener?.tls,
      problem: fault === undefined ? '' : codedMessageOf(fault),
    }));
  }

  /** The open listeners with TLS, with their addresses and when their certificates expire. */
  tls(): readonly TlsListener[] {
    return [...this.#listenerStates.values()].flatMap(({ config: { name, host }, listener }) =>
      listener?.tls === undefined ? [] : [{ name, host, port: listener.port, untilMs: listener.tls.untilMs }],
    );
  }

  /**
   * Applies a configuration: closes the listeners that are not in it, opens new ones, and passes new rules,
   * pages and certificates to the others. One call at a time. The first call throws `LISTEN_FAILED` if a
   * vital one can't be opened.
   */
  async configure(configs: readonly ListenerConfig[]): Promise<void> {
    const keys = new Map(configs.map((config) => [keyOf(config), config]));
    // Their ports are free immediately. Closing is not awaited: the reload may be a call that one of them
    // received.
    for (const key of this.#listenerStates.keys()) if (!keys.has(key)) this.#drop(key);
    for (const [key, config] of keys) {
      let state = this.#listenerStates.get(key);
      if (state === undefined) {
        state = { config, listener: undefined, fault: undefined, cancel: undefined };
        this.#listenerStates.set(key, state);
      }
      state.config = config;
      await this.#open(state);
      if (this.#isFatal(state) && state.fault !== undefined) throw state.fault;
    }
    this.#isServing = true;
  }

  /**
   * Reloads all certificates: other programs renew theirs, and those created by the gateway must be renewed.
   */
  async renew(): Promise<void> {
    for (const state of this.#listenerStates.values()) if (state.config.isTls) await this.#open(state);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const key of this.#listenerStates.keys()) this.#drop(key);
    await Promise.all(this.#closing);
  }

  /** Opens a listener, or passes new options to an open one; retries later if that fails. */
  async #open(state: ListenerState): Promise<void> {
    state.cancel?.();
    const { name } = state.config;
    try {
      const options = await state.config.options();
      if (state.listener === undefined) {
        const listener = await Listener.open(this.#context, options);
        if (this.#isClosed) return await listener.close();
        state.listener = listener;
        this.#log.info(
          { name, host: options.host, port: listener.port, tls: state.config.isTls },
          'listening',
        );
      } else {
        state.listener.reconfigure(options);
      }
      state.fault = undefined;
    } catch (thrown) {
      const isFirstFailure = state.fault === undefined;
      state.fault = thrown as Error;
      if (this.#isFatal(state)) return;
      if (isFirstFailure)
        this.#log.error(
          { name, error: messageOf(thrown) },
          'a listener does not work as configured; retrying',
        );
      state.cancel = this.#clock.after(RETRY_MS, () => void this.#retry(state));
    }
  }

  /** Whether a starting gateway cannot continue without it. */
  #isFatal({ config, listener }: ListenerState): boolean {
    return config.isVital && !this.#isServing && listener === undefined;
  }

  async #retry(state: ListenerState): Promise<void> {
    if (this.#isClosed || this.#listenerStates.get(keyOf(state.config)) !== state) return;
    await this.#open(state);
    if (this.#listenerStates.get(keyOf(state.config)) !== state) await state.listener?.close();
  }

  #drop(key: string): void {
    const state = this.#listenerStates.get(key);
    this.#listenerStates.delete(key);
    state?.cancel?.();
    if (state?.listener === undefined) return;
    const closed = state.listener.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}

function keyOf({ name, host, port, isTls }: ListenerConfig): string {
  return JSON.stringify([name, host, port, isTls]);
}
