/** Compiles a pattern for V8's linear engine only. */
const LINEAR = 'l';

/**
 * The V8 flags that a process needs for {@link compileLinearPattern}. The program that runs in the process
 * sets them when it starts (`src/main.ts`), before anything compiles a pattern.
 */
export const LINEAR_PATTERN_FLAGS = [
  '--enable-experimental-regexp-engine',
  '--enable-experimental-regexp-engine-on-excessive-backtracks',
] as const;

/**
 * Compiles a regular expression for untrusted text: matching takes time linear in the length of the text. V8
 * matches as usual and switches to its linear engine if an attempt backtracks too often. Throws a SyntaxError
 * that says what is wrong: the pattern itself, a construct that the linear engine does not support
 * (backreferences, lookarounds, counts above 16), or a process without that engine.
 */
export function compileLinearPattern(source: string): RegExp {
  const pattern = new RegExp(source);
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
