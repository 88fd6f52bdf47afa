import { type ChildProcess, fork, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SerialQueue } from '../../../src/base/serial-queue.js';
import { OWNER } from './api-fixture.js';
import type { HostedCommand } from './cli-host.js';
import type { ApiAddress } from '../client/json-rpc.js';
import { BIN } from './gateway-fixture.js';
import { environment, Program } from '../program.js';
import { withinPatience } from '../until.js';

/** The output of a command, and its exit code. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command to its end, without a terminal; `input` is its stdin. A command without input shares a process
 * with others (cli-host.ts).
 */
export function runCli(args: readonly string[], { input = '', env = {} } = {}): Promise<CommandResult> {
  const seen = environment({ STELLWERK_CONFIG: '', ...env });
  return withinPatience(
    `the end of stellwerk ${args.join(' ')}`,
    input === '' ? queue.run(() => runHosted({ args, env: seen })) : runProcess(args, input, seen),
  );
}

/** Runs `bin/stellwerk`. */
async function runProcess(
  args: readonly string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const child = spawn(BIN, args, { env });
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** The process that runs commands; it keeps this one alive only while it runs one, and ends with it. */
const hosts: ChildProcess[] = [];
const queue = new SerialQueue();

async function runHosted(command: HostedCommand): Promise<CommandResult> {
  const host = hosts.find(({ connected }) => connected) ?? startHost();
  host.channel?.ref();
  try {
    return await new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`the process of stellwerk ${command.args.join(' ')} ended`));
      host.once('exit', fail);
      host.once('message', (result: CommandResult) => {
        host.off('exit', fail);
        resolve(result);
      });
      host.send(command);
    });
  } finally {
    host.channel?.unref();
  }
}

function startHost(): ChildProcess {
  const host = fork(join(import.meta.dirname, 'cli-host.js'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  host.unref();
  hosts.unshift(host);
  return host;
}

/** The address of a gateway, with the owner's credentials. */
export function addressOf({ port }: ApiAddress): string {
  return `http://${encodeURIComponent(OWNER.username)}:${OWNER.password}@127.0.0.1:${port}/api/`;
}

/**
 * Runs a shell's command on a terminal of its own (with script(1)), and answers its prompts; `output` is
 * everything that it displayed.
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
