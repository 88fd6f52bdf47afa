import type { Changes } from '../kernel/changes.js';
import { blockAfter, COUNTER_BLOCK } from './messages.js';

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
