import { ManualClock } from '../../../src/base/clock.js';
import { variableType } from '../../../src/device/module.js';
import type { Entry, NewEntry, Priority } from '../../../drivers/bridge/queue/entry.js';
import { ForwardQueue } from '../../../drivers/bridge/queue/forward-queue.js';
import type { Delivery, ForwardQueueOptions, Receiver } from '../../../drivers/bridge/queue/receiver.js';
import type { QueueFiles } from '../../../drivers/bridge/queue/queue-files.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { until } from '../until.js';
import { FakeQueueFiles } from './fake-queue-files.js';

export const INTERVAL_MS = 10_000;

/** The first character of a path is its priority. */
export const priorityOf = (path: string): Priority =>
  path.startsWith('h') ? 'high' : path.startsWith('l') ? 'low' : 'normal';

/** Opens a queue on files in memory, with a clock of tests. */
export async function openQueue(
  options: Partial<ForwardQueueOptions> & { readonly files?: QueueFiles } = {},
): Promise<ForwardQueue> {
  return ForwardQueue.open({
    files: new FakeQueueFiles(),
    clock: new ManualClock(),
    boot: 'boot-1',
    maxBytes: 64 * 1024 * 1024,
    maxAgeMs: 30 * 24 * 3600_000,
    writeIntervalMs: INTERVAL_MS,
    resendRate: 1000,
    priorityOf,
    onDiskProblem: () => undefined,
    ...options,
  });
}

export const valueAt = (path: string, value: number, atMs = 1_700_000_000_000): NewEntry => ({
  path,
  type: variableType.float,
  value,
  quality: 0,
  reason: '',
  atMs,
});

/** A receiver that tests control. */
export class TestReceiver implements Receiver {
  readonly batch: number;
  readonly window = 2;
  readonly live: Entry[] = [];
  readonly historical: Entry[] = [];
  /** All in order. */
  readonly received: Entry[] = [];
  /** If set, calls wait until it resolves. */
  gate: Promise<void> | undefined;
  outcome: (entries: readonly Entry[]) => Delivery = () => ({ failed: [], rejected: [] });

  constructor(batch = 100) {
    this.batch = batch;
  }

  async send(entries: readonly Entry[], isHistorical: boolean): Promise<Delivery> {
    await this.gate;
    const delivery = this.outcome(entries);
    const isOther = new Set([...delivery.failed, ...delivery.rejected]);
    const taken = entries.filter((entry) => !isOther.has(entry));
    (isHistorical ? this.historical : this.live).push(...taken);
    this.received.push(...taken);
    return delivery;
  }
}

export const seqs = (entries: readonly Entry[]): number[] => entries.map(({ seq }) => seq);

/** A receiver that is not reachable. */
export const failing = (entries: readonly Entry[]): Delivery => ({ failed: entries, rejected: [] });

/** Advances the clock in steps until nothing waits. */
export async function drain(queue: ForwardQueue, clock: ManualClock): Promise<void> {
  await until('an empty queue', async () => {
    clock.advance(100);
    await yieldToEventLoop();
    return queue.figures.waiting === 0;
  });
}

/** Lets the write interval pass. */
export async function passInterval(clock: ManualClock, files: FakeQueueFiles): Promise<void> {
  const before = files.writes;
  clock.advance(INTERVAL_MS);
  await until('a write', () => files.writes > before);
  for (let n = 0; n < 20; n++) await yieldToEventLoop();
}
