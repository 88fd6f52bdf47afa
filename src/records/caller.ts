/** What calls functions of the gateway: a client, or a page. Rejects with an `RpcError` if the gateway replies so. */
export interface Caller {
  call(method: string, ...params: unknown[]): Promise<unknown>;
}
