/** Any name, any parameters, an unknown result: for aliases and for functions newer than this client. */
export interface AnyFunction {
  [name: string]: (...params: unknown[]) => unknown;
}

/** What a table of functions must look like to be used with the client. */
export type FunctionTable<F> = { [M in keyof F]: (...params: never[]) => unknown };
