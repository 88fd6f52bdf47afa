/** Where in a script something is; `line` and `column` count from 1, 0 is not known. */
export interface SourcePosition {
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
  | RunResult
  | RunFailure;

export interface RunResult {
  readonly is: 'ended';
  readonly output: string;
  /** The most memory that the process has had, bytes. */
  readonly peakBytes: number;
}

export interface RunFailure {
  readonly is: 'failed';
  readonly message: string;
  readonly at: SourcePosition | undefined;
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
export function findPosition(stack: string): SourcePosition | undefined {
  const [, file = '', line, column] = STACK_PLACE.exec(stack) ?? [];
  return line === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}

const STACK_PLACE = new RegExp(`${STACK_PREFIX}([\\w.-]+):(\\d+):(\\d+)`);

/**
 * A message from a script's process, as it is declared: whoever broke out of a script can write anything. Throws a
 * TypeError or SyntaxError for what is none.
 */
export function parseMessage(line: string): FromChild {
  const said = record(JSON.parse(line));
  switch (said['is']) {
    case 'call':
      return { is: 'call', method: text(said['method']), params: list(said['params']) };
    case 'include':
      return { is: 'include', what: said['what'] };
    case 'ended':
      return { is: 'ended', output: text(said['output']), peakBytes: number(said['peakBytes']) };
    case 'failed':
      return {
        is: 'failed',
        message: text(said['message']),
        at: said['at'] === undefined ? undefined : placeFrom(record(said['at'])),
        output: text(said['output']),
        isBroken: said['isBroken'] === true,
        isLast: said['isLast'] === true,
        peakBytes: number(said['peakBytes']),
      };
    default:
      throw new TypeError('no message of a script');
  }
}

const placeFrom = ({ file, line, column }: Readonly<Record<string, unknown>>): SourcePosition => ({
  file: text(file),
  line: number(line),
  column: number(column),
});

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new TypeError('no record');
  return value as Readonly<Record<string, unknown>>;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('no text');
  return value;
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError('no number');
  return value;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('no list');
  return value;
}
