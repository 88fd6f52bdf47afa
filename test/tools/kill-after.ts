import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { withinPatience } from './until.js';

/** A few times what a write takes, ms. */
const MOMENT_MS = 20;

/**
 * Runs a program that writes to a directory, kills it at a random moment after it has printed `lines` lines,
 * and returns all lines that it has printed.
 */
export async function killAfter(lines: number, program: string, directory: string): Promise<string[]> {
  const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let output = '';
  // The last line may be cut.
  const printed = () => output.split('\n').slice(0, -1);
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (printed().length >= lines) resolve();
  });
  const early = closed.then(() => Promise.reject(new Error(`The writer has ended: ${output}`)));
  await withinPatience(`${lines} lines of the writer`, Promise.race([arrived, early]));
  // Nothing is waited for: what the kill interrupts is what varies.
  await sleep(Math.random() * MOMENT_MS);
  early.catch(() => undefined);
  child.kill('SIGKILL');
  await closed;
  return printed();
}
