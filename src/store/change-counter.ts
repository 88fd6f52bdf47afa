import type { Changes } from '../kernel/changes.js';
import { blockAfter, COUNTER_BLOCK } from './worker-protocol.js';

/**
 * A database from a backup does not know the counters assigned since then. The counter continues after the
 * most that is possible: a thousand changes per second since the backup, or for a week if the clock went
 * back.
 */
const CHANGES_PER_S = 1000;
const WEEK_S = 7 * 24 * 3600;

/** Earlier than any gateway: the start for estimating a lost counter. */
export const FIRST_MS = Date.UTC(2026, 0, 1);

/** Where the counter continues with the data of a backup, so that it never decreases. */
export function counterAfterBackup(
  counter: number,
  { backupMs, nowMs }: { backupMs: number; nowMs: number },
): number {
  return blockAfter(counter + Math.max(WEEK_S, (nowMs - backupMs) / 1000) * CHANGES_PER_S);
}

/**
 * Reserves counters of changes ahead on the disk (interface, decision 9): at least one block beyond the
 * newest, so that none is assigned twice after a power cut.
 */
export class CounterReserve {
  readonly #unlisten: () => void;
  #reserved: number;

  /** `reserve` writes the new end of the reserved counters soon. */
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
