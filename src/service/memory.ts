import type { Cancel, Clock } from '../base/clock.js';
import { collectGarbage } from '../base/v8/collect-garbage.js';
import { loadServiceAddon } from './notify.js';

/** Returns unused memory to the kernel: collects the heap, and trims the C library's allocator. */
export async function releaseMemory(): Promise<void> {
  await collectGarbage();
  // It takes some milliseconds if there is much free memory.
  loadServiceAddon().trimAllocator();
}

/** Interval of the measurements; each reads a file of /proc, which takes some microseconds. */
const CHECK_INTERVAL_MS = 5_000;
/** Memory is released only after it grew by this much, because less does not justify a collection, … */
const GROWTH_BYTES = 32 * 1024 * 1024;
/** … and by this share, because collecting a large heap takes longer. */
const GROWTH_SHARE = 0.25;
/** The event loop is idle if it was busy for less than this share of the time since the last check. */
const IDLE_SHARE = 0.1;
/** Largest share of time for collections: after one of 100 ms, there is none for at least 100 s. */
const MAX_SHARE = 0.001;
const LEAST_PAUSE_MS = 30_000;
/** What the start took is released after this time even if the event loop is never idle. */
const START_LIMIT_MS = 60_000;

/** Measures and releases memory; tests replace it. */
interface MemoryMeter {
  /** Resident, bytes. */
  resident(): number;
  /** The share of the time since the last call in which the event loop was busy. */
  busy(): number;
  /** Releases unused memory. */
  release(): Promise<void>;
}

/** The meter of this process. */
function processMeter(): MemoryMeter {
  let last = performance.eventLoopUtilization();
  return {
    resident: () => process.memoryUsage.rss(),
    busy: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    release: releaseMemory,
  };
}

/**
 * Releases memory automatically as soon as the event loop is idle: what the start took, and later what a burst
 * took, when the process has grown. Returns a function that stops this.
 */
export function releaseWhenIdle(
  clock: Pick<Clock, 'every' | 'monotonicNs'>,
  meter: MemoryMeter = processMeter(),
): Cancel {
  // Bytes in use after the last release. Before the first one, everything counts as growth.
  let base = 0;
  const nowMs = () => Number(clock.monotonicNs() / 1_000_000n);
  const startedMs = nowMs();
  let pauseUntilMs = startedMs;
  let isReleasing = false;
  const check = async () => {
    const isFirstDue = base === 0 && nowMs() - startedMs >= START_LIMIT_MS;
    const mayPause = meter.busy() < IDLE_SHARE || isFirstDue;
    const resident = meter.resident();
    base = Math.min(base, resident);
    const isLarge = resident - base > Math.max(GROWTH_BYTES, base * GROWTH_SHARE);
    if (!mayPause || !isLarge || isReleasing || nowMs() < pauseUntilMs) return;
    isReleasing = true;
    const fromMs = nowMs();
    try {
      await meter.release();
    } finally {
      // The remaining memory is in use.
      base = meter.resident();
      pauseUntilMs = nowMs() + Math.max(LEAST_PAUSE_MS, (nowMs() - fromMs) / MAX_SHARE);
      isReleasing = false;
    }
  };
  meter.busy();
  // A failed release is retried after further growth.
  return clock.every(CHECK_INTERVAL_MS, () => void check().catch(() => undefined));
}
