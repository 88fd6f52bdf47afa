import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { OWNER } from './api-fixture.js';
import type { ApiAddress } from '../client/json-rpc.js';
import { BIN } from './gateway-fixture.js';
import { environment, Program } from '../program.js';
import { withinPatience } from '../until.js';

/** What a command said, and how it ended. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `bin/stellwerk` to its end, without a terminal; `input` is its stdin. */
export async function runCli(args: readonly string[], { input = '', env = {} } = {}): Promise<CommandResult> {
  const child = spawn(BIN, args, { env: environment({ STELLWERK_CONFIG: '', ...env }) });
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await withinPatience(
    `the end of stellwerk ${args.join(' ')}`,
    Promise.all([text(child.stdout), text(child.stderr), ended]),
  );
  return { code, stdout, stderr };
}

/** The address of a gateway, with the owner's credentials. */
export function addressOf({ port }: ApiAddress): string {
  return `http://${encodeURIComponent(OWNER.username)}:${OWNER.password}@127.0.0.1:${port}/api/`;
}

/**
 * Runs a shell's command on a terminal of its own (by script(1)), and answers what it asks; `output` is all
 * that was seen.
 */
export async function runOnTerminal(
  command: string,
  replies: readonly (readonly [question: RegExp, answer: string])[],
): Promise<{ code: number | NodeJS.Signals | null; output: string }> {
  await using program = new Program('script', ['-qefc', command, '/dev/null'], { stdin: 'pipe' });
  for (const [question, reply] of replies) {
    await program.waitFor(question);
    program.process.stdin?.write(`${reply}\r`);
  }
  const code = await program.ended();
  return { code, output: program.output };
}
