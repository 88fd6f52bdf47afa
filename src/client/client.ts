import { type Address, readAddress } from './address.js';
import { type ChangeOptions, type Item, changeStream } from './changes.js';
import { ServerError } from './errors.js';
import type { Functions } from './generated/functions.js';
import { type Answer, type Params, encodeRequest, readAnswer, readBatch } from './rpc.js';
import { type Timing, realTiming } from './timing.js';
import type { FunctionTable } from './function-table.js';

/**
 * How long a call may take, ms, where the caller says nothing: longer than the gateway lets a script run for
 * a call.
 */
const CALL_MS = 60_000;

export interface CallOptions {
  /** How long the call may take altogether, ms. */
  timeoutMs?: number;
  /**
   * Stops waiting; the call then rejects with the signal's reason. The gateway may carry it out all the same.
   */
  signal?: AbortSignal;
}

export interface ClientOptions {
  /** How long each call may take altogether, ms; 60,000 by default. */
  timeoutMs?: number;
  /** Changes come from this configurator's area alone; the address then carries `webfront:<its password>`. */
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

type Answers<F extends FunctionTable<F>, C extends readonly BatchCall<F>[]> = {
  -readonly [K in keyof C]: C[K] extends readonly [infer M extends Name<F>, ...unknown[]]
    ? Answer<Result<F, M>>
    : never;
};

/**
 * Calls a gateway's functions and follows its changes, in Node and in browsers:
 *
 *     const gateway = new Client('http://owner%40example.org:password@127.0.0.1:3777/api/');
 *     await gateway.call('SetValue', 12345, 21.5);
 *     for await (const item of gateway.changes()) console.log(item);
 *
 * A call fails in one of two ways: `RpcError` if the gateway rejected it or failed, `ServerError` if there
 * was no reply to believe. Results are typed by the command reference, and not checked again. Holds nothing
 * open between calls.
 */
export class Client<F extends FunctionTable<F> = Functions> {
  readonly #address: Address;
  readonly #timeoutMs: number;
  readonly #configurator: number | undefined;
  readonly #timing: Timing;
  #calls = 0;

  /** Throws a `TypeError` when the address is none; does not connect yet. */
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

  /** As `call`, with a time-out or a signal of its own; the parameters may also be named. */
  async request<M extends Name<F>>(
    method: M,
    params: Args<F, M> | Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<Result<F, M>> {
    return (await this.#ask(method, params, options)) as Result<F, M>;
  }

  /**
   * Makes many calls in one request. Each has its own answer, in the same order; one that fails does not stop
   * the rest.
   */
  async batch<const C extends readonly BatchCall<F>[]>(
    calls: C,
    options: CallOptions = {},
  ): Promise<Answers<F, C>> {
    const ids = calls.map(() => this.#nextId());
    const bodies = calls.map(([method, ...params], n) => encodeRequest(ids[n] ?? '', method, params));
    // An empty batch is an invalid request (JSON-RPC 2.0 §6); here it is simply nothing to do.
    const answers =
      calls.length === 0 ? [] : readBatch((await this.#post(`[${bodies.join()}]`, options)).body, ids);
    return answers as Answers<F, C>;
  }

  /**
   * Every change from the counter `since` on, without gap or repeat, over as many connections as it takes.
   * Ends only by `break`, by the signal (rejecting with its reason), or by an `RpcError` that a retry can't
   * resolve.
   */
  changes(options: ChangeOptions = {}): AsyncGenerator<Item, void, undefined> {
    const source = {
      address: this.#address,
      configurator: this.#configurator,
      timing: this.#timing,
      ask: (method: string, params: Params, signal: AbortSignal | undefined) =>
        this.#ask(method, params, signal === undefined ? {} : { signal }),
    };
    return changeStream(source, options);
  }

  async #ask(method: string, params: Params, options: CallOptions): Promise<unknown> {
    const id = this.#nextId();
    const { body, status } = await this.#post(encodeRequest(id, method, params), options);
    const answer = readAnswer(body, id);
    if (!answer.ok) throw answer.error;
    if (status !== 200) throw new ServerError(`HTTP status ${status}`, { status });
    return answer.result;
  }

  #nextId(): string {
    return String(++this.#calls);
  }

  async #post(body: string, options: CallOptions): Promise<{ body: unknown; status: number }> {
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const late = AbortSignal.timeout(timeoutMs);
    const signal = options.signal === undefined ? late : AbortSignal.any([options.signal, late]);
    let status: number | undefined;
    let text: string;
    try {
      const response = await fetch(this.#address.http, { ...this.#init, body, signal });
      status = response.status;
      text = await response.text();
    } catch (cause) {
      options.signal?.throwIfAborted();
      if (late.aborted) throw new ServerError(`No answer within ${timeoutMs} ms`, { status });
      throw new ServerError(`The gateway cannot be reached: ${reasonOf(cause)}`, { cause, status });
    }
    try {
      return { body: JSON.parse(text) as unknown, status };
    } catch (cause) {
      throw new ServerError(`The answer is not JSON (HTTP status ${status})`, { cause, status });
    }
  }

  get #init() {
    const { authorization } = this.#address;
    return {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(authorization && { Authorization: authorization }) },
      // A gateway never redirects, and credentials must not follow one that pretends to be.
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
    } as const;
  }
}

/** fetch says only "fetch failed"; the reason is its cause, where the platform gives one. */
function reasonOf(thrown: unknown): string {
  const inner = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const text = inner instanceof Error ? inner.message || inner.name : String(inner);
  return inner instanceof Error && 'code' in inner && !text ? String(inner.code) : text;
}
