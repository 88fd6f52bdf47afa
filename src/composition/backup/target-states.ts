import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-write.js';
import type { TextRecord } from '../../base/codes/coded-text.js';
import { parseJsonOr } from '../../base/json.js';

/** What is known of a target; times are unix milliseconds, 0 for never. */
export interface TargetState {
  /** The newest backup that was stored and read back. */
  readonly lastMs: number;
  readonly lastName: string;
  /** When the next attempt is made after a failure, and how many failed in a row. */
  readonly retryMs: number;
  readonly failures: number;
  /** Why the last attempt failed, or what it found to be wrong on the target; null if there is nothing. */
  readonly failure: TextRecord | null;
  readonly verifiedMs: number;
  /** When the next verification is made after a failure, if no new backup is stored before. */
  readonly verifyRetryMs: number;
  /** Why the last verification failed; null if it did not. */
  readonly verifyFailure: TextRecord | null;
}

const NEVER: TargetState = {
  lastMs: 0,
  lastName: '',
  retryMs: 0,
  failures: 0,
  failure: null,
  verifiedMs: 0,
  verifyRetryMs: 0,
  verifyFailure: null,
};

/** What is known of the targets, in a file of the data directory. */
export class TargetStates {
  readonly #path: string;
  #states: Readonly<Record<string, Partial<TargetState>>> = {};

  constructor(directory: string) {
    this.#path = join(directory, 'backup-targets.json');
  }

  async load(): Promise<void> {
    // Without the file, each target is due: that costs one backup.
    const text = await readFile(this.#path, 'utf8').catch(() => undefined);
    this.#states = parseJsonOr(text, {});
  }

  of(name: string): TargetState {
    return { ...NEVER, ...this.#states[name] };
  }

  async set(name: string, change: Partial<TargetState>): Promise<void> {
    this.#states = { ...this.#states, [name]: { ...this.of(name), ...change } };
    await writeFileAtomically(this.#path, JSON.stringify(this.#states), 0o600);
  }
}
