import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';

/**
 * Prints a line on stdout before it returns, for a program that a test kills: the line is in the pipe then. The
 * reader may be slow, and the pipe full; then it waits.
 */
export async function printLine(line: string): Promise<void> {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0)
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') throw thrown;
      await turn();
    }
}
