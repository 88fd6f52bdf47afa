/**
 * A process that runs commands of `stellwerk` one after the other, as `src/main.ts` does, and reports what each
 * wrote: `fork(cli-host.js)`. A command takes milliseconds here, and 100 ms of processor time in a process of
 * its own. It is over when nothing of it keeps the event loop alive, as in a process of its own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../../../src/cli/run.js';
import { enableLinearPatterns } from '../linear-patterns.js';
import type { CommandResult } from './run-cli.js';

/** A command, and the environment that it sees. */
export interface HostedCommand {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

enableLinearPatterns();
process.on('message', (command: HostedCommand) => {
  void resultOf(command).then((result) => process.send?.(result));
});

async function resultOf({ args, env }: HostedCommand): Promise<CommandResult> {
  process.env = env;
  const before = process.getActiveResourcesInfo().length;
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  try {
    const code = await run(args);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
    while (process.getActiveResourcesInfo().length > before) await sleep(1);
    return { code, stdout: stdout.end(), stderr: stderr.end() };
  } finally {
    stdout.end();
    stderr.end();
  }
}

/** Keeps what is written instead of writing it, until `end`, which returns it. */
function capture(stream: NodeJS.WriteStream): { end(): string } {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') setImmediate(() => (done as () => void)());
    return true;
  };
  return {
    end: () => {
      stream.write = write;
      return text;
    },
  };
}
