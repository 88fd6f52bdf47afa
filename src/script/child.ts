/**
 * The program of a script's process: takes scripts over descriptor 3 and runs them, one after the other. Functions of the
 * command reference are synchronous globals: a call is written, and the answer read, without an event loop between.
 */
import { readSync, writeSync } from 'node:fs';
import { createContext, Script } from 'node:vm';
import { CHANNEL, type FromChild, type ToChild } from './protocol.js';

const chunk = Buffer.alloc(65_536);
let rest = Buffer.alloc(0);
let names: readonly string[] = [];

function receive(): ToChild {
  for (;;) {
    const end = rest.indexOf(10);
    if (end >= 0) {
      const line = rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
      return JSON.parse(line) as ToChild;
    }
    const size = readSync(CHANNEL, chunk, 0, chunk.length, null);
    // The gateway has let go: nobody waits for this process any more.
    if (size === 0) process.exit(0);
    rest = Buffer.concat([rest, chunk.subarray(0, size)]);
  }
}

function send(message: FromChild): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length;) at += writeSync(CHANNEL, bytes, at);
}

function call(method: string, params: readonly unknown[]): unknown {
  send({ is: 'call', method, params });
  const answer = receive();
  if (answer.is === 'result') return answer.value;
  if (answer.is === 'fault') throw Object.assign(new Error(answer.message), { code: answer.code });
  throw new Error(`an answer was expected, not ${answer.is}`);
}

/** What a script has printed; past the limit nothing is kept, and the script has failed whatever it does. */
class Output {
  text = '';
  isOver = false;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  readonly print = (...items: unknown[]): void => {
    this.text += items.map((item) => `${item as string}`).join('');
    if (this.text.length <= this.#limit) return;
    this.text = '';
    this.isOver = true;
    throw this.tooMuch();
  };

  readonly line = (...items: unknown[]): void => this.print(items.map(shown).join(' '), '\n');

  tooMuch(): Error {
    return new Error(`the script printed more than ${this.#limit} characters`);
  }
}

const shown = (item: unknown): string =>
  typeof item === 'string' ? item : (JSON.stringify(item) ?? String(item));

function run({ file, text, values, outputLimit }: Extract<ToChild, { is: 'run' }>): FromChild {
  const output = new Output(outputLimit);
  const globals: Record<string, unknown> = {
    ...values,
    PARAMETERS: values,
    print: output.print,
    echo: output.print,
    console: { log: output.line },
  };
  for (const name of names) globals[name] = (...params: unknown[]) => call(name, params);
  let script: Script;
  try {
    script = new Script(text, { filename: file });
  } catch (thrown) {
    return failure(file, thrown, { output: '', isSyntax: true });
  }
  try {
    script.runInContext(createContext(globals));
  } catch (thrown) {
    return failure(file, thrown, { output: output.text, isSyntax: false });
  }
  if (output.isOver) return failure(file, output.tooMuch(), { output: '', isSyntax: false });
  return { is: 'ended', output: output.text };
}

function failure(file: string, thrown: unknown, rest_: { output: string; isSyntax: boolean }): FromChild {
  const { message, stack } = isError(thrown) ? thrown : { message: String(thrown), stack: '' };
  const line = Number(new RegExp(`${RegExp.escape(file)}:(\\d+)`).exec(stack ?? '')?.[1] ?? 0);
  return { is: 'failed', message, line, ...rest_ };
}

/** Errors of the script's own context are no instances of ours. */
function isError(thrown: unknown): thrown is Error {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown && 'stack' in thrown;
}

for (;;) {
  const message = receive();
  if (message.is === 'functions') names = message.names;
  if (message.is === 'run') send(run(message));
}
