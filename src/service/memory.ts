import { createRequire } from 'node:module';
import type { Cancel, Clock } from '../base/clock.js';
import { nativeFile } from '../base/package-root.js';

const ADDON = nativeFile('notify.node');

/**
 * Gives memory that is not needed back to the machine: what of the heap is not, where the program was started
 * with `gc` (`bin/stellwerk` does; else false), and what the C library holds.
 */
export async function releaseMemory(): Promise<boolean> {
  if (globalThis.gc === undefined) return false;
  await globalThis.gc({ type: 'major', execution: 'async', flavor: 'last-resort' });
  giveBack();
  return true;
}

/** What the C library holds of memory that nobody uses. Takes some milliseconds where that is much. */
function giveBack(): void {
  (createRequire(import.meta.url)(ADDON) as { giveBack(): void }).giveBack();
}

/** How often the memory is measured: one read of /proc, some microseconds. */
const CHECK_INTERVAL_MS = 5_000;
/** Memory is released only when it grew by this much since the last time: less is not worth a collection. */
const GROWTH_BYTES = 32 * 1024 * 1024;
/** … and by this share, because a collection of a large heap takes longer. */
const GROWTH_SHARE = 0.25;
/** The loop is idle when it was busy for less than this share of the time since the last check. */
const IDLE_SHARE = 0.1;
/** A collection may take this share of all time: one of 100 ms is followed by at least 100 s without one. */
const MOST_SHARE = 0.001;
const LEAST_PAUSE_MS = 30_000;

/** What the memory is measured with; a test has its own. */
interface MemoryMeter {
  /** Resident, bytes. */
  resident(): number;
  /** The share of the time since the last call in which the event loop was busy. */
  busy(): number;
  /** Releases what is not needed; false if it can't. */
  release(): Promise<boolean>;
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
 * Releases memory after a burst, without anybody asking: when the process grew by much and its event loop has
 * become idle. Until the function that it returns is called.
 */
export function releaseWhenIdle(
  clock: Pick<Clock, 'every' | 'monotonicNs'>,
  meter: MemoryMeter = processMeter(),
): Cancel {
  const nowMs = () => Number(clock.monotonicNs() / 1_000_000n);
  let base = meter.resident();
  let restUntilMs = nowMs() + LEAST_PAUSE_MS;
  let isReleasing = false;
  const check = async () => {
    const isIdle = meter.busy() < IDLE_SHARE;
    const resident = meter.resident();
    base = Math.min(base, resident);
    const isLarge = resident - base > Math.max(GROWTH_BYTES, base * GROWTH_SHARE);
    if (!isIdle || !isLarge || isReleasing || nowMs() < restUntilMs) return;
    isReleasing = true;
    const fromMs = nowMs();
    try {
      await meter.release();
    } finally {
      // What is still there is needed.
      base = meter.resident();
      restUntilMs = nowMs() + Math.max(LEAST_PAUSE_MS, (nowMs() - fromMs) / MOST_SHARE);
      isReleasing = false;
    }
  };
  meter.busy();
  // A failed release is retried when the memory has grown further.
  return clock.every(CHECK_INTERVAL_MS, () => void check().catch(() => undefined));
}
