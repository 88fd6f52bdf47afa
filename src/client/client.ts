import { type Address, readAddress } from './address.js';
import { type ChangeOptions, type ChangeSource, type Item, changeStream, longCall } from './changes.js';
import { ServerError } from './errors.js';
import type { Functions } from './generated/functions.js';
import { type Outcome, type Params, encodeRequest, readReply, readBatch } from './rpc.js';
import { type Timing, realTiming } from './timing.js';
import type { FunctionTable } from './function-table.js';

/**
 * Default time limit of a call, ms: longer than the gateway's limit for a script that a call runs.
 */
const CALL_MS = 60_000;

export interface CallOptions {
  /** Time limit of the call, ms. */
  timeoutMs?: number;
  /**
   * Aborts the call, which then rejects with the signal's reason. The gateway may execute it all the same.
   */
  signal?: AbortSignal;
}

export interface ClientOptions {
  /** Time limit of each call, ms; 60,000 by default. */
  timeoutMs?: number;
  /** Follow only the changes in this configurator's area; the address then has `webfront:<its password>`. */
  configurator?: number;
  timing?: Timing;
}

type Name<F> = keyof F & string;
type Args<F extends FunctionTable<F>, M extends Name<F>> = Parameters<F[M]>;
type Result<F extends FunctionTable<F>, M extends Name<F>> = ReturnType<F[M]>;

/** One call of a batch: the function's name and its parameters. */
export type BatchCall<F extends FunctionTable<F>> = {
  [M in Name<F>]: readonly [method: M, ...params: Args<F, M>];
}[Name<F>];

type Outcomes<F extends FunctionTable<F>, C extends readonly BatchCall<F>[]> = {
  -readonly [K in keyof C]: C[K] extends readonly [infer M extends Name<F>, ...unknown[]]
    ? Outcome<Result<F, M>>
    : never;
};

/**
 * Calls a gateway's functions and follows its changes, in Node and in browsers:
 *
 *     const gateway = new Client('http://owner%40example.org:password@127.0.0.1:3777/api/');
 *     await gateway.call('SetValue', 12345, 21.5);
 *     for await (const item of gateway.changes()) console.log(item);
 *
 * A call rejects with an `RpcError` if the gateway rejected it or failed, and with a `ServerError` if there
 * was no valid reply. Results have the types of the command reference and are not checked at run time. Keeps
 * no resources between calls.
 */
export class Client<F extends FunctionTable<F> = Functions> {
  readonly #address: Address;
  readonly #timeoutMs: number;
  readonly #configurator: number | undefined;
  readonly #timing: Timing;
  #calls = 0;

  /** Does not connect. Throws a `TypeError` if the address is invalid. */
  constructor(address: string, options: ClientOptions = {}) {
    this.#address = readAddress(address);
    this.#timeoutMs = options.timeoutMs ?? CALL_MS;
    this.#configurator = options.configurator;
    this.#timing = options.timing ?? realTiming;
  }

  /** Calls a function with its parameters in the order of the command reference. */
  call<M extends Name<F>>(method: M, ...params: Args<F, M>): Promise<Result<F, M>> {
    return this.request(method, params);
  }

  /**
   * Like `call`, without a time limit, over a WebSocket: for a function that takes minutes, such as a backup.
   * Rejects with a `ServerError` if the connection is lost; the gateway may then complete it all the same.
   */
  async callLong<M extends Name<F>>(method: M, ...params: Args<F, M>): Promise<Result<F, M>> {
    return (await longCall(this.#source(), method, params)) as Result<F, M>;
  }

  /** Like `call`, with a time limit or a signal; the parameters may be named. */
  async request<M extends Name<F>>(
    method: M,
    params: Args<F, M> | Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<Result<F, M>> {
    return (await this.#call(method, params, options)) as Result<F, M>;
  }

  /**
   * Makes several calls in one request. Returns the outcome of each, in the same order; a call that fails
   * does not affect the others.
   */
  async batch<const C extends readonly BatchCall<F>[]>(
    calls: C,
    options: CallOptions = {},
  ): Promise<Outcomes<F, C>> {
    const ids = calls.map(() => this.#nextId());
    const bodies = calls.map(([method, ...params], n) => encodeRequest(ids[n] ?? '', method, params));
    // An empty batch is an invalid request (JSON-RPC 2.0 §6), so it is not sent.
    const outcomes =
      calls.length === 0 ? [] : readBatch((await this.#post(`[${bodies.join()}]`, options)).body, ids);
    return outcomes as Outcomes<F, C>;
  }

  /**
   * All changes after the counter `since`, without gaps or duplicates; reconnects if the connection is lost.
   * Ends when the loop is left, when the signal aborts (rejects with its reason), or with an `RpcError` that
   * a retry cannot resolve.
   */
  changes(options: ChangeOptions = {}): AsyncGenerator<Item, void, undefined> {
    return changeStream(this.#source(), options);
  }

  #source(): ChangeSource {
    return {
      address: this.#address,
      configurator: this.#configurator,
      timing: this.#timing,
      call: (method, params, signal) => this.#call(method, params, signal === undefined ? {} : { signal }),
    };
  }

  async #call(method: string, params: Params, options: CallOptions): Promise<unknown> {
    const id = this.#nextId();
    const { body, status } = await this.#post(encodeRequest(id, method, params), options);
    const outcome = readReply(body, id);
    if (!outcome.ok) throw outcome.error;
    if (status !== 200) throw new ServerError(`HTTP status ${status}`, { status });
    return outcome.result;
  }

  #nextId(): string {
    return String(++this.#calls);
  }

  async #post(body: string, options: CallOptions): Promise<{ body: unknown; status: number }> {
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
    let status: number | undefined;
    let text: string;
    try {
      const response = await fetch(this.#address.http, { ...this.#init, body, signal });
      status = response.status;
      text = await response.text();
    } catch (cause) {
      options.signal?.throwIfAborted();
      if (timeout.aborted) throw new ServerError(`No reply within ${timeoutMs} ms`, { status });
      throw new ServerError(`The gateway cannot be reached: ${causeMessageOf(cause)}`, { cause, status });
    }
    try {
      return { body: JSON.parse(text) as unknown, status };
    } catch (cause) {
      throw new ServerError(`The reply is not JSON (HTTP status ${status})`, { cause, status });
    }
  }

  get #init() {
    const { authorization } = this.#address;
    return {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(authorization && { Authorization: authorization }) },
      // The gateway never redirects; following another host's redirect would send it the credentials.
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
    } as const;
  }
}

/** The message of the cause, if there is one: that of fetch is only "fetch failed". */
function causeMessageOf(thrown: unknown): string {
  const inner = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const text = inner instanceof Error ? inner.message || inner.name : String(inner);
  return inner instanceof Error && 'code' in inner && !text ? String(inner.code) : text;
}
