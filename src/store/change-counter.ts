import type { Changes } from '../kernel/changes.js';
import { blockAfter, COUNTER_BLOCK } from './worker-protocol.js';

/**
 * A database from a backup knows nothing of the counters given out since. It goes on after as many as can have been: a
 * thousand changes a second since then, and a week where the clock can't say.
 */
const CHANGES_PER_S = 1000;
const WEEK_S = 7 * 24 * 3600;

/** Before any gateway ran: from here a counter is estimated that is lost. */
export const FIRST_MS = Date.UTC(2026, 0, 1);

/** Where a counter goes on after a backup of that time was taken, so that it never goes back. */
export function counterAfterBackup(
  counter: number,
  { backupMs, nowMs }: { backupMs: number; nowMs: number },
): number {
  return blockAfter(counter + Math.max(WEEK_S, (nowMs - backupMs) / 1000) * CHANGES_PER_S);
}

/**
 * Keeps the counters of changes reserved ahead on the disk (decision 9): at least a block beyond the newest, however fast
 * they go, so that after a power cut none is given out twice.
 */
export class CounterReserve {
  readonly #unlisten: () => void;
  #reserved: number;

  /** `reserve` brings the new end of what is reserved to the disk, soon. */
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
