import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withinPatience } from './until.js';

/** True when a program of that name is on the path; otherwise its tests skip, saying so. */
export function hasProgram(name: string): boolean {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return places.some((place) => {
    try {
      accessSync(join(place, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * The environment for a program of a test, without variables that decide about colours: a build server sets
 * CI.
 */
export function environment(own: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const decided = {
    CI: undefined,
    FORCE_COLOR: undefined,
    NO_COLOR: undefined,
    NODE_DISABLE_COLORS: undefined,
  };
  return { ...process.env, ...decided, ...own };
}

/** A program that runs next to a test: its output, its exit, and its end with the test. */
export class Program implements AsyncDisposable {
  readonly process: ChildProcess;
  /** Its complete output, on both channels. */
  output = '';
  #changed = Promise.withResolvers<void>();

  /** Starts it. An early exit is reported by `waitFor`, not here. */
  constructor(
    command: string,
    args: readonly string[],
    options: { env?: NodeJS.ProcessEnv; cwd?: string; stdin?: 'pipe' | 'ignore' } = {},
  ) {
    const path = `${process.env['PATH'] ?? ''}${delimiter}/usr/sbin${delimiter}/sbin`;
    const env = environment({ PATH: path, ...options.env });
    this.process = spawn(command, args, {
      ...options,
      env,
      stdio: [options.stdin ?? 'ignore', 'pipe', 'pipe'],
    });
    for (const channel of [this.process.stdout, this.process.stderr]) {
      channel?.on('data', (data: Buffer) => this.#heard(data.toString()));
    }
    this.process.on('error', (error) => this.#heard(error.message));
    this.process.on('close', () => this.#heard(''));
  }

  /** Waits until its output matches, and returns the match; rejects if it exits before. */
  async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found;
      if (!this.isRunning) throw new Error(`It exited without printing ${pattern}: ${this.output}`);
      await withinPatience(`${pattern} in: ${this.output}`, this.#changed.promise);
    }
  }

  /** Waits for its exit, and returns the exit code, or the signal that ended it. */
  async ended(withinMs?: number): Promise<number | NodeJS.Signals | null> {
    if (this.isRunning) await withinPatience('the end of a program', once(this.process, 'close'), withinMs);
    return this.process.exitCode ?? this.process.signalCode;
  }

  get isRunning(): boolean {
    return (
      this.process.pid !== undefined && this.process.exitCode === null && this.process.signalCode === null
    );
  }

  /** Ends it (with SIGTERM by default) and waits for the exit; allowed if it has exited already. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.isRunning) this.process.kill(signal);
    await this.ended().catch(() => this.process.kill('SIGKILL'));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  #heard(text: string): void {
    this.output += text;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
