import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.js';
import { Fault, fault, messageOf } from '../base/fault.js';
import { gather, PiecedResult } from '../base/pieces.js';
import { CHANNEL, type FromChild, type ToChild } from './protocol.js';

const PROGRAM = fileURLToPath(new URL('./child.js', import.meta.url));

/** What a script may use before it is stopped; each is a reason that its fault names. */
export interface ScriptLimits {
  /** Wall-clock time of one run. */
  readonly timeMs: number;
  /** JavaScript heap. */
  readonly heapMiB: number;
  /** All memory of the process, buffers outside the heap included; about 60 MiB are Node's own. */
  readonly residentMiB: number;
  /** Characters printed; the original's is 1,048,576 (ScriptOutputBufferLimit, interface §4). */
  readonly output: number;
  /** Scripts that run at the same time, those that others wait for not counted: each is a process of about 60 MiB. */
  readonly atOnce: number;
}

export const scriptLimits: ScriptLimits = {
  timeMs: 30_000,
  heapMiB: 64,
  residentMiB: 256,
  output: 1_048_576,
  atOnce: 4,
};

/** How often the memory of a running script is looked at. */
const LOOK_EVERY_MS = 250;
/** One message from a script: a value of 1 MiB with room for its JSON. More is a script gone wild. */
const MESSAGE_LIMIT = 16 * 1024 * 1024;
const PAGE_BYTES = 4096;

/** One script to be run: its text, the name that its errors show, and the values it finds as globals. */
export interface ScriptJob {
  readonly file: string;
  readonly text: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Answers its calls. */
  readonly call: (method: string, params: readonly unknown[]) => unknown;
}

/** How a run ended. */
export type ScriptResult = Exclude<FromChild, { is: 'call' }>;

/** A process that runs scripts, one at a time. What happens in it, up to its death, is its run's failure and no more. */
export class ScriptWorker {
  readonly #process: ChildProcess;
  readonly #channel: Duplex;
  readonly #clock: Clock;
  readonly #limits: ScriptLimits;
  readonly exited: Promise<void>;
  #buffer: Buffer[] = [];
  #size = 0;
  #run: { readonly job: ScriptJob; readonly ended: PromiseWithResolvers<ScriptResult> } | undefined;
  #killedFor: string | undefined;
  #isAlive = true;

  constructor(names: readonly string[], clock: Clock, limits: ScriptLimits) {
    this.#clock = clock;
    this.#limits = limits;
    const flags = [
      `--max-old-space-size=${limits.heapMiB}`,
      '--max-semi-space-size=1',
      '--permission',
      `--allow-fs-read=${dirname(PROGRAM)}/`,
    ];
    // Nothing of our environment: a script's process knows what it is told over its channel.
    const options = { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] as 'pipe'[], env: {}, cwd: '/' };
    this.#process = spawn(process.execPath, [...flags, PROGRAM], options);
    this.#channel = this.#process.stdio[CHANNEL] as Duplex;
    this.#channel.on('data', (bytes: Buffer) => this.#received(bytes));
    this.#channel.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      const end = (why: string) => {
        this.#isAlive = false;
        this.#run?.ended.reject(fault('SCRIPT_FAILED', this.#killedFor ?? why));
        this.#run = undefined;
        resolve();
      };
      this.#process.once('error', (thrown) => end(messageOf(thrown)));
      // 134 and SIGABRT: V8 ran out of heap.
      this.#process.once('exit', (code, signal) =>
        end(
          code === 134 || signal === 'SIGABRT'
            ? this.#overHeap()
            : `the script's process ended (${signal ?? code})`,
        ),
      );
    });
    this.#send({ is: 'functions', names });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Runs one script. Rejects with `SCRIPT_FAILED` when it was stopped or its process died; this worker is dead then. */
  async run(job: ScriptJob): Promise<ScriptResult> {
    const ended = Promise.withResolvers<ScriptResult>();
    this.#run = { job, ended };
    const { timeMs } = this.#limits;
    const cancelTime = this.#clock.after(timeMs, () =>
      this.#kill(`the script ran for more than ${timeMs / 1000} s and was stopped`),
    );
    const cancelLook = this.#clock.every(LOOK_EVERY_MS, () => void this.#look());
    this.#send({
      is: 'run',
      file: job.file,
      text: job.text,
      values: job.values,
      outputLimit: this.#limits.output,
    });
    try {
      return await ended.promise;
    } finally {
      cancelTime();
      cancelLook();
    }
  }

  /** Ends the process, idle or not. */
  close(): Promise<void> {
    this.#kill('the gateway is stopping');
    return this.exited;
  }

  #send(message: ToChild): void {
    this.#channel.write(`${JSON.stringify(message)}\n`);
  }

  #kill(why: string): void {
    this.#killedFor ??= why;
    this.#process.kill('SIGKILL');
  }

  #overHeap(): string {
    return `the script used more than ${this.#limits.heapMiB} MiB and was stopped`;
  }

  async #look(): Promise<void> {
    const statm = await readFile(`/proc/${this.#process.pid}/statm`, 'utf8').catch(() => '');
    const residentMiB = (Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES) / 1024 / 1024;
    if (residentMiB > this.#limits.residentMiB)
      this.#kill(`the script used more than ${this.#limits.residentMiB} MiB and was stopped`);
  }

  #received(bytes: Buffer): void {
    this.#buffer.push(bytes);
    this.#size += bytes.length;
    if (this.#size > MESSAGE_LIMIT)
      return this.#kill(`the script sent more than ${MESSAGE_LIMIT} bytes at once and was stopped`);
    // The script waits for its answer after each message: a line is the last thing in what has come.
    if (bytes.at(-1) !== 10) return;
    const line = Buffer.concat(this.#buffer).toString('utf8');
    this.#buffer = [];
    this.#size = 0;
    this.#message(line);
  }

  #message(line: string): void {
    let message: FromChild;
    try {
      message = JSON.parse(line) as FromChild;
    } catch {
      return this.#kill('the script wrote to its channel and was stopped');
    }
    const run = this.#run;
    if (run === undefined) return;
    if (message.is === 'call') void this.#answer(run.job, message);
    else {
      this.#run = undefined;
      run.ended.resolve(message);
    }
  }

  async #answer({ call }: ScriptJob, { method, params }: Extract<FromChild, { is: 'call' }>): Promise<void> {
    try {
      const value = await call(method, params);
      this.#send({
        is: 'result',
        value: value instanceof PiecedResult ? (JSON.parse(await gather(value)) as unknown) : value,
      });
    } catch (thrown) {
      this.#send({
        is: 'fault',
        message: messageOf(thrown),
        code: thrown instanceof Fault ? thrown.code : 'INTERNAL',
      });
    }
  }
}
