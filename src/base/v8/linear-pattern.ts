import { channel } from 'node:diagnostics_channel';

/** Compiles a pattern for V8's linear engine only. */
const LINEAR = 'l';

/** The V8 flags that a process needs for {@link compileLinearPattern}. */
export const LINEAR_PATTERN_FLAGS = [
  '--enable-experimental-regexp-engine',
  '--enable-experimental-regexp-engine-on-excessive-backtracks',
] as const;

/** Published when a pattern is about to be compiled without the flags. */
const flagsNeeded = channel('stellwerk:linear-pattern-flags');

/**
 * Calls `setFlags` as soon as a pattern needs {@link LINEAR_PATTERN_FLAGS}; only the program that runs in the
 * process does this (`src/main.ts`). It is not done earlier, because V8 discards the compiled code of Node's
 * own modules once the flags differ from those it was compiled with: a fifth of the time of a start.
 */
export function onFirstLinearPattern(setFlags: () => void): void {
  flagsNeeded.subscribe(setFlags);
}

/**
 * Compiles a regular expression for untrusted text: matching takes time linear in the length of the text. V8
 * matches as usual and switches to its linear engine if an attempt backtracks too often. Throws a SyntaxError
 * that says what is wrong: the pattern itself, a construct that the linear engine does not support
 * (backreferences, lookarounds, counts above 16), or a process without that engine.
 */
export function compileLinearPattern(source: string): RegExp {
  const pattern = new RegExp(source);
  if (!isAvailable()) flagsNeeded.publish(undefined);
  if (!isAvailable())
    throw new SyntaxError(
      `/${source}/ cannot be used: this process was started without the V8 flag ${LINEAR_PATTERN_FLAGS[0]}`,
    );
  try {
    new RegExp(source, LINEAR);
  } catch (thrown) {
    throw new SyntaxError(
      `/${source}/ could run indefinitely on some texts: backreferences, lookarounds and counts above 16 are not supported`,
      { cause: thrown },
    );
  }
  return pattern;
}

function isAvailable(): boolean {
  try {
    return new RegExp('', LINEAR).test('');
  } catch {
    return false;
  }
}
