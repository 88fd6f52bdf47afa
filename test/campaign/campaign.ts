import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Program } from '../tools/program.js';
import type { Random } from '../tools/random.js';
import { until } from '../tools/until.js';
import { allowedAfter } from './facts.js';
import { applyCrash, copyBase, type Base, type CrashKind } from './crash-state.js';
import { type Operation, readOperations } from './operation-log.js';
import { scenarios } from './scenarios.js';
import { problemAfterCrash } from './verdict.js';

const here = dirname(fileURLToPath(import.meta.url));

/** On a file system that records each write: seconds on an idle machine. */
const SCENARIO_LIMIT_MS = 300_000;

/** One recorded run of a scenario. */
export class Recording implements AsyncDisposable {
  readonly #directory: string;
  readonly #base: Base;
  readonly operations: readonly Operation[];

  private constructor(directory: string, base: Base, operations: readonly Operation[]) {
    this.#directory = directory;
    this.#base = base;
    this.operations = operations;
  }

  /** Runs a scenario on a directory that `recordfs` (its path) records. */
  static async make(name: string, seed: number, recordfs: string): Promise<Recording> {
    const directory = await mkdtemp(join(tmpdir(), 'stellwerk-campaign-'));
    const [original, log, mount] = [
      join(directory, 'original'),
      join(directory, 'log'),
      mountPoint(directory),
    ];
    // The gateway is prepared where it will run, because its configuration has paths.
    await mkdir(mount);
    await scenarios[name]?.prepare(mount);
    cpSync(mount, original, { recursive: true });
    const base = copyBase(original, join(directory, 'base'));
    await rm(mount, { recursive: true });
    await mkdir(mount);
    await using recorder = new Program(recordfs, ['-f', '-s', original, log, mount]);
    await until('the recorded directory', () => isMounted(mount));
    await using scenario = new Program(process.execPath, [
      join(here, 'recorded-run.js'),
      name,
      mount,
      String(seed),
    ]);
    const code = await scenario.ended(SCENARIO_LIMIT_MS);
    await recorder.end('SIGTERM');
    if (code !== 0) throw new Error(`the scenario ${name} failed: ${scenario.output}`);
    return new Recording(directory, base, await readOperations(log));
  }

  /**
   * A crash after the first `count` operations, and a start after it. Returns what is wrong then, or undefined.
   */
  async crash(count: number, kind: CrashKind, random: Random): Promise<string | undefined> {
    const target = join(this.#directory, 'after');
    await rm(target, { recursive: true, force: true });
    cpSync(this.#base.copy, target, { recursive: true });
    applyCrash(this.#base, this.operations, { count, kind, random, target });
    const config = join(target, 'gateway.yaml');
    if (!existsSync(config)) return 'gateway.yaml is missing';
    const text = await readFile(config, 'utf8');
    await writeFile(config, text.replaceAll(mountPoint(this.#directory), target));
    return problemAfterCrash(target, allowedAfter(this.operations, count));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }
}

const mountPoint = (directory: string): string => join(directory, 'mounted');

async function isMounted(directory: string): Promise<boolean> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  return mounts.includes(` ${directory} fuse`);
}
