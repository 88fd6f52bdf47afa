/** A position in a script; `line` and `column` count from 1, 0 is unknown. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The text of a script and the name of its file. */
export interface ScriptText {
  readonly file: string;
  readonly text: string;
}

/** Messages between the gateway and a script process: one JSON text per line, over descriptor 3. */
export type ToChild =
  | { readonly is: 'functions'; readonly names: readonly string[] }
  /** Check whether a text can be compiled, without running it. */
  | ({ readonly is: 'check' } & ScriptText)
  | ({
      readonly is: 'run';
      readonly values: Readonly<Record<string, unknown>>;
      /** The limit of its output, characters. */
      readonly outputLimit: number;
    } & ScriptText)
  | { readonly is: 'result'; readonly value: unknown }
  | { readonly is: 'fault'; readonly message: string; readonly code: string }
  /** Instead of a reply: the script must report its position, and the process must end. */
  | { readonly is: 'stop'; readonly why: string };

export type FromChild =
  | { readonly is: 'call'; readonly method: string; readonly params: readonly unknown[] }
  /** Requests the text of another script: its id or its file. */
  | { readonly is: 'include'; readonly what: unknown }
  | RunResult
  | RunFailure;

export interface RunResult {
  readonly is: 'ended';
  readonly output: string;
  /** The peak memory of the process, bytes. */
  readonly peakBytes: number;
}

export interface RunFailure {
  readonly is: 'failed';
  readonly message: string;
  readonly at: SourcePosition | undefined;
  /** The output up to the failure. */
  readonly output: string;
  /** Whether the script's own text can't be compiled. */
  readonly isBroken: boolean;
  /** Whether the process ends. */
  readonly isLast: boolean;
  readonly peakBytes: number;
}

/** The descriptor of the channel in the child. */
export const CHANNEL = 3;

/** The limit of one call from a script, bytes: a value of 1 MiB with room for its JSON. */
export const CALL_LIMIT = 16 * 1024 * 1024;

/** The prefix of script file names in stack traces, which distinguishes them from the gateway's own files. */
export const STACK_PREFIX = 'script:';

/** The topmost position in a script in a stack trace. */
export function findPosition(stack: string): SourcePosition | undefined {
  const [, file = '', line, column] = STACK_PLACE.exec(stack) ?? [];
  return line === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}

const STACK_PLACE = new RegExp(`${STACK_PREFIX}([\\w.-]+):(\\d+):(\\d+)`);

/**
 * Parses and validates a message from a script process, because code that has escaped its realm could write
 * anything. Throws a TypeError or SyntaxError for invalid messages.
 */
export function parseMessage(line: string): FromChild {
  const message = record(JSON.parse(line));
  switch (message['is']) {
    case 'call':
      return { is: 'call', method: text(message['method']), params: list(message['params']) };
    case 'include':
      return { is: 'include', what: message['what'] };
    case 'ended':
      return { is: 'ended', output: text(message['output']), peakBytes: number(message['peakBytes']) };
    case 'failed':
      return {
        is: 'failed',
        message: text(message['message']),
        at: message['at'] === undefined ? undefined : positionFrom(record(message['at'])),
        output: text(message['output']),
        isBroken: message['isBroken'] === true,
        isLast: message['isLast'] === true,
        peakBytes: number(message['peakBytes']),
      };
    default:
      throw new TypeError('not a message of a script process');
  }
}

const positionFrom = ({ file, line, column }: Readonly<Record<string, unknown>>): SourcePosition => ({
  file: text(file),
  line: number(line),
  column: number(column),
});

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  return value as Readonly<Record<string, unknown>>;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a string');
  return value;
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError('not a number');
  return value;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not an array');
  return value;
}
