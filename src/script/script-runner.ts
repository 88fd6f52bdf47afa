import { logKind } from '../base/codes/log-kinds.js';
import { coded } from '../base/codes/coded-text.js';
import type { HealthChecks } from '../base/health-check.js';
import { delay, type Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';
import { Lazy } from '../base/lazy.js';
import type { LimitReporter } from '../base/limit-reporter.js';
import type { Log } from '../base/log.js';
import { SerialQueue } from '../base/serial-queue.js';
import type { Caller } from '../device/declare.js';
import type { Script } from '../kernel/scripts.js';
import type { Kernel } from '../kernel/kernel.js';
import { monotonicMs } from './call-rate-limit.js';
import type { ScriptLimits } from './script-limits.js';
import type { ProcessPool } from './process-pool.js';
import type { RunFailure, ScriptText } from './protocol.js';
import type { RunOwner } from './run-queue.js';
import { Semaphores } from './semaphores.js';
import type { ThreadRecord } from './threads.js';

/** The functions that scripts may call. */
export interface ScriptFunctions {
  names(): readonly string[] | Promise<readonly string[]>;
  call(method: string, params: unknown, caller: Caller): unknown;
}

interface ScriptRunnerOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly functions: ScriptFunctions;
  readonly limits: () => ScriptLimits;
  readonly checks: HealthChecks;
  /** Receives limits that take effect. */
  readonly limitReporter: LimitReporter;
  /** The text of an included script, by id or file. */
  readonly included: (what: unknown) => Promise<ScriptText>;
}

/** A request for one run. */
interface RunnerRequest {
  readonly file: string;
  /** Reads the text. A run that is stopped during this does not start. */
  readonly read: () => Promise<string>;
  /** Undefined for a text that is run once. */
  readonly script: Script | undefined;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly sender: string;
  readonly caller: Caller;
  /** Whether the caller waits for its end. */
  readonly isAwaited: boolean;
}

interface Running {
  readonly script: Script | undefined;
  readonly owner: RunOwner;
  /** The nesting depth. */
  readonly depth: number;
  readonly stop: AbortController;
  /** The run that waits for it. */
  readonly parent: Running | undefined;
  /** The failure of a script that it called, which is already logged. */
  loggedText: string;
}

/** The reason for stopping a script after the script that waited for it has ended. Not logged. */
const CALLER_ENDED = 'the script that waited for it has ended';

/** Interval for logging a repeated failure. */
const REPEAT_LOG_MS = 60_000;

/** Maximum number of senders that are counted separately. */
const SENDERS_LIMIT = 1000;

/** Runs scripts and handles their results. Script processes are loaded with the first run. */
export class ScriptRunner implements AsyncDisposable {
  readonly #options: ScriptRunnerOptions;
  readonly #semaphores: Semaphores;
  /** Active runs by the caller that identifies their calls. */
  readonly #running = new Map<Caller, Running>();
  /** The last logged failure per script; `untilMs` is on the monotonic clock. */
  readonly #logged = new Map<number, { readonly text: string; readonly untilMs: number; more: number }>();
  readonly #checks = new SerialQueue();
  readonly #closing = new AbortController();
  readonly #senders = new Map<string, number>();
  readonly #pool = new Lazy(() => this.#open());
  #opened: ProcessPool | undefined;

  constructor(options: ScriptRunnerOptions) {
    this.#options = options;
    this.#semaphores = new Semaphores(options.clock);
  }

  /** Throws `BUSY` if a script started by this caller now would be rejected. */
  requireCapacity(caller: Caller): void {
    this.#opened?.requireCapacity(this.#ownerOf(caller));
  }

  /** The number of script runs per sender since the start. */
  get senders(): ReadonlyMap<string, number> {
    return this.#senders;
  }

  /** Runs a script and resolves with its output. Rejects with `SCRIPT_FAILED`, `BUSY`, `STOPPING`. */
  async run({ script, file, read, parameters, sender, caller, isAwaited }: RunnerRequest): Promise<string> {
    this.#count(sender);
    const parent = this.#running.get(caller);
    const user = script === undefined ? 'script' : `script ${script.id}`;
    const scriptCaller: Caller = { role: 'owner', user, remote: 'local' };
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const owner = this.#ownerOf(caller);
    const current: Running = { script, owner, depth, stop: new AbortController(), parent, loggedText: '' };
    const stopWithParent = () => {
      current.loggedText = CALLER_ENDED;
      current.stop.abort(fault('SCRIPT_FAILED', CALLER_ENDED));
    };
    if (isAwaited) parent?.stop.signal.addEventListener('abort', stopWithParent);
    this.#running.set(scriptCaller, current);
    try {
      const id = script?.id ?? 0;
      const values = { SELF: id, SENDER: sender, ...parameters };
      const pool = await this.#pool.get();
      const result = await pool.run({
        read: async () => this.#job({ file, text: await read() }, values, scriptCaller),
        owner,
        depth,
        isAwaited: isAwaited && depth > 0,
        signal: current.stop.signal,
        info: { id, file, sender },
      });
      // A run that the stop of the gateway ended may not have been compiled yet.
      if (!this.#closing.signal.aborted) this.#setBroken(script, result.is === 'failed' && result.isBroken);
      if (result.is === 'ended') return result.output;
      throw this.#failed(current, file, result);
    } finally {
      this.#running.delete(scriptCaller);
      this.#semaphores.release(scriptCaller);
      parent?.stop.signal.removeEventListener('abort', stopWithParent);
      // Stops the nested runs and the delays that this run has started.
      current.stop.abort();
    }
  }

  /** A script started by another runs for the same owner. */
  #ownerOf(caller: Caller): RunOwner {
    const parent = this.#running.get(caller);
    if (parent !== undefined) return parent.owner;
    if (caller.role === 'webfront') return `front ${caller.configurator ?? 0}`;
    return caller.remote === 'local' ? 'event' : 'owner';
  }

  /** Callers of actions choose their sender: beyond the limit, new ones are counted under an empty name. */
  #count(sender: string): void {
    const name = this.#senders.has(sender) || this.#senders.size < SENDERS_LIMIT ? sender : '';
    this.#senders.set(name, (this.#senders.get(name) ?? 0) + 1);
  }

  /** Stops all runs of a script; returns false if there are none. */
  abort(id: number): boolean {
    const all = [...this.#running.values()].filter(({ script }) => script?.id === id);
    for (const { stop } of all)
      stop.abort(fault('SCRIPT_FAILED', coded`SCRIPT_ABORTED: the script was aborted`));
    return all.length > 0;
  }

  /**
   * Compiles a text; resolves with the error and its position, or with undefined if a limit stopped it, which
   * says nothing about the text. Rejects with `STOPPING`.
   */
  check({ file, text }: ScriptText): Promise<{ readonly error: string | undefined } | undefined> {
    return this.#checks.run(async () => {
      const pool = await this.#pool.get();
      const job = { ...this.#job({ file, text }, {}, NOBODY), is: 'check' } as const;
      const signal = this.#closing.signal;
      const read = async () => job;
      const result = await pool.run({ read, owner: 'owner', depth: 0, isAwaited: true, signal });
      if (signal.aborted) throw fault('STOPPING');
      if (result.is === 'ended') return { error: undefined };
      return result.isBroken ? { error: failureText(file, result) } : undefined;
    });
  }

  /**
   * Acquires a semaphore for the calling script; resolves with whether that succeeded within the time. Throws
   * `NOT_ALLOWED` outside of a script.
   */
  enter(name: string, ms: number, caller: Caller): boolean | Promise<boolean> {
    this.#requireScript(caller);
    return this.#semaphores.enter(name, ms, caller);
  }

  /**
   * Releases a semaphore; returns false if the calling script does not hold it. Throws `NOT_ALLOWED` outside
   * of a script.
   */
  leave(name: string, caller: Caller): boolean {
    this.#requireScript(caller);
    return this.#semaphores.leave(name, caller);
  }

  /** Resolves after the time, or rejects when the waiting script has ended. */
  sleep(ms: number, caller: Caller): Promise<void> {
    const { signal } = this.#running.get(caller)?.stop ?? this.#closing;
    return delay(this.#options.clock, ms, signal);
  }

  /** The records of all slots for script processes. */
  async threads(): Promise<readonly ThreadRecord[]> {
    return (await this.#pool.get()).threads();
  }

  async close(): Promise<void> {
    this.#closing.abort(fault('STOPPING'));
    await (await this.#pool.current())?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #open(): Promise<ProcessPool> {
    const { ProcessPool: Pool } = await import('./process-pool.js');
    const { clock, functions, limits, checks, limitReporter } = this.#options;
    this.#opened = new Pool({ clock, names: async () => functions.names(), limits, checks, limitReporter });
    return this.#opened;
  }

  #job(source: ScriptText, values: Readonly<Record<string, unknown>>, scriptCaller: Caller) {
    const { functions, included: include } = this.#options;
    const call = (method: string, params: readonly unknown[]) => functions.call(method, params, scriptCaller);
    return { is: 'run', ...source, values, call, include } as const;
  }

  #setBroken(script: Script | undefined, isBroken: boolean): void {
    const { tree, scripts } = this.#options.kernel;
    if (script !== undefined && tree.find(script.id) === script) scripts.setBroken(script, isBroken);
  }

  #requireScript(caller: Caller): void {
    if (!this.#running.has(caller))
      throw fault('NOT_ALLOWED', coded`WHAT_SEMAPHORE_OUTSIDE: A semaphore outside of a script`);
  }

  /** The failure for the waiting caller. Logs it once, for the script in which it occurred. */
  #failed(current: Running, file: string, failed: RunFailure): Error {
    if (this.#closing.signal.aborted) return fault('STOPPING');
    const text = failureText(file, failed);
    const isPropagated = current.loggedText !== '' && current.loggedText.startsWith(failed.message);
    if (!isPropagated) this.#logFailure(current.script, file, { ...failed, message: text });
    if (current.parent !== undefined) current.parent.loggedText = text;
    return fault('SCRIPT_FAILED', text);
  }

  #logFailure(script: Script | undefined, file: string, { message, at, output }: RunFailure): void {
    const { log, clock } = this.#options;
    const id = script?.id ?? 0;
    const before = this.#logged.get(id);
    if (before?.text === message && monotonicMs(clock) < before.untilMs) {
      before.more++;
      return;
    }
    const more = before?.text === message && before.more > 0 ? ` (and ${before.more} times more since)` : '';
    const details = {
      kind: logKind.scriptFailed,
      script: id,
      file,
      line: at?.line ?? 0,
      output: output.slice(0, LOGGED_OUTPUT_LIMIT),
    };
    log.error(details, `${script === undefined ? 'a text' : scriptLabel(script)}: ${message}${more}`);
    this.#logged.set(id, { text: message, untilMs: monotonicMs(clock) + REPEAT_LOG_MS, more: 0 });
  }
}

/** A script's name in the log. */
export function scriptLabel({ id, name }: Script): string {
  return `script ${id}${name === '' ? '' : ` “${name}”`}`;
}

/** Maximum number of characters of script output in the log. */
export const LOGGED_OUTPUT_LIMIT = 2000;

/** The caller of a check, which makes no calls. */
const NOBODY: Caller = { role: 'anonymous', user: '', remote: 'local' };

/** `12345.js:3:9: Unexpected token`. */
function failureText(file: string, { at, message }: RunFailure): string {
  if (at === undefined) return `${file}: ${message}`;
  return `${at.file}:${at.line}${at.column > 0 ? `:${at.column}` : ''}: ${message}`;
}
