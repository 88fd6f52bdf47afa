import { createContext, Script, type Context } from 'node:vm';
import type { Channel } from './channel.js';
import {
  placeIn,
  type Ended,
  type Failed,
  type FromChild,
  type Place,
  type ScriptText,
  type ToChild,
} from './protocol.js';
import { compile, Mistake, type Compiled } from './source.js';
import { Output, Timers } from './world.js';

/** Objects that a script gets are of its own realm: its `instanceof Array` and `instanceof Error` hold. */
interface Realm {
  readonly parse: (text: string) => unknown;
  readonly Error: ErrorConstructor;
}
const REALM = '({ parse: JSON.parse, Error })';

/** The values of the original that are there in every script, undefined where its start gave none. */
const VALUES = ['VARIABLE', 'VALUE', 'OLDVALUE', 'EVENT', 'TARGET'] as const;

/** What a failure shows of what was thrown. */
const MESSAGE_LENGTH = 2000;

/** One run of a script. */
export class Run {
  readonly #job: Extract<ToChild, { is: 'run' }>;
  readonly #channel: Channel;
  readonly #output: Output;
  readonly #timers = new Timers((thrown) => this.fail(thrown));
  readonly #failure = Promise.withResolvers<never>();
  readonly #included = new Set<string>();
  readonly #context: Context;
  readonly #realm: Realm;
  #isOver = false;

  constructor(job: Extract<ToChild, { is: 'run' }>, channel: Channel, names: readonly string[]) {
    this.#job = job;
    this.#channel = channel;
    this.#output = new Output(job.outputLimit, (why) => this.#stop(why));
    const { values } = job;
    const globals: Record<string, unknown> = {
      ...Object.fromEntries(VALUES.map((name) => [name, undefined])),
      ...values,
      PARAMETERS: values,
      ...this.#output.globals(),
      ...this.#timers.globals(),
      include: (what: unknown) => this.#include(what),
      atob: (text: unknown) => atob(String(text)),
      btoa: (text: unknown) => btoa(String(text)),
    };
    for (const name of names)
      globals[name] = (...params: unknown[]) => this.#ask({ is: 'call', method: name, params });
    this.#context = createContext(globals);
    this.#realm = new Script(REALM).runInContext(this.#context) as Realm;
    this.#failure.promise.catch(() => undefined);
  }

  /** Runs it until all is done: its text, its timers, what it awaits. */
  async result(): Promise<Ended | Failed> {
    const { file, text } = this.#job;
    this.#included.add(file);
    let compiled: Compiled;
    try {
      compiled = compile({ file, text }, true);
    } catch (thrown) {
      return failure(thrown, { isBroken: true });
    }
    try {
      await this.#done(compiled);
      return { is: 'ended', output: this.#output.text, peakBytes: peakBytes() };
    } catch (thrown) {
      return failure(thrown, { output: this.#output.text });
    } finally {
      this.#isOver = true;
      this.#timers.clear();
    }
  }

  /** What was thrown where nobody waits for it: the run has failed. */
  fail(thrown: unknown): void {
    this.#failure.reject(thrown);
  }

  async #done({ script, isAsync }: Compiled): Promise<void> {
    const given: unknown = script.runInContext(this.#context);
    let isPending = isAsync;
    if (isAsync)
      (given as Promise<unknown>).then(
        () => (isPending = false),
        (thrown: unknown) => this.fail(thrown),
      );
    await Promise.race([this.#failure.promise, this.#timers.done()]);
    if (isPending) throw new Error('the script awaits what never comes');
  }

  #include(what: unknown): boolean {
    const { file, text } = this.#ask({ is: 'include', what }) as ScriptText;
    if (this.#included.has(file)) return false;
    this.#included.add(file);
    compile({ file, text }, false).script.runInContext(this.#context);
    return true;
  }

  /** A call: it is written, and its answer read. */
  #ask(call: FromChild): unknown {
    if (this.#isOver) throw new Error('the script has ended');
    this.#channel.send(call);
    const answer = this.#channel.receive(this.#realm.parse);
    switch (answer.is) {
      case 'result':
        return answer.value;
      case 'fault':
        throw Object.assign(new this.#realm.Error(answer.message), { code: answer.code });
      case 'stop':
        return this.#stop(answer.why);
      default:
        throw new Error(`an answer was expected, not ${answer.is}`);
    }
  }

  /** Says where the script is, and ends the process: a script can't catch it. */
  #stop(why: string): never {
    this.#channel.send(failure(new Error(why), { output: this.#output.text, isLast: true }));
    return process.exit(0);
  }
}

/** Whether a text can be compiled; it is not run. */
export function check(text: ScriptText): Ended | Failed {
  try {
    compile(text, true);
    return { is: 'ended', output: '', peakBytes: peakBytes() };
  } catch (thrown) {
    return failure(thrown, { isBroken: true });
  }
}

function failure(thrown: unknown, { output = '', isBroken = false, isLast = false }): Failed {
  const { message, at } = facts(thrown);
  const short = message.slice(0, MESSAGE_LENGTH);
  return { is: 'failed', message: short, at, output, isBroken, isLast, peakBytes: peakBytes() };
}

/** What was thrown may be anything, also something that does not let itself be looked at. */
function facts(thrown: unknown): { message: string; at: Place | undefined } {
  try {
    if (typeof thrown !== 'object' || thrown === null || !('message' in thrown) || !('stack' in thrown))
      return { message: String(thrown), at: undefined };
    return {
      message: String(thrown.message),
      at: thrown instanceof Mistake ? thrown.at : placeIn(String(thrown.stack)),
    };
  } catch {
    return { message: 'the script threw what cannot be shown', at: undefined };
  }
}

const peakBytes = (): number => process.resourceUsage().maxRSS * 1024;
