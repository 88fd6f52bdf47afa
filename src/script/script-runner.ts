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
import type { ScriptLimits } from './script-limits.js';
import type { ProcessPool } from './process-pool.js';
import type { RunFailure, ScriptText } from './protocol.js';
import type { RunOwner } from './run-queue.js';
import { Semaphores } from './semaphores.js';
import type { ThreadRecord } from './threads.js';

/** Functions that scripts may call, and how they are called. */
export interface ScriptFunctions {
  names(): readonly string[] | Promise<readonly string[]>;
  call(method: string, params: unknown, caller: Caller): unknown;
}

/** What runs work with. */
export interface ScriptRunnerOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly functions: ScriptFunctions;
  readonly limits: () => ScriptLimits;
  readonly checks: HealthChecks;
  /** Told of limits that take effect. */
  readonly effects: LimitReporter;
  /** The text behind what a script includes: an id or a file. */
  readonly included: (what: unknown) => Promise<ScriptText>;
}

/** One run, as it is asked for. */
export interface RunnerRequest {
  readonly file: string;
  /** Its text; a run that is stopped meanwhile does not begin. */
  readonly read: () => Promise<string>;
  /** Absent for a text that is run once. */
  readonly script: Script | undefined;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly sender: string;
  readonly caller: Caller;
  /** Whether the caller waits for its end. */
  readonly isAwaited: boolean;
}

interface Running {
  readonly script: Script | undefined;
  readonly whose: RunOwner;
  /** How many scripts it is deep in. */
  readonly depth: number;
  readonly stop: AbortController;
  /** Who waits for it. */
  readonly parent: Running | undefined;
  /** The failure of a script that it called, which has been told already. */
  told: string;
}

/** Why a script is stopped that was run by another and waited for; that one's end is told of, this needs no word. */
const LEFT = 'the script that waited for it has ended';

/** A failure that comes again and again is told once in so long. */
const TELL_EVERY_MS = 60_000;

/** Senders that are told apart in the count of their runs. */
const SENDERS_LIMIT = 1000;

/** The runs of scripts: who runs, in what, and what becomes of it. Processes are loaded with the first. */
export class ScriptRunner implements AsyncDisposable {
  readonly #options: ScriptRunnerOptions;
  readonly #semaphores: Semaphores;
  /** By the caller that a script's own calls come from. */
  readonly #running = new Map<Caller, Running>();
  readonly #told = new Map<number, { readonly text: string; readonly untilMs: number; more: number }>();
  readonly #checks = new SerialQueue();
  readonly #closing = new AbortController();
  readonly #senders = new Map<string, number>();
  readonly #pool = new Lazy(() => this.#open());
  #opened: ProcessPool | undefined;

  constructor(options: ScriptRunnerOptions) {
    this.#options = options;
    this.#semaphores = new Semaphores(options.clock);
  }

  /** Throws `BUSY` if a script that is started now by this caller would be rejected. */
  checkRoom(caller: Caller): void {
    this.#opened?.checkRoom(this.#whose(caller));
  }

  /** How often each sender has had a script run, since the start. */
  get senders(): ReadonlyMap<string, number> {
    return this.#senders;
  }

  /** Runs a script to its end; how that went. Rejects with `SCRIPT_FAILED`, `BUSY`, `STOPPING`. */
  async run({ script, file, read, parameters, sender, caller, isAwaited }: RunnerRequest): Promise<string> {
    this.#count(sender);
    const parent = this.#running.get(caller);
    const user = script === undefined ? 'script' : `script ${script.id}`;
    const own: Caller = { role: 'owner', user, remote: 'local' };
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const whose = this.#whose(caller);
    const mine: Running = { script, whose, depth, stop: new AbortController(), parent, told: '' };
    const stopToo = () => {
      mine.told = LEFT;
      mine.stop.abort(fault('SCRIPT_FAILED', LEFT));
    };
    if (isAwaited) parent?.stop.signal.addEventListener('abort', stopToo);
    this.#running.set(own, mine);
    try {
      const [text, pool] = await Promise.all([read(), this.#pool.get()]);
      mine.stop.signal.throwIfAborted();
      const id = script?.id ?? 0;
      const values = { SELF: id, SENDER: sender, ...parameters };
      const turn = { whose, depth, isAwaited: isAwaited && depth > 0, signal: mine.stop.signal };
      const shown = { id, file, sender };
      const result = await pool.run(this.#job({ file, text }, values, own), { ...turn, shown });
      this.#mark(script, result.is === 'failed' && result.isBroken);
      if (result.is === 'ended') return result.output;
      throw this.#failed(mine, file, result);
    } finally {
      this.#running.delete(own);
      this.#semaphores.release(own);
      parent?.stop.signal.removeEventListener('abort', stopToo);
      // What it waits for, nobody waits for any more.
      mine.stop.abort();
    }
  }

  /** A script that another one started runs for whom that one does. */
  #whose(caller: Caller): RunOwner {
    const parent = this.#running.get(caller);
    if (parent !== undefined) return parent.whose;
    if (caller.role === 'webfront') return `front ${caller.configurator ?? 0}`;
    return caller.remote === 'local' ? 'event' : 'owner';
  }

  /** Whoever asks for an action gives a word of its own: those that come late are counted under no name. */
  #count(sender: string): void {
    const name = this.#senders.has(sender) || this.#senders.size < SENDERS_LIMIT ? sender : '';
    this.#senders.set(name, (this.#senders.get(name) ?? 0) + 1);
  }

  /** Stops all runs of a script; false where there is none. */
  abort(id: number): boolean {
    const all = [...this.#running.values()].filter(({ script }) => script?.id === id);
    for (const { stop } of all) stop.abort(fault('SCRIPT_FAILED', 'the script was aborted'));
    return all.length > 0;
  }

  /** What is wrong with a text, with its place; undefined where it can be run. */
  check({ file, text }: ScriptText): Promise<string | undefined> {
    return this.#checks.run(async () => {
      const pool = await this.#pool.get();
      const job = { ...this.#job({ file, text }, {}, NOBODY), is: 'check' } as const;
      const signal = this.#closing.signal;
      const result = await pool.run(job, { whose: 'owner', depth: 0, isAwaited: true, signal });
      return result.is === 'failed' && result.isBroken ? said(file, result) : undefined;
    });
  }

  /** Resolves with whether the semaphore is this script's within that time. Throws `NOT_ALLOWED` outside of a script. */
  enter(name: string, ms: number, caller: Caller): boolean | Promise<boolean> {
    this.#inScript(caller);
    return this.#semaphores.enter(name, ms, caller);
  }

  /** False when the semaphore is not this script's. Throws `NOT_ALLOWED` outside of a script. */
  leave(name: string, caller: Caller): boolean {
    this.#inScript(caller);
    return this.#semaphores.leave(name, caller);
  }

  /** Resolves when the time has passed, or rejects when the script that waits has ended. */
  sleep(ms: number, caller: Caller): Promise<void> {
    const { signal } = this.#running.get(caller)?.stop ?? this.#closing;
    return delay(this.#options.clock, ms, signal);
  }

  /** Every slot for a script's process. */
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
    const { clock, functions, limits, checks, effects } = this.#options;
    this.#opened = new Pool({ clock, names: async () => functions.names(), limits, checks, effects });
    return this.#opened;
  }

  #job(source: ScriptText, values: Readonly<Record<string, unknown>>, own: Caller) {
    const { functions, included: include } = this.#options;
    const call = (method: string, params: readonly unknown[]) => functions.call(method, params, own);
    return { is: 'run', ...source, values, call, include } as const;
  }

  #mark(script: Script | undefined, isBroken: boolean): void {
    const { tree, scripts } = this.#options.kernel;
    if (script !== undefined && tree.find(script.id) === script) scripts.setBroken(script, isBroken);
  }

  #inScript(caller: Caller): void {
    if (!this.#running.has(caller)) throw fault('NOT_ALLOWED', 'A semaphore outside of a script');
  }

  /** The failure for who waits; the log has it once, by the script in which it came up. */
  #failed(mine: Running, file: string, failed: RunFailure): Error {
    if (this.#closing.signal.aborted) return fault('STOPPING');
    const text = said(file, failed);
    const isPassedOn = mine.told !== '' && mine.told.startsWith(failed.message);
    if (!isPassedOn) this.#tell(mine.script, file, { ...failed, message: text });
    if (mine.parent !== undefined) mine.parent.told = text;
    return fault('SCRIPT_FAILED', text);
  }

  #tell(script: Script | undefined, file: string, { message, at, output }: RunFailure): void {
    const { log, clock } = this.#options;
    const id = script?.id ?? 0;
    const before = this.#told.get(id);
    if (before?.text === message && clock.nowMs() < before.untilMs) {
      before.more++;
      return;
    }
    const more = before?.text === message && before.more > 0 ? ` (and ${before.more} times more since)` : '';
    const details = { script: id, file, line: at?.line ?? 0, output: output.slice(0, LOGGED_OUTPUT_LIMIT) };
    log.error(details, `${script === undefined ? 'a text' : scriptLabel(script)}: ${message}${more}`);
    this.#told.set(id, { text: message, untilMs: clock.nowMs() + TELL_EVERY_MS, more: 0 });
  }
}

/** A script as the log names it. */
export function scriptLabel({ id, name }: Script): string {
  return `script ${id}${name === '' ? '' : ` “${name}”`}`;
}

/** What a script printed is kept to this length in the log. */
export const LOGGED_OUTPUT_LIMIT = 2000;

/** Whom a check calls for: it makes no calls. */
const NOBODY: Caller = { role: 'anonymous', user: '', remote: 'local' };

/** `12345.js:3:9: Unexpected token`. */
function said(file: string, { at, message }: RunFailure): string {
  if (at === undefined) return `${file}: ${message}`;
  return `${at.file}:${at.line}${at.column > 0 ? `:${at.column}` : ''}: ${message}`;
}
