import type { Access, Caller } from '../../device/declare.js';

/** What must be known of a function before it is called: who may, and what its first parameter is called. */
export interface FunctionFacts {
  readonly access: Access;
  readonly parameters: readonly { readonly name: string }[];
}

/** The functions, as the API needs them. */
export interface Dispatcher {
  /**
   * Calls a function. Returns its result, a `ChunkedResult`, or a promise of one; throws or rejects with a
   * `Fault`. `params` is what stood in the request: an array, an object of named parameters, or undefined.
   */
  call(method: string, params: unknown, caller: Caller): unknown;
  /** Undefined when there is no such function. Aliases are resolved. */
  find(method: string): FunctionFacts | undefined;
}

/** The caller without credentials: may call public functions only. */
export function anonymous(remote: string): Caller {
  return { role: 'anonymous', user: '', remote };
}
