import { ownerLine } from '../gateway/api-fixture.js';
import { RawConnection, rawPost, type RawResponse } from './raw-http.js';

/** Where a gateway, or an API on a made-up world, is reached: a port of 127.0.0.1. */
export interface ApiAddress {
  readonly port: number;
}

/** The text of a JSON-RPC call. */
export const callText = (method: string, params: unknown, id: unknown = '1') =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** One exchange on a connection of its own, said exactly so. */
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

/** A JSON-RPC answer. */
export interface Reply {
  id: unknown;
  result?: unknown;
  error?: { code: number; data: { code: string } };
}

/** The one answer in a response. */
export const replyIn = ({ body }: RawResponse) => JSON.parse(body) as Reply;
/** The stable name of the failure in it. */
export const errorCodeOf = (response: RawResponse) => replyIn(response).error?.data.code;
/** The result, the failure's name. */
export const resultOrCode = ({ result, error }: Reply) => result ?? error?.data.code;
/** {@link resultOrCode} of the one answer, or the status where that is not 200. */
export const resultOrStatus = (response: RawResponse) =>
  response.status === 200 ? resultOrCode(replyIn(response)) : response.status;

/** Calls as the owner: the result, or the failure's name, or the status where that is not 200. */
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
