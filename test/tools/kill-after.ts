import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { withinPatience } from './until.js';

/**
 * Runs a program that writes to a directory, kills it after `ms`, and returns the lines that it has printed.
 */
export async function killAfter(ms: number, program: string, directory: string): Promise<string[]> {
  const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await withinPatience('the writer', once(child.stdout, 'data'));
  // Nothing is waited for: the moment of the kill is what varies.
  await sleep(ms);
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  // The last line may be cut.
  return output.split('\n').slice(0, -1);
}
