import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Program } from '../program.js';
import { until } from '../until.js';
import { existsSync } from 'node:fs';

/** Two serial ports joined by a virtual cable: bytes written to one are received by the other. */
export interface PtyPair extends AsyncDisposable {
  readonly near: string;
  readonly far: string;
  readonly program: Program;
}

/**
 * Joins two pseudo-terminals with socat; they appear under the given names in `directory`, until it exits.
 */
export async function openPtyPair(
  directory: string,
  names: readonly [string, string] = ['near', 'far'],
): Promise<PtyPair> {
  const [near, far] = [join(directory, names[0]), join(directory, names[1])];
  const program = new Program('socat', [`pty,rawer,link=${near}`, `pty,rawer,link=${far}`]);
  await until('two pseudo-terminals', () => {
    if (!program.isRunning) throw new Error(`socat exited: ${program.output}`);
    return existsSync(near) && existsSync(far);
  });
  const end = async () => {
    await program.end();
    await Promise.all([rm(near, { force: true }), rm(far, { force: true })]);
  };
  return { near, far, program, [Symbol.asyncDispose]: end };
}
