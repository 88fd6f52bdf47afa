import { setFlagsFromString } from 'node:v8';

/** V8's flag for its linear engine. */
const LINEAR = 'l';

/**
 * A regular expression for hostile text: it takes time in proportion to the text, whatever the two are. V8 matches as
 * usual and goes over to its linear engine where an attempt backtracks too often; what that engine can't do (back
 * references, look-ahead, counts above 16) is refused. Throws a SyntaxError that says what is wrong.
 */
export function compileLinearPattern(source: string): RegExp {
  // Flags of the process; setting them again changes nothing.
  setFlagsFromString('--enable-experimental-regexp-engine');
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
  const pattern = new RegExp(source);
  try {
    new RegExp(source, LINEAR);
  } catch (thrown) {
    throw new SyntaxError(
      `/${source}/ could take for ever on a bad text: back references, look-ahead and counts above 16 are not supported`,
      { cause: thrown },
    );
  }
  return pattern;
}
