import { coded, parameterRecord } from '../../base/codes/coded-text.js';
import type { Clock } from '../../base/clock.js';
import { Fault, fault, faultFrom, isAbort, messageOf } from '../../base/fault.js';
import type { LimitReporter } from '../../base/limit-reporter.js';
import type { Log } from '../../base/log.js';
import { ChunkedResult, joinChunks, type JsonChunks } from '../../base/json-chunks.js';
import { yieldToEventLoop } from '../../base/event-loop.js';
import type { Caller } from '../../device/declare.js';
import { InexactParams } from './decode.js';
import type { Dispatcher } from './dispatcher.js';
import { Quotas, type QuotaLimits } from '../access/quotas.js';

/** A reply: a text, a text in chunks, or nothing for notifications (JSON-RPC 2.0 §4.1). */
export type Reply = string | JsonChunks | undefined;

/** Default limit of calls in a batch: `GW_SetValues` and similar functions are better for more. */
export const BATCH_LIMIT = 1000;

/** How long a batch may run before it yields to the event loop. */
const SLICE_NS = 3_000_000n;

/** Limit of a batch's reply in characters: the reply is one string, held in memory until it is sent. */
const BATCH_TEXT_LIMIT = 64 * 1024 * 1024;

/** The same for a batch of a front: there may be many fronts, and their requests are small. */
const FRONT_BATCH_TEXT_LIMIT = 4 * 1024 * 1024;
/** Limit of calls in flight of a front's batch; the next ones wait for them. */
const FRONT_BATCH_IN_FLIGHT = 16;

const WHAT_TO_DO = coded`FIND_FRONT_CALLS_TOO: find the front that calls too often (SVC_GetConnectionList)`;
/** Asynchronous calls over HTTP and WebSocket. The limit of a front suffices for several dozen panels. */
const CALLS: QuotaLimits = {
  what: coded`CALLS_IN_FLIGHT: calls in flight`,
  total: 2048,
  fronts: 512,
  perFront: 256,
  perAddress: 128,
  whatToDo: WHAT_TO_DO,
};
const BATCHES: QuotaLimits = {
  what: coded`BATCHES_IN_FLIGHT: batches in flight`,
  total: 512,
  fronts: 128,
  perFront: 64,
  perAddress: 32,
  whatToDo: WHAT_TO_DO,
};

const NOT_AN_OBJECT = errorText(
  'null',
  fault('INVALID_REQUEST', coded`REQUEST_OBJECT: a request is an object`),
);

/** The dependencies of the dispatch of calls. */
interface RpcContext {
  readonly dispatcher: Dispatcher;
  readonly limits: LimitReporter;
  readonly log: Log;
  readonly clock: Pick<Clock, 'monotonicNs'>;
}

/**
 * JSON-RPC 2.0: dispatches decoded requests and batches and encodes the replies. Keeps no state between
 * calls.
 */
export class Rpc {
  #dispatcher: Dispatcher;
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  readonly #calls: Quotas;
  readonly #batches: Quotas;
  #batchLimit = BATCH_LIMIT;

  constructor({ dispatcher, log, limits, clock }: RpcContext) {
    this.#calls = new Quotas(CALLS, limits);
    this.#batches = new Quotas(BATCHES, limits);
    this.#dispatcher = dispatcher;
    this.#log = log;
    this.#clock = clock;
  }

  /** Calls that one batch may contain. */
  get batchLimit(): number {
    return this.#batchLimit;
  }

  /** May be called at any time. */
  setDispatcher(dispatcher: Dispatcher): void {
    this.#dispatcher = dispatcher;
  }

  /** May be called at any time. */
  setBatchLimit(limit: number): void {
    this.#batchLimit = limit;
  }

  /**
   * Replies to a decoded request or batch. Never throws and never rejects: every failure is in the reply. The
   * reply is synchronous if all functions return synchronously.
   */
  handle(message: unknown, caller: Caller): Reply | Promise<Reply> {
    if (Array.isArray(message)) return this.#batch(message, caller);
    if (!isRecord(message)) return NOT_AN_OBJECT;
    const { jsonrpc, method, params } = message;
    const id = idText(message['id']);
    if (id === null) {
      const why = 'an id is a string, a number or null';
      return errorText('null', fault('INVALID_REQUEST', why));
    }
    const error = requestErrorOf(jsonrpc, method, params);
    if (error !== undefined) return errorText(id ?? 'null', fault('INVALID_REQUEST', error));
    if (params instanceof InexactParams) return this.#failure(id, fault('INEXACT_NUMBER', params.numeral));
    let release: (() => void) | undefined;
    try {
      if (caller.role !== 'owner') release = this.#calls.take(caller);
      const result = this.#dispatcher.call(method as string, params ?? undefined, caller);
      if (result instanceof Promise) {
        const done = release;
        release = undefined;
        return result
          .then(
            (value) => this.#resultText(id, value),
            (thrown: unknown) => this.#failure(id, thrown),
          )
          .finally(done);
      }
      return this.#resultText(id, result);
    } catch (thrown) {
      return this.#failure(id, thrown);
    } finally {
      release?.();
    }
  }

  /**
   * The calls are started in order; asynchronous ones run concurrently, so that they can share a commit.
   */
  async #batch(requests: readonly unknown[], caller: Caller): Promise<string | undefined> {
    if (requests.length === 0)
      return errorText('null', fault('INVALID_REQUEST', coded`EMPTY_BATCH: an empty batch`));
    if (requests.length > this.#batchLimit) {
      const why = `a batch may hold at most ${this.#batchLimit} requests (api.batchLimit)`;
      return errorText('null', fault('INVALID_REQUEST', why));
    }
    let release: (() => void) | undefined;
    try {
      if (caller.role !== 'owner') release = this.#batches.take(caller);
      return await this.#all(requests, caller);
    } catch (thrown) {
      return this.#failure('null', thrown);
    } finally {
      release?.();
    }
  }

  async #all(requests: readonly unknown[], caller: Caller): Promise<string | undefined> {
    const replies: (string | undefined | Promise<string | undefined>)[] = [];
    const isOfFront = caller.role !== 'owner';
    const textLimit = isOfFront ? FRONT_BATCH_TEXT_LIMIT : BATCH_TEXT_LIMIT;
    let length = 0;
    let sliceEnds = this.#clock.monotonicNs() + SLICE_NS;
    for (const request of requests) {
      const reply =
        length > textLimit
          ? tooLong(request)
          : completeReply(Array.isArray(request) ? NOT_AN_OBJECT : this.handle(request, caller));
      // A text in chunks takes several iterations of the event loop; the next call waits, so that only one is
      // built at a time.
      const text = reply instanceof JoinedReply ? await reply.text : reply;
      if (typeof text === 'string') length += text.length;
      replies.push(text);
      const before = isOfFront ? replies.length - FRONT_BATCH_IN_FLIGHT : -1;
      if (replies[before] instanceof Promise) {
        replies[before] = await replies[before];
        length += replies[before]?.length ?? 0;
      }
      if (this.#clock.monotonicNs() < sliceEnds) continue;
      await yieldToEventLoop();
      sliceEnds = this.#clock.monotonicNs() + SLICE_NS;
    }
    const texts: string[] = [];
    for (const reply of replies) {
      const text = reply instanceof Promise ? await reply : reply;
      if (text !== undefined) texts.push(text);
    }
    return texts.length === 0 ? undefined : `[${texts.join(',')}]`;
  }

  #resultText(id: string | undefined, result: unknown): Reply {
    if (result instanceof ChunkedResult) {
      if (id !== undefined) return new ChunkedReply(id, result);
      result.close();
      return undefined;
    }
    if (id === undefined) return undefined;
    try {
      return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result) ?? 'null'}}`;
    } catch (thrown) {
      return this.#failure(id, thrown);
    }
  }

  #failure(id: string | undefined, thrown: unknown): string | undefined {
    const failed = this.#faultOf(thrown);
    return id === undefined ? undefined : errorText(id, failed);
  }

  #faultOf(thrown: unknown): Fault {
    if (thrown instanceof Fault) return thrown;
    if (isAbort(thrown)) return fault('STOPPING');
    this.#log.error(
      { error: messageOf(thrown), stack: (thrown as Error)?.stack },
      'a call failed unexpectedly',
    );
    return faultFrom(thrown, 'INTERNAL');
  }
}

/** The text of an error reply (JSON-RPC 2.0 §5.1); `id` is JSON text. */
export function errorText(id: string, { rpc, message, code, parameters = [], details }: Fault): string {
  const madeFrom = parameters.length === 0 ? {} : { parameters: parameters.map(parameterRecord) };
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: rpc, message, data: { code, ...madeFrom, ...details } })}}`;
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The id as JSON text for the reply; undefined for a notification, null if it is not a valid id. */
function idText(id: unknown): string | undefined | null {
  switch (typeof id) {
    case 'string':
      return JSON.stringify(id);
    case 'number':
      // A number beyond all doubles is read as infinity, which JSON cannot express.
      return Number.isFinite(id) ? String(id) : null;
    case 'bigint':
      return String(id);
    case 'undefined':
      return undefined;
    default:
      return id === null ? 'null' : null;
  }
}

/**
 * The error in a request (JSON-RPC 2.0 §4); undefined if it is valid. `params: null` counts as absent,
 * because many clients send it.
 */
function requestErrorOf(jsonrpc: unknown, method: unknown, params: unknown): string | undefined {
  if (jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (typeof method !== 'string') return 'method must be a string';
  if (params !== undefined && typeof params !== 'object') return 'params must be an array or an object';
  return undefined;
}

function tooLong(request: unknown): string | undefined {
  const id = isRecord(request) ? idText(request['id']) : null;
  const why = 'the replies to the calls before it are too long; send it in a separate batch';
  return id === undefined ? undefined : errorText(id ?? 'null', fault('INVALID_REQUEST', why));
}

/** A text that is being joined from its chunks. */
class JoinedReply {
  readonly text: Promise<string>;
  constructor(chunks: JsonChunks) {
    this.text = joinChunks(chunks);
  }
}

function completeReply(
  reply: Reply | Promise<Reply>,
): string | undefined | JoinedReply | Promise<string | undefined> {
  if (reply instanceof Promise) return reply.then((late) => (isChunked(late) ? joinChunks(late) : late));
  return isChunked(reply) ? new JoinedReply(reply) : reply;
}

function isChunked(reply: Reply): reply is JsonChunks {
  return typeof reply === 'object';
}

/** The reply around a chunked result. */
class ChunkedReply implements JsonChunks {
  readonly #result: JsonChunks;
  #head: string;
  #open = true;

  constructor(id: string, result: JsonChunks) {
    this.#result = result;
    this.#head = `{"jsonrpc":"2.0","id":${id},"result":`;
  }

  next(): string | undefined {
    if (!this.#open) return undefined;
    const chunk = this.#result.next();
    if (chunk === undefined) this.#open = false;
    const text = this.#head + (chunk ?? '}');
    this.#head = '';
    return text;
  }

  close(): void {
    this.#open = false;
    this.#result.close();
  }
}
