import { coded } from '../base/codes/coded-text.js';
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import type { Clock } from '../base/clock.js';
import { fault, faultFrom, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { ProgramRequest } from '../base/requests/program-request.js';

/** The `PATH` of the programs. */
const PATH = '/usr/local/bin:/usr/bin:/bin';
/** Time limit of a program whose output the caller waits for: the default time limit of a script. */
export const WAITED_MS = 30_000;
/** Time limit of a program in the background; a media player that hangs must not run indefinitely. */
export const UNWAITED_MS = 3_600_000;
/** Limit of a program's output, bytes: the default limit of a script's output. */
export const OUTPUT_LIMIT = 1024 * 1024;
/**
 * Maximum number of programs at the same time, so that a script that starts many cannot exhaust the machine.
 */
export const MAX_RUNNING = 8;

/** Runs programs without a shell and within limits, and kills them when it is closed. */
export class ProgramRunner {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #log: Log;
  readonly #running = new Set<ChildProcess>();
  #isClosed = false;

  constructor(clock: Pick<Clock, 'after'>, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The number of running programs. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * Runs a program; resolves with its output from stdout and stderr, in order of arrival. Without
   * `waitsForOutput`, resolves with '' as soon as the program has started. Ignores the exit status. Throws
   * `BUSY`, `PROGRAM_FAILED`, `TIMED_OUT`, `TEXT_TOO_LONG`, `STOPPING`.
   */
  async run({ file, args, waitsForOutput }: ProgramRequest): Promise<string> {
    if (this.#isClosed) throw fault('STOPPING');
    if (this.#running.size >= MAX_RUNNING)
      throw fault('BUSY', coded`PROGRAMS_RUNNING: ${MAX_RUNNING} programs are running`);
    const program = start(file, args, {
      cwd: '/',
      env: { PATH, LANG: 'C.UTF-8' },
      stdio: ['ignore', waitsForOutput ? 'pipe' : 'ignore', waitsForOutput ? 'pipe' : 'ignore'],
      // In a separate process group, so that its children can be killed with it.
      detached: true,
    });
    this.#running.add(program);
    const started = Promise.withResolvers<void>();
    program.once('spawn', () => started.resolve());
    program.once('error', (error) =>
      started.reject(faultFrom(error, 'PROGRAM_FAILED', file, messageOf(error))),
    );
    const ended = this.#end(program, { file, waitsForOutput });
    // If the program cannot be started, `started` rejects first and this promise is not awaited.
    ended.catch(() => undefined);
    await started.promise;
    return waitsForOutput ? ended : '';
  }

  /** Kills all running programs. */
  close(): void {
    this.#isClosed = true;
    for (const program of this.#running) kill(program);
  }

  async #end(
    program: ChildProcess,
    { file, waitsForOutput }: { file: string; waitsForOutput: boolean },
  ): Promise<string> {
    const parts: Buffer[] = [];
    let bytes = 0;
    const ended = Promise.withResolvers<void>();
    const stop = (why: Error) => {
      ended.reject(why);
      kill(program);
    };
    for (const channel of [program.stdout, program.stderr])
      channel?.on('data', (data: Buffer) => {
        parts.push(data);
        bytes += data.length;
        if (bytes > OUTPUT_LIMIT)
          stop(fault('TEXT_TOO_LONG', coded`WHAT_OUTPUT: The output of ${file}`, OUTPUT_LIMIT, 'bytes'));
      });
    // Children that it left running would keep its pipes open.
    program.once('exit', () => kill(program));
    program.once('close', () => ended.resolve());
    // Without a free file descriptor there is no `close` event.
    program.once('error', () => ended.resolve());
    const cancel = this.#clock.after(waitsForOutput ? WAITED_MS : UNWAITED_MS, () => {
      this.#log.warn({ file }, 'a program exceeded its time limit and was killed');
      stop(fault('TIMED_OUT', file));
    });
    try {
      await ended.promise;
      if (this.#isClosed) throw fault('STOPPING');
      return Buffer.concat(parts).toString();
    } finally {
      cancel();
      // A child in a session of its own survives, and could write indefinitely.
      program.stdout?.destroy();
      program.stderr?.destroy();
      this.#running.delete(program);
    }
  }
}

/** Starts a program. Without memory, or with an invalid argument, `spawn` throws. */
function start(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return spawn(file, args, options);
  } catch (thrown) {
    throw faultFrom(thrown, 'PROGRAM_FAILED', file, messageOf(thrown));
  }
}

/** Kills a program with its children. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has exited already.
  }
}
