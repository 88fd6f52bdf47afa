import type { Changes } from '../kernel/changes.js';
import { blockAfter, COUNTER_BLOCK } from './worker-protocol.js';

/**
 * After a backup was made, changes got counters that it does not contain. After a restore, the counter continues
 * beyond the highest one possible: a thousand changes per second since the backup, and for at least a week,
 * because the clock may have been set back.
 */
const CHANGES_PER_S = 1000;
const WEEK_S = 7 * 24 * 3600;

/** A time before the first release, from which a lost counter is estimated. */
export const FIRST_MS = Date.UTC(2026, 0, 1);

/** The counter to continue with after restoring a backup, so that it never decreases. */
export function counterAfterBackup(
  counter: number,
  { backupMs, nowMs }: { backupMs: number; nowMs: number },
): number {
  return blockAfter(counter + Math.max(WEEK_S, (nowMs - backupMs) / 1000) * CHANGES_PER_S);
}

/**
 * Reserves counters of changes on the disk in advance (interface, decision 9): at least one block beyond the
 * newest, so that no counter is assigned twice after a power cut.
 */
export class CounterReserve {
  readonly #unlisten: () => void;
  #reserved: number;

  /** `reserved` is the end of the reserved counters; `reserve` schedules a write of a new end. */
  constructor(changes: Changes, reserved: number, reserve: (end: number) => void) {
    this.#reserved = reserved;
    this.#unlisten = changes.listen(({ TimeStamp }) => {
      if (TimeStamp + COUNTER_BLOCK <= this.#reserved) return;
      this.#reserved = blockAfter(TimeStamp) + COUNTER_BLOCK;
      reserve(this.#reserved);
    });
  }

  close(): void {
    this.#unlisten();
  }
}
