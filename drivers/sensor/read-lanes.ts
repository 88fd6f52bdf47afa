import type { Clock } from '../../src/base/clock.js';
import { SerialQueue } from '../../src/base/serial-queue.js';

/** Reads at the same time, and the limit with those that are overdue; both per gateway. */
export const CONCURRENT_READS = 2;
export const READ_THREADS = 3;

/** A read that takes longer is overdue: the kernel's timeout for a transfer on an I²C bus is 1 s. */
export const OVERDUE_MS = 3000;

interface Lane {
  readonly queue: SerialQueue;
  isOverdue: boolean;
}

/**
 * Limits the reads of all sensors. A read in the kernel cannot be cancelled, and occupies one of the four
 * threads of libuv's pool. Each bus has at most one read at a time, because the kernel serialises its
 * transfers anyway. An overdue read no longer counts among the concurrent ones: a bus that hangs keeps one
 * thread, and the other buses go on. One thread is always left to the rest of the gateway.
 */
export class ReadLanes {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #lanes = new Map<string, Lane>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #overdue = 0;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Whether a read of this bus has been in progress for more than 3 s. */
  isOverdue(bus: string): boolean {
    return this.#lanes.get(bus)?.isOverdue === true;
  }

  /** Runs a read after those of the same bus; settles as it does. */
  run<T>(bus: string, read: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(bus) ?? { queue: new SerialQueue(), isOverdue: false };
    this.#lanes.set(bus, lane);
    return lane.queue.run(async () => {
      while (!this.#mayStart()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      this.#running += 1;
      const cancel = this.#clock.after(OVERDUE_MS, () => {
        lane.isOverdue = true;
        this.#running -= 1;
        this.#overdue += 1;
        this.#startNext();
      });
      try {
        return await read();
      } finally {
        cancel();
        if (lane.isOverdue) this.#overdue -= 1;
        else this.#running -= 1;
        lane.isOverdue = false;
        this.#startNext();
      }
    });
  }

  #mayStart(): boolean {
    return this.#running < CONCURRENT_READS && this.#running + this.#overdue < READ_THREADS;
  }

  #startNext(): void {
    if (this.#mayStart()) this.#waiting.shift()?.();
  }
}
