import type { Access, Caller } from '../../device/declare.js';

/** What is known of a function before it is called: who may call it, and the names of its parameters. */
interface FunctionSignature {
  readonly access: Access;
  readonly parameters: readonly { readonly name: string }[];
}

/** The functions, as the API needs them. */
export interface Dispatcher {
  /**
   * Calls a function. Returns its result, a `ChunkedResult`, or a promise of one; throws or rejects with a
   * `Fault`. `params` is as in the request: an array, an object of named parameters, or undefined.
   */
  call(method: string, params: unknown, caller: Caller): unknown;
  /** Undefined when there is no such function. Aliases are resolved. */
  find(method: string): FunctionSignature | undefined;
}

/** The caller without credentials: may call public functions only. */
export function anonymous(remote: string): Caller {
  return { role: 'anonymous', user: '', remote };
}
