import type { Clock } from '../../../src/base/clock.js';
import type { Entry, Priority } from './entry.js';
import type { QueueCounters } from './queue-counters.js';
import type { QueueFiles } from './queue-files.js';

/** What became of values that were sent. Those in neither list were acknowledged. */
export interface Delivery {
  /** Not acknowledged; they are sent again, but not before the next `attach`. */
  readonly failed: readonly Entry[];
  /** Rejected by the receiver for good. */
  readonly rejected: readonly Entry[];
}

/** Sends values. */
export interface Receiver {
  /** Limits of values per call, and of calls in flight with live values. */
  readonly batch: number;
  readonly window: number;
  /** Resolves when the receiver has acknowledged the values, or cannot. Never rejects. */
  send(entries: readonly Entry[], isHistorical: boolean): Promise<Delivery>;
}

export interface ForwardQueueOptions {
  readonly files: QueueFiles;
  readonly clock: Clock;
  /** Identifies this run of the kernel. */
  readonly boot: string;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Values that are not acknowledged are written this often. */
  readonly writeIntervalMs: number;
  /** Historical values per second. */
  readonly resendRate: number;
  priorityOf(path: string): Priority;
  /** Called when the disk does not accept values, and with undefined when it does again. */
  onDiskProblem(thrown: unknown): void;
}

/** What waits in a queue. */
export interface QueueFigures {
  readonly waiting: number;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly bytesWritten: number;
  /** The sequence number of the next value. */
  readonly nextSeq: number;
  readonly counters: QueueCounters;
  waitingOf(priority: Priority): { count: number; bytes: number; oldestMs: number | undefined };
}
