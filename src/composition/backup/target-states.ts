import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-write.js';
import type { TextRecord } from '../../base/codes/coded-text.js';
import { parseJsonOr } from '../../base/json.js';

/** A target, and what changes if what is known of it no longer applies: its place and the recovery key. */
export interface KnownTarget {
  readonly name: string;
  readonly identity: string;
}

/** What is known of a target; times are unix milliseconds, 0 for never. */
export interface TargetState {
  readonly identity: string;
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

const NEVER: Omit<TargetState, 'identity'> = {
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

  of({ name, identity }: KnownTarget): TargetState {
    const known = this.#states[name];
    // Earlier versions stored no identity.
    return { ...NEVER, ...((known?.identity ?? identity) === identity && known), identity };
  }

  async set(target: KnownTarget, change: Partial<TargetState>): Promise<void> {
    this.#states = { ...this.#states, [target.name]: { ...this.of(target), ...change } };
    await writeFileAtomically(this.#path, JSON.stringify(this.#states), 0o600);
  }
}
