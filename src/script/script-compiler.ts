import { stripTypeScriptTypes } from 'node:module';
import { Script, type ScriptOptions } from 'node:vm';
import { findPosition, STACK_PREFIX, type SourcePosition, type ScriptText } from './protocol.js';

/** A compiled script, ready to run in a context. */
export interface CompiledScript {
  readonly script: Script;
  /** Whether it returns a promise, as its text uses `await`. */
  readonly isAsync: boolean;
}

/** Called for a dynamic import; throws. */
type OnImport = () => never;

/**
 * Wraps a text with `await` in an async function, without a line break, so that line numbers are unchanged.
 */
const ASYNC_WRAPPER = ['(async () => {', '\n})()'] as const;

/** A text that can't be compiled. */
export class CompileError extends Error {
  override readonly name = 'CompileError';
  readonly at: SourcePosition | undefined;
  constructor(thrown: unknown, { instead, also }: { readonly instead?: string; readonly also?: string }) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    super(instead ?? (also === undefined ? message : `${message}; ${also}`));
    this.at = thrown instanceof Error ? positionOf(String(thrown.stack)) : undefined;
  }
}

/**
 * Compiles a text. Strips types from `.ts` files without changing positions. The result is a script whose
 * functions and variables are global, including for scripts that include it; a text with `await` is wrapped
 * in a function. Pass `onImport` for texts that are going to run. Throws a {@link CompileError}.
 */
export function compile({ file, text }: ScriptText, canAwait: boolean, onImport?: OnImport): CompiledScript {
  const filename = STACK_PREFIX + file;
  try {
    const source = file.endsWith('.ts') ? stripTypeScriptTypes(text, { sourceUrl: filename }) : text;
    const options = onImport === undefined ? { filename } : { filename, importModuleDynamically: onImport };
    return compileScript(source, options, canAwait);
  } catch (thrown) {
    throw new CompileError(thrown, hintFor(file, text));
  }
}

/** Clients of the original product store PHP. */
const PHP = 'this gateway runs JavaScript and TypeScript; this text is PHP';
const TYPES = 'types are TypeScript: rename the file to end in .ts';

/** A hint in place of, or in addition to, the engine's error. */
function hintFor(file: string, text: string): { readonly instead?: string; readonly also?: string } {
  if (/^\s*<\?|<\?php\b/i.test(text)) return { instead: PHP };
  if (file.endsWith('.ts')) return {};
  try {
    const source = stripTypeScriptTypes(text);
    if (source === text) return {};
    compileScript(source, {}, true);
    return { also: TYPES };
  } catch {
    return {};
  }
}

function compileScript(source: string, options: ScriptOptions, canAwait: boolean): CompiledScript {
  try {
    return { script: new Script(source, options), isAsync: false };
  } catch (thrown) {
    if (!canAwait || !/\bawait\b/.test(source)) throw thrown;
    const [before, after] = ASYNC_WRAPPER;
    try {
      const shifted = { ...options, columnOffset: -before.length };
      return { script: new Script(before + source + after, shifted), isAsync: true };
    } catch (second) {
      // Report the error that is not about `await` itself.
      throw /await|reserved word/.test(String(thrown)) ? second : thrown;
    }
  }
}

/**
 * The position of a compile error in the engine's output: file and line, some lines of the text, and carets
 * below the last.
 */
function positionOf(stack: string): SourcePosition | undefined {
  const [, file, line, code = '', blanks] = ERROR_OUTPUT.exec(stack) ?? [];
  if (file === undefined) return findPosition(stack);
  const column = blanks === undefined ? 0 : blanks.length + 1;
  const shift = code.startsWith(ASYNC_WRAPPER[0]) ? ASYNC_WRAPPER[0].length : 0;
  return { file, line: Number(line), column: Math.max(0, column - shift) };
}

const ERROR_OUTPUT = new RegExp(
  `^${STACK_PREFIX}([\\w.-]+):(\\d+)\\n(?:(?:.*\\n){0,3}?(.*)\\n([ \\t]*)\\^)?`,
);
