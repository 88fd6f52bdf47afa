import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import type { Clock } from '../base/clock.js';
import { fault, faultFrom, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { ProgramRequest } from '../base/program-request.js';

/** Where the programs that it runs find others. */
const PATH = '/usr/local/bin:/usr/bin:/bin';
/** How long a program may run that somebody waits for; as long as a script may by default. */
export const WAITED_MS = 30_000;
/** Time limit of a program that nobody waits for: a media player that hangs must not run indefinitely. */
export const UNWAITED_MS = 3_600_000;
/** What of its output is taken: as much as a script may print. */
export const OUTPUT_LIMIT = 1024 * 1024;
/** At a time: a script that starts one a second must not fill the machine. */
export const AT_ONCE = 8;

/** Runs programs: without a shell, within limits, and none outlives it. */
export class ProgramRunner {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #log: Log;
  readonly #running = new Set<ChildProcess>();
  #isClosed = false;

  constructor(clock: Pick<Clock, 'after'>, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** How many there are now. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * What the program printed, on both channels in the order in which it came; '' immediately if nobody waits.
   * How it ended makes no difference. Throws `BUSY`, `PROGRAM_FAILED`, `TIMED_OUT`, `TEXT_TOO_LONG`,
   * `STOPPING`.
   */
  async run({ file, args, waitsForOutput }: ProgramRequest): Promise<string> {
    if (this.#isClosed) throw fault('STOPPING');
    if (this.#running.size >= AT_ONCE) throw fault('BUSY', `${AT_ONCE} programs are running`);
    const program = spawned(file, args, {
      cwd: '/',
      env: { PATH, LANG: 'C.UTF-8' },
      stdio: ['ignore', waitsForOutput ? 'pipe' : 'ignore', waitsForOutput ? 'pipe' : 'ignore'],
      // A group of its own, so that what it starts ends with it.
      detached: true,
    });
    this.#running.add(program);
    const started = Promise.withResolvers<void>();
    program.once('spawn', () => started.resolve());
    program.once('error', (error) =>
      started.reject(faultFrom(error, 'PROGRAM_FAILED', file, messageOf(error))),
    );
    const ended = this.#end(program, { file, waitsForOutput });
    // If the program cannot be started, `started` rejects first and nobody awaits this one.
    ended.catch(() => undefined);
    await started.promise;
    return waitsForOutput ? ended : '';
  }

  /** Ends all that runs. */
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
        if (bytes > OUTPUT_LIMIT) stop(fault('TEXT_TOO_LONG', `The output of ${file}`, OUTPUT_LIMIT));
      });
    // What it left running would hold its channels open.
    program.once('exit', () => kill(program));
    program.once('close', () => ended.resolve());
    // Without a free descriptor nothing is closed.
    program.once('error', () => ended.resolve());
    const cancel = this.#clock.after(waitsForOutput ? WAITED_MS : UNWAITED_MS, () => {
      this.#log.warn({ file }, 'a program ran too long and was ended');
      stop(fault('TIMED_OUT', file));
    });
    try {
      await ended.promise;
      if (this.#isClosed) throw fault('STOPPING');
      return Buffer.concat(parts).toString();
    } finally {
      cancel();
      this.#running.delete(program);
    }
  }
}

/** Without memory, or with an argument that none can be, it fails before there is a process. */
function spawned(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return spawn(file, args, options);
  } catch (thrown) {
    throw faultFrom(thrown, 'PROGRAM_FAILED', file, messageOf(thrown));
  }
}

/** With all that it started. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
