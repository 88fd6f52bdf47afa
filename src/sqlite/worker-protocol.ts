import type { ParameterRecord } from '../base/codes/coded-text.js';
import type { FaultCode } from '../base/fault.js';

/**
 * The requests that a worker serves: the name of each, its fields and its reply. `open` comes first. A
 * request has no field `id`: the client numbers the messages.
 */
export type WorkerRequests<R> = Record<keyof R, { request: object & { id?: never }; reply: object }> & {
  open: unknown;
};

/** A request as it is sent to the worker. */
export type WorkerRequest<R extends Record<keyof R, { request: object }>> = {
  [Q in keyof R]: { readonly id: number; readonly request: Q } & R[Q]['request'];
}[keyof R];

/** Why a request failed. Has SQLite's result code, the code of a fault, or neither. */
export interface WorkerFailure {
  readonly message: string;
  readonly sqlite?: number | undefined;
  readonly fault?: FaultCode | undefined;
  /** The parameters of the fault's text. */
  readonly parameters?: readonly ParameterRecord[] | undefined;
}

/** The reply to the request with this id. */
export type WorkerReply =
  { readonly id: number; readonly reply: object } | { readonly id: number; readonly failure: WorkerFailure };
