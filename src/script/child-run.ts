import { constants, createContext, Script, type Context } from 'node:vm';
import type { Channel } from './channel.js';
import {
  CALL_LIMIT,
  findPosition,
  type RunResult,
  type RunFailure,
  type ScriptText,
  type ToChild,
} from './protocol.js';
import {
  REALM_SOURCE,
  undefinedNames,
  type Bridge,
  type MakeRealm,
  type Realm,
  type Thrown,
} from './realm.js';
import { compile, CompileError, type CompiledScript } from './script-compiler.js';
import { ChildTimers } from './child-timers.js';

const realmScript = new Script(REALM_SOURCE, { filename: 'stellwerk:realm' });

/** Maximum number of characters of an exception's message. */
const MESSAGE_LENGTH = 2000;

/** One run of a script, in a context without objects of this process. */
export class ChildRun {
  readonly #job: Extract<ToChild, { is: 'run' }>;
  readonly #channel: Channel;
  readonly #names: readonly string[];
  readonly #timers = new ChildTimers((id, isLast) => this.#fire(id, isLast));
  readonly #failure = Promise.withResolvers<never>();
  readonly #included = new Set<string>();
  readonly #context: Context;
  readonly #realm: Realm;
  #compiled: Script | undefined;
  #output = '';
  #isPending = false;
  #isOver = false;

  constructor(job: Extract<ToChild, { is: 'run' }>, channel: Channel, names: readonly string[]) {
    this.#job = job;
    this.#channel = channel;
    this.#names = names;
    // Without this callback and `--experimental-vm-modules`, `import()` would reject with an error of the
    // process's realm.
    const importModuleDynamically = () => {
      throw this.#realm.importError();
    };
    this.#context = createContext(constants.DONT_CONTEXTIFY, { importModuleDynamically });
    const makeRealm = realmScript.runInContext(this.#context) as MakeRealm;
    const { values } = job;
    this.#realm = makeRealm(this.#bridge(), JSON.stringify({ values, names, undefinedNames }));
    // `result` awaits this promise, which may reject earlier.
    this.#failure.promise.catch(() => undefined);
  }

  /** Runs the script until its text, its timers and everything it awaits are done. */
  async result(): Promise<RunResult | RunFailure> {
    const { file, text } = this.#job;
    this.#included.add(file);
    let compiled: CompiledScript;
    try {
      compiled = this.#compile({ file, text }, true);
    } catch (thrown) {
      return compileFailure(thrown);
    }
    try {
      await this.#done(compiled);
      return { is: 'ended', output: this.#output, peakBytes: peakBytes() };
    } catch (thrown) {
      return failure(thrownOf(thrown), { output: this.#output });
    } finally {
      this.#isOver = true;
      this.#timers.clear();
    }
  }

  /** Fails the run because of an exception that no caller handles. */
  fail(thrown: unknown): void {
    let text = '{"message":"the script threw a value that cannot be described"}';
    try {
      text = this.#realm.describe(thrown);
    } catch {
      // The stack is exhausted.
    }
    this.#failed(text);
  }

  #failed(thrown: string): void {
    this.#failure.reject(new ScriptError(thrown));
  }

  async #done({ isAsync }: CompiledScript): Promise<void> {
    this.#isPending = isAsync;
    const thrown = this.#realm.main(isAsync);
    if (thrown !== undefined) throw new ScriptError(thrown);
    await Promise.race([this.#failure.promise, this.#timers.done()]);
    if (this.#isPending) throw new Error('the script awaits a promise that is never settled');
  }

  #compile(text: ScriptText, canAwait: boolean): CompiledScript {
    const compiled = compile(text, canAwait, () => {
      throw this.#realm.importError();
    });
    this.#compiled = compiled.script;
    return compiled;
  }

  #fire(id: number, isLast: boolean): void {
    const thrown = this.#realm.fire(id, isLast);
    if (thrown !== undefined) this.#failed(thrown);
  }

  /** The functions take and return primitive values only, and never throw. */
  #bridge(): Bridge {
    return {
      call: (index, params) => {
        const method = JSON.stringify(this.#names[index]);
        return this.#request(`{"is":"call","method":${method},"params":${params}}`);
      },
      include: (what) => this.#include(what ?? 'null'),
      // Decorating an error would read its stack, which the script may have made a getter.
      run: (): unknown => this.#compiled?.runInContext(this.#context, { displayErrors: false }) as unknown,
      print: (text) => this.#print(text),
      startTimer: (id, ms, isRepeated) => this.#timers.start(id, ms, isRepeated),
      stopTimer: (id) => this.#timers.stop(id),
      atob: (text) => undefinedIfThrown(() => atob(text)),
      btoa: (text) => undefinedIfThrown(() => btoa(text)),
      settled: () => void (this.#isPending = false),
      failed: (thrown) => this.#failed(thrown),
    };
  }

  /** Fetches and compiles another script. */
  #include(what: string): string {
    const reply = this.#request(`{"is":"include","what":${what}}`);
    try {
      const message = JSON.parse(reply) as ToChild;
      if (message.is !== 'result') return reply;
      const { file, text } = message.value as ScriptText;
      if (this.#included.has(file)) return '{"is":"result","value":false}';
      this.#included.add(file);
      this.#compile({ file, text }, false);
      return '{"is":"result","value":true}';
    } catch (thrown) {
      return faultText(thrown);
    }
  }

  /** Writes a request and reads its reply. */
  #request(call: string): string {
    try {
      if (this.#isOver) throw new Error('the script has ended');
      this.#channel.sendText(call, CALL_LIMIT);
      const reply = this.#channel.receiveText();
      if (reply.startsWith('{"is":"stop"')) this.#stop((JSON.parse(reply) as { why: string }).why);
      return reply;
    } catch (thrown) {
      return faultText(thrown);
    }
  }

  /** Appends output; stops the script above the limit. */
  #print(text: string): void {
    this.#output += text;
    const { outputLimit } = this.#job;
    if (this.#output.length <= outputLimit) return;
    this.#output = '';
    this.#stop(`the script printed more than ${outputLimit} characters and was stopped`);
  }

  /** Reports the script's position and ends the process: a script can't catch this. */
  #stop(why: string): never {
    const thrown = thrownOf(new Error(why));
    this.#channel.send(failure(thrown, { output: this.#output, isLast: true }));
    return process.exit(0);
  }
}

/** An exception of a script, as its realm describes it. */
class ScriptError extends Error {
  override readonly name = 'ScriptError';
  readonly thrown: Thrown;
  constructor(text: string) {
    const thrown = JSON.parse(text) as Thrown;
    super(thrown.message);
    this.thrown = thrown;
  }
}

function undefinedIfThrown(recode: () => string): string | undefined {
  try {
    return recode();
  } catch {
    return undefined;
  }
}

/** An exception of this process, as a reply. */
function faultText(thrown: unknown): string {
  const { message, at } = thrownOf(thrown);
  return JSON.stringify({ is: 'fault', message, at });
}

/** A description of an exception of this process. */
function thrownOf(thrown: unknown): Thrown {
  if (thrown instanceof ScriptError) return thrown.thrown;
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const { message, stack = '' } = thrown;
  return thrown instanceof CompileError && thrown.at !== undefined
    ? { message, at: thrown.at }
    : { message, stack };
}

/** Checks whether a text can be compiled, without running it. */
export function check(text: ScriptText): RunResult | RunFailure {
  try {
    compile(text, true);
    return { is: 'ended', output: '', peakBytes: peakBytes() };
  } catch (thrown) {
    return compileFailure(thrown);
  }
}

const compileFailure = (thrown: unknown): RunFailure => failure(thrownOf(thrown), { isBroken: true });

function failure(
  { message, stack = '', at = findPosition(stack) }: Thrown,
  { output = '', isBroken = false, isLast = false },
): RunFailure {
  const short = message.slice(0, MESSAGE_LENGTH);
  return { is: 'failed', message: short, at, output, isBroken, isLast, peakBytes: peakBytes() };
}

/**
 * The kernel counts the memory of the gateway, which this process had before it executed its program
 * (getrusage(2): ru_maxrss is kept across execve).
 */
const inheritedKib = process.resourceUsage().maxRSS;

function peakBytes(): number {
  const { maxRSS } = process.resourceUsage();
  return maxRSS > inheritedKib ? maxRSS * 1024 : process.memoryUsage.rss();
}
