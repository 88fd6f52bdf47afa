import { ownerLine } from '../gateway/api-fixture.js';
import { RawConnection, rawPost, type RawResponse } from './raw-http.js';

/** The address of a gateway, or of an API over a fake tree: a port of 127.0.0.1. */
export interface ApiAddress {
  readonly port: number;
}

/** The text of a JSON-RPC call. */
export const callText = (method: string, params: unknown, id: unknown = '1') =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** Sends exactly these bytes on a new connection and returns the response. */
export async function exchangeRaw(at: ApiAddress, text: string | Buffer): Promise<RawResponse> {
  await using connection = await RawConnection.open(at.port);
  connection.write(text);
  return await connection.response();
}

/** A POST to `/api/`, as the owner unless other headers are given. */
export const post = (
  at: ApiAddress,
  body: string,
  headers: readonly string[] = [ownerLine],
): Promise<RawResponse> => exchangeRaw(at, rawPost({ port: at.port, headers, body }));

/** A JSON-RPC reply. */
export interface Reply {
  id: unknown;
  result?: unknown;
  error?: { code: number; data: { code: string } };
}

/** The reply in a response. */
export const replyIn = ({ body }: RawResponse) => JSON.parse(body) as Reply;
/** The error code of the reply in a response; undefined if the call succeeded. */
export const errorCodeOf = (response: RawResponse) => replyIn(response).error?.data.code;
/** The result, or the code of the fault. */
export const resultOrCode = ({ result, error }: Reply) => result ?? error?.data.code;
/** {@link resultOrCode} of a single reply, or the status if it is not 200. */
export const resultOrStatus = (response: RawResponse) =>
  response.status === 200 ? resultOrCode(replyIn(response)) : response.status;

/** Calls as the owner: the result, the code of the fault, or the HTTP status if that is not 200. */
export const rpc = async (at: ApiAddress, method: string, ...params: unknown[]): Promise<unknown> =>
  resultOrStatus(await post(at, callText(method, params)));

/** The id of the object at an ident path (`ground_floor/hall_relay`). */
export async function idOf(at: ApiAddress, path: string): Promise<number> {
  let id: unknown = 0;
  for (const ident of path.split('/')) id = await rpc(at, 'SVC_GetObjectIDByIdent', ident, id);
  if (typeof id !== 'number') throw new Error(`${path}: ${String(id)}`);
  return id;
}

/** The value of the variable at an ident path. */
export const valueAt = async (at: ApiAddress, path: string): Promise<unknown> =>
  rpc(at, 'GetValue', await idOf(at, path));
