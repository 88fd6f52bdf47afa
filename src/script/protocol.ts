/** Where in a script something is; `line` and `column` count from 1, 0 is not known. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A script's text with the name of its file. */
export interface ScriptText {
  readonly file: string;
  readonly text: string;
}

/** What the gateway says to a script's process, and what that answers: a JSON text a line, over descriptor 3. */
export type ToChild =
  | { readonly is: 'functions'; readonly names: readonly string[] }
  /** To be looked at whether it can be run, and not run. */
  | ({ readonly is: 'check' } & ScriptText)
  | ({
      readonly is: 'run';
      readonly values: Readonly<Record<string, unknown>>;
      /** Characters that it may print. */
      readonly outputLimit: number;
    } & ScriptText)
  | { readonly is: 'result'; readonly value: unknown }
  | { readonly is: 'fault'; readonly message: string; readonly code: string }
  /** In place of an answer: the script is to say where it is, and the process to end. */
  | { readonly is: 'stop'; readonly why: string };

export type FromChild =
  | { readonly is: 'call'; readonly method: string; readonly params: readonly unknown[] }
  /** A call for the text of another script: its id or its file. */
  | { readonly is: 'include'; readonly what: unknown }
  | Ended
  | Failed;

export interface Ended {
  readonly is: 'ended';
  readonly output: string;
  /** The most memory that the process has had, bytes. */
  readonly peakBytes: number;
}

export interface Failed {
  readonly is: 'failed';
  readonly message: string;
  readonly at: Place | undefined;
  /** What was printed until then. */
  readonly output: string;
  /** The script's own text can't be compiled. */
  readonly isBroken: boolean;
  /** The process ends: it runs no other. */
  readonly isLast: boolean;
  readonly peakBytes: number;
}

/** The descriptor in the child. */
export const CHANNEL = 3;

/** One call from a script: a value of 1 MiB with room for its JSON. More is a script gone wild. */
export const CALL_LIMIT = 16 * 1024 * 1024;

/** What stands before the name of a script's file in the engine's stacks: told apart from the gateway's own files. */
export const STACK_PREFIX = 'script:';

/** The uppermost place in a script that a stack names. */
export function placeIn(stack: string): Place | undefined {
  const [, file = '', line, column] = STACK_PLACE.exec(stack) ?? [];
  return line === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}

const STACK_PLACE = new RegExp(`${STACK_PREFIX}([\\w.-]+):(\\d+):(\\d+)`);
