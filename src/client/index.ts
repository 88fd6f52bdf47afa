/** The client for programs, in Node and in browsers: `import { Client } from 'stellwerk-client'`. */
export { type BatchCall, type CallOptions, Client, type ClientOptions } from './client.js';
export type { ChangeOptions, Item } from './changes.js';
export type * from '../base/codes/stable-codes.js';
export { RpcError, ServerError } from './errors.js';
export type { Functions } from './generated/functions.js';
export type * from './generated/records.js';
export type { Outcome, Outcome as Answer, Params } from './rpc.js';
export type { Timing } from './timing.js';
export type { AnyFunction, FunctionTable } from './function-table.js';
