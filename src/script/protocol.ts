/** What the gateway says to a script's process, and what that answers: a JSON text a line, over descriptor 3. */
export type ToChild =
  | { readonly is: 'functions'; readonly names: readonly string[] }
  | {
      readonly is: 'run';
      readonly file: string;
      readonly text: string;
      readonly values: Readonly<Record<string, unknown>>;
      /** Characters that it may print. */
      readonly outputLimit: number;
    }
  | { readonly is: 'result'; readonly value: unknown }
  | { readonly is: 'fault'; readonly message: string; readonly code: string };

export type FromChild =
  | { readonly is: 'call'; readonly method: string; readonly params: readonly unknown[] }
  | { readonly is: 'ended'; readonly output: string }
  | {
      readonly is: 'failed';
      readonly output: string;
      readonly message: string;
      readonly line: number;
      readonly isSyntax: boolean;
    };

/** The descriptor in the child. */
export const CHANNEL = 3;
