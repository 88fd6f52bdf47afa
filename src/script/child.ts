/**
 * The program of a script process: reads scripts from its channel and runs them in sequence. Functions of the
 * command reference are synchronous globals: while nothing is awaited, no event loop runs between a call and
 * its reply.
 */
import { Channel } from './channel.js';
import { check, ChildRun } from './child-run.js';

// The gateway may have exited before the kernel tied this process to it (PR_SET_PDEATHSIG).
if (process.ppid !== Number(process.argv[2])) process.exit(0);

const channel = new Channel();
let names: readonly string[] = [];
let current: ChildRun | undefined;

process.on('unhandledRejection', (thrown) => current?.fail(thrown));
process.on('uncaughtException', (thrown) => current?.fail(thrown));

for (;;) {
  const message = channel.receive();
  if (message.is === 'functions') names = message.names;
  if (message.is === 'check') channel.send(check(message));
  if (message.is === 'run') {
    current = new ChildRun(message, channel, names);
    channel.send(await current.result());
  }
}
