import { RpcError, ServerError } from './errors.js';

/** Positional parameters, or named ones by the names of the command reference. */
export type Params = readonly unknown[] | Readonly<Record<string, unknown>>;

/** The outcome of a call. */
export type Outcome<T> =
  { readonly ok: true; readonly result: T } | { readonly ok: false; readonly error: RpcError };

/**
 * Encodes a request. Throws a `TypeError` for values that JSON would silently convert to null (NaN,
 * infinities, undefined), because `SetValue` accepts null as a value.
 */
export function encodeRequest(id: string, method: string, params: Params): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params }, rejectSilentNull);
}

function rejectSilentNull(this: unknown, key: string, value: unknown): unknown {
  const isLost =
    typeof value === 'number' ? !Number.isFinite(value) : value === undefined && Array.isArray(this);
  if (isLost) throw new TypeError(`A parameter is ${String(value)}, which JSON cannot represent (at ${key})`);
  return value;
}

/**
 * Reads the reply to the request with this id (JSON-RPC 2.0 §5). Accepts an error with the id null, which
 * means that the gateway could not read the id. Throws a `ServerError` if the body is not such a reply.
 */
export function readReply(body: unknown, id: string): Outcome<unknown> {
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
  throw new ServerError('The response is not a JSON-RPC reply to this call');
}

/** Reads the replies to a batch, which may be in any order; returns the outcomes in the order of the ids. */
export function readBatch(body: unknown, ids: readonly string[]): Outcome<unknown>[] {
  if (!Array.isArray(body)) {
    const outcome = readReply(body, '');
    throw outcome.ok ? new ServerError('The reply to a batch is not an array') : outcome.error;
  }
  const byId = new Map(body.filter(isRecord).map((reply) => [reply['id'], reply]));
  return ids.map((id) => readReply(byId.get(id), id));
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
