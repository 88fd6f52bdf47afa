import { coded } from '../base/codes/coded-text.js';
import { Deadline, type Deadlines } from '../base/deadlines.js';
import { fault, isAbort } from '../base/fault.js';
import type { InstanceStatistics } from './instance-statistics.js';

/** A caller waits for it; no relay, line or broker needs longer. */
export const WRITE_TIMEOUT_MS = 10_000;

interface CommandOptions {
  /** When the command was sent to the driver, monotonic. */
  readonly startNs: bigint;
  readonly deadlines: Deadlines;
  /** Gets its duration and its failure. */
  readonly statistics: InstanceStatistics;
  /** Called if the device does not reply in time. */
  onTimeout(cause: Error): void;
}

/**
 * Gives a command its deadline and records its latency. Resolves with true when the device has replied;
 * rejects as it does, with `TIMED_OUT`, or with `DEVICE_OFFLINE` if the instance was closed meanwhile.
 */
export function withCommandDeadline(
  reply: Promise<void>,
  { startNs, deadlines, statistics, onTimeout }: CommandOptions,
): Promise<true> {
  return new Promise((resolve, reject) => {
    const deadline = new Deadline(WRITE_TIMEOUT_MS, () => {
      const timeout = fault('TIMED_OUT', coded`WHAT_DEVICE: The device`);
      onTimeout(timeout);
      reject(timeout);
    });
    const end = (hasFailed: boolean) => {
      deadlines.cancel(deadline);
      statistics.command.recordSince(startNs, hasFailed);
    };
    deadlines.restart(deadline);
    reply.then(
      () => {
        end(false);
        resolve(true);
      },
      (thrown: Error) => {
        end(true);
        if (!isAbort(thrown)) statistics.countFailedCommand(thrown);
        reject(
          isAbort(thrown)
            ? fault('DEVICE_OFFLINE', coded`INSTANCE_CLOSED_MEANWHILE: the instance was closed meanwhile`)
            : thrown,
        );
      },
    );
  });
}
