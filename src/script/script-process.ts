import { ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Duplex, Readable } from 'node:stream';
import type { HealthChecks } from '../base/health-check.js';
import { delay, type Cancel, type Clock } from '../base/clock.js';
import { Fault, messageOf } from '../base/fault.js';
import { onNextIteration } from '../base/event-loop.js';
import { joinChunks, ChunkedResult } from '../base/json-chunks.js';
import { CallRateLimit } from './call-rate-limit.js';
import { confinementFinding, scriptCommand } from './process-command.js';
import type { ScriptLimits } from './script-limits.js';
import { CALL_LIMIT, CHANNEL, parseMessage, findPosition } from './protocol.js';
import type { RunResult, RunFailure, FromChild, ScriptText, ToChild } from './protocol.js';

/** Interval of the checks of a running script's memory. */
const MEMORY_CHECK_MS = 100;
/** Time limit for reporting the script's position before the process is killed. */
const GRACE_MS = 3000;
/** Characters of stderr that are kept: more than a stack trace. */
const STDERR_LIMIT = 16_384;
const KIB = 1024;
const MIB = 1024 * 1024;

/** A script to run or to check: its text, the file name in its errors, and its globals. */
export interface ScriptJob extends ScriptText {
  readonly is: 'run' | 'check';
  readonly values: Readonly<Record<string, unknown>>;
  /** Performs its calls. */
  call(method: string, params: readonly unknown[]): unknown;
  /** Resolves its `include`. */
  include(what: unknown): Promise<ScriptText>;
}

interface ScriptProcessOptions {
  /** The names of the functions that are globals of its scripts. */
  readonly names: Promise<readonly string[]>;
  readonly clock: Clock;
  readonly heapMiB: number;
  readonly checks: HealthChecks;
  /** Where the kernel describes the processes (proc(5)). */
  readonly proc?: string;
}

interface Current {
  readonly job: ScriptJob;
  readonly limits: ScriptLimits;
  readonly rateLimit: CallRateLimit;
  readonly ended: PromiseWithResolvers<RunResult | RunFailure>;
}

/**
 * A process that runs scripts, one at a time. Any failure of it, including a crash, fails only the current
 * run.
 */
export class ScriptProcess {
  readonly #process: ChildProcess;
  /** Undefined if the process could not be started. */
  readonly #channel: Duplex | undefined;
  readonly #clock: Clock;
  readonly #ready: Promise<void>;
  readonly #proc: string;
  readonly heapMiB: number;
  readonly exited: Promise<void>;
  /** The peak memory observed. */
  peakBytes = 0;
  /** The number of scripts it has run. */
  runs = 0;
  #buffer: Buffer[] = [];
  #size = 0;
  #stderr = '';
  #current: Current | undefined;
  #isCalling = false;
  #stopReason: string | undefined;
  #isAlive = true;
  #cancelGrace: Cancel = () => undefined;

  constructor({ names, clock, heapMiB, checks, proc = '/proc' }: ScriptProcessOptions) {
    this.#clock = clock;
    this.#proc = proc;
    this.heapMiB = heapMiB;
    this.#process = start(heapMiB);
    const { stdout, stderr, stdio } = this.#process;
    this.#channel = (stdio as (Duplex | undefined)[] | undefined)?.[CHANNEL];
    this.#channel?.on('data', (bytes: Buffer) => this.#onData(bytes));
    this.#channel?.on('error', () => undefined);
    // Without a free descriptor the process has no channels, and `error` follows.
    if (stdout) lines(stdout, (line) => this.#onCollection(line));
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_LIMIT);
      const finding = confinementFinding(this.#stderr);
      if (finding !== undefined) checks.set('scripts', finding);
    });
    this.exited = new Promise((resolve) => {
      const end = (why: string) => {
        this.#onEnd(why);
        resolve();
      };
      this.#process.once('error', (thrown) => end(messageOf(thrown)));
      this.#process.once('close', (code, signal) => end(this.#reasonOf(code, signal)));
    });
    this.#ready = names.then((all) => this.#send({ is: 'functions', names: all }));
    // `run` awaits it; the process may end before it runs a script.
    this.#ready.catch(() => undefined);
  }

  /** Whether it can run another script. */
  get isUsable(): boolean {
    return this.#isAlive && this.#stopReason === undefined;
  }

  /** Whether its script waits for a reply. */
  get isCalling(): boolean {
    return this.#isCalling;
  }

  /** Runs one script; resolves with its result or failure. The script is stopped when the signal aborts. */
  async run(job: ScriptJob, limits: ScriptLimits, signal: AbortSignal): Promise<RunResult | RunFailure> {
    await this.#ready;
    const { timeMs, output: outputLimit } = limits;
    const ended = Promise.withResolvers<RunResult | RunFailure>();
    this.#current = { job, limits, rateLimit: new CallRateLimit(limits, this.#clock), ended };
    this.runs++;
    const abort = () => this.#stop(messageOf(signal.reason));
    const undo = [
      this.#clock.after(timeMs, () =>
        this.#stop(`the script ran for more than ${timeMs / 1000} s and was stopped`),
      ),
      this.#clock.every(MEMORY_CHECK_MS, () => void this.#checkMemory(limits)),
      () => signal.removeEventListener('abort', abort),
    ];
    signal.addEventListener('abort', abort);
    const { is, file, text, values } = job;
    if (!this.#isAlive) this.#onEnd('the process of the script has ended');
    else this.#send(is === 'check' ? { is, file, text } : { is, file, text, values, outputLimit });
    if (signal.aborted) abort();
    try {
      const result = await ended.promise;
      this.peakBytes = Math.max(this.peakBytes, result.peakBytes);
      return result;
    } finally {
      for (const cancel of undo) cancel();
    }
  }

  /** Ends the process, even if it is busy. */
  close(): Promise<void> {
    this.#stopReason ??= 'the gateway is stopping';
    this.#process.kill('SIGKILL');
    return this.exited;
  }

  #send(message: ToChild): void {
    if (this.#isAlive) this.#channel?.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * Makes the script report its position and the process end. A script that waits for a reply gets the
   * request in that reply; others get the signal on which V8 prints the stack and exits (`--trace-sigint`),
   * whatever loop they are in.
   */
  #stop(why: string): void {
    if (!this.isUsable) return;
    this.#stopReason = why;
    if (this.#isCalling) this.#send({ is: 'stop', why });
    else this.#process.kill('SIGINT');
    this.#cancelGrace = this.#clock.after(GRACE_MS, () => this.#process.kill('SIGKILL'));
  }

  #onEnd(why: string): void {
    this.#isAlive = false;
    this.#cancelGrace();
    const message = this.#stopReason ?? why;
    const at = findPosition(this.#stderr);
    const { peakBytes } = this;
    this.#settle({ is: 'failed', message, at, output: '', isBroken: false, isLast: true, peakBytes });
  }

  #settle(result: RunResult | RunFailure): void {
    if (result.is === 'failed' && result.isLast) this.#stopReason ??= result.message;
    this.#current?.ended.resolve(result);
    this.#current = undefined;
    this.#isCalling = false;
  }

  #reasonOf(code: number | null, signal: NodeJS.Signals | null): string {
    // 134 and SIGABRT: V8 ran out of heap before the script could be stopped.
    return code === 134 || signal === 'SIGABRT'
      ? overMemory(this.heapMiB)
      : `the script's process ended (${signal ?? code})`;
  }

  /** Handles V8's line about a garbage collection; the remaining heap is live. */
  #onCollection(line: string): void {
    const [, liveMiB] = /-> ([\d.]+) \(/.exec(line) ?? [];
    if (this.#current !== undefined && Number(liveMiB) > this.heapMiB) this.#stop(overMemory(this.heapMiB));
  }

  async #checkMemory({ residentMiB }: ScriptLimits): Promise<void> {
    // Unlike `statm`, it does not count in pages, whose size depends on the kernel.
    const status = await readFile(`${this.#proc}/${this.#process.pid}/status`, 'utf8').catch(() => '');
    const bytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KIB;
    this.peakBytes = Math.max(this.peakBytes, bytes);
    if (bytes > residentMiB * MIB) this.#stop(overMemory(residentMiB));
  }

  #onData(bytes: Buffer): void {
    this.#size += bytes.length;
    // Output is JSON, in which a character has up to six bytes.
    const limit = CALL_LIMIT + 6 * (this.#current?.limits.output ?? 0);
    if (this.#size > limit) {
      // The process may ignore the signal and continue to write until it is killed.
      this.#buffer = [];
      return this.#stop(`the script sent more than ${limit} bytes in one message`);
    }
    this.#buffer.push(bytes);
    // The script waits for a reply after each message: a newline is always the last byte received.
    if (bytes.at(-1) !== 10) return;
    const line = Buffer.concat(this.#buffer).toString('utf8');
    this.#buffer = [];
    this.#size = 0;
    this.#onMessage(line);
  }

  #onMessage(line: string): void {
    let message: FromChild;
    try {
      message = parseMessage(line);
    } catch {
      return this.#stop('the script wrote an invalid message to its channel and was stopped');
    }
    const current = this.#current;
    if (current === undefined) return;
    if (message.is !== 'call' && message.is !== 'include') return this.#settle(message);
    if (this.#stopReason !== undefined) return this.#send({ is: 'stop', why: this.#stopReason });
    this.#isCalling = true;
    void this.#reply(current, message);
  }

  async #reply(current: Current, call: Exclude<FromChild, RunResult | RunFailure>): Promise<void> {
    const { job, rateLimit, limits } = current;
    const waitMs = rateLimit.take();
    if (waitMs === undefined)
      return this.#stop(`the script made more than ${limits.calls} calls and was stopped`);
    if (waitMs > 0) await delay(this.#clock, waitMs);
    if (this.#current !== current || !this.isUsable) return;
    let reply: string;
    try {
      const value: unknown = await (call.is === 'call'
        ? job.call(call.method, call.params)
        : job.include(call.what));
      const text = value instanceof ChunkedResult ? await joinChunks(value) : JSON.stringify(value);
      reply = `{"is":"result","value":${text ?? 'null'}}`;
    } catch (thrown) {
      const code = thrown instanceof Fault ? thrown.code : 'INTERNAL';
      reply = JSON.stringify({ is: 'fault', message: messageOf(thrown), code });
    }
    if (this.#current !== current || !this.isUsable) return;
    this.#isCalling = false;
    this.#channel?.write(`${reply}\n`);
  }
}

const overMemory = (mib: number): string => `the script used more than ${mib} MiB and was stopped`;

/**
 * Starts a process. Its environment has only the time zone; everything else is sent over its channel.
 */
function start(heapMiB: number): ChildProcess {
  const [launcher = '', ...args] = scriptCommand(heapMiB);
  const { TZ } = process.env;
  try {
    return spawn(launcher, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: TZ === undefined ? {} : { TZ },
      cwd: '/',
    });
  } catch (thrown) {
    // Out of memory, spawn throws instead of emitting an error event.
    const failed = new ChildProcess();
    onNextIteration(() => failed.emit('error', thrown));
    return failed;
  }
}

/** Calls `onLine` for each complete line. */
function lines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = (parts.pop() ?? '').slice(-STDERR_LIMIT);
    for (const line of parts) onLine(line);
  });
}
