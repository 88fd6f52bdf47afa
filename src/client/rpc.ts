import { RpcError, ServerError } from './errors.js';

/** Positional parameters, or named ones by the names of the command reference. */
export type Params = readonly unknown[] | Readonly<Record<string, unknown>>;

/** What one call of a batch came to. */
export type Answer<T> =
  { readonly ok: true; readonly result: T } | { readonly ok: false; readonly error: RpcError };

/**
 * The text of one request. Throws a `TypeError` for what JSON would silently turn into null (NaN, infinities,
 * undefined): null is a value to `SetValue`.
 */
export function encodeRequest(id: string, method: string, params: Params): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params }, rejectSilentNull);
}

function rejectSilentNull(this: unknown, key: string, value: unknown): unknown {
  const vanishes =
    typeof value === 'number' ? !Number.isFinite(value) : value === undefined && Array.isArray(this);
  if (vanishes) throw new TypeError(`A parameter is ${String(value)}, which JSON cannot say (at ${key})`);
  return value;
}

/**
 * Reads the answer to the request with this id (JSON-RPC 2.0 §5). An error with the id null is taken too: the
 * gateway could not read as far as the id. Throws a `ServerError` for what is no such answer.
 */
export function readAnswer(body: unknown, id: string): Answer<unknown> {
  if (isRecord(body) && body['jsonrpc'] === '2.0') {
    const error = body['error'];
    if (error === undefined && body['id'] === id && 'result' in body)
      return { ok: true, result: body['result'] };
    if (isRecord(error) && (body['id'] === id || body['id'] === null)) {
      const { code, message, data } = error;
      if (typeof code === 'number' && typeof message === 'string') {
        return { ok: false, error: new RpcError(code, message, data) };
      }
    }
  }
  throw new ServerError('The answer is not a JSON-RPC answer to this call');
}

/** Reads the replies to a batch, which may come in any order, into the order of the ids. */
export function readBatch(body: unknown, ids: readonly string[]): Answer<unknown>[] {
  if (!Array.isArray(body)) {
    const answer = readAnswer(body, '');
    throw answer.ok ? new ServerError('The answer to a batch is not a list') : answer.error;
  }
  const byId = new Map(body.filter(isRecord).map((answer) => [answer['id'], answer]));
  return ids.map((id) => readAnswer(byId.get(id), id));
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
