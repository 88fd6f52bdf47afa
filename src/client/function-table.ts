/** Any name, any parameters, an unknown result: for aliases and for functions newer than this client. */
export interface AnyFunction {
  [name: string]: (...params: unknown[]) => unknown;
}

/** The constraint for a table of functions of the client. */
export type FunctionTable<F> = { [M in keyof F]: (...params: never[]) => unknown };
