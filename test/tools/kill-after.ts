import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { withinPatience } from './until.js';

/** Runs a program that writes into a directory until it has done so for `ms`, kills it, and gives the lines that it had said. */
export async function killAfter(ms: number, program: string, directory: string): Promise<string[]> {
  const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await withinPatience('the writer', once(child.stdout, 'data'));
  // Not a wait for something to happen: the moment of the blow is what varies.
  await sleep(ms);
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  // The last line may be cut.
  return output.split('\n').slice(0, -1);
}
