import { fault } from '../base/fault.js';
import type { Clock } from '../base/clock.js';
import type { TaskProgress } from '../base/tasks/task-list.js';

/** Interval in which the progress of a worker is read, ms. */
const READ_MS = 100;
/** Positions in the shared memory. */
const CANCELLED = 0;
const DONE = 1;
const TOTAL = 2;

/**
 * Memory that a worker and its client share: the worker is blocked while it serves a request, so it can
 * neither send messages nor receive them.
 */
export type SharedProgress = Int32Array<SharedArrayBuffer>;

/** Calls a worker with shared memory, and passes progress and cancellation on while it works. */
export async function withSharedProgress<T>(
  { signal, report }: TaskProgress,
  clock: Pick<Clock, 'every'>,
  request: (progress: SharedProgress) => Promise<T>,
): Promise<T> {
  const shared = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  const cancel = () => void Atomics.store(shared, CANCELLED, 1);
  const read = () => report(Atomics.load(shared, DONE), Atomics.load(shared, TOTAL));
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel);
  const stop = clock.every(READ_MS, read);
  try {
    return await request(shared);
  } finally {
    stop();
    read();
    signal.removeEventListener('abort', cancel);
  }
}

/** Called by the worker: notes how far it is. Throws `CANCELLED` if it must stop. */
export function noteProgress(shared: SharedProgress | undefined, done: number, total: number): void {
  if (shared === undefined) return;
  Atomics.store(shared, DONE, done);
  Atomics.store(shared, TOTAL, total);
  if (Atomics.load(shared, CANCELLED) === 1) throw fault('CANCELLED');
}
