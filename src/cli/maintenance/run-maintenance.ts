import { Worker } from 'node:worker_threads';
import { systemClock } from '../../base/clock.js';
import { replyOf } from '../../base/worker-reply.js';
import type { SalvageReport } from '../../composition/salvage-archives.js';
import { type SharedProgress, withSharedProgress } from '../../sqlite/shared-progress.js';
import type { BackupResult } from '../../store/backup.js';
import { ProgressLine } from '../output/progress-line.js';

/** A job on the files of a gateway that the command line does, not the gateway. */
export type MaintenanceJob =
  | {
      readonly kind: 'backup';
      readonly directory: string;
      readonly to: string;
      readonly config: string | undefined;
    }
  | {
      readonly kind: 'restore';
      readonly backup: string;
      readonly directory: string;
      readonly config: string | undefined;
      readonly replace: boolean;
      readonly nowMs: number;
    }
  | {
      readonly kind: 'salvage';
      readonly directory: string;
      readonly file: string | undefined;
      readonly write: boolean;
      readonly nowMs: number;
    };

/** The results of the jobs. */
interface MaintenanceResults {
  readonly backup: BackupResult;
  readonly restore: readonly string[];
  readonly salvage: readonly SalvageReport[];
}

/** What the worker gets, and what it replies. */
export interface MaintenanceRequest {
  readonly job: MaintenanceJob;
  readonly progress: SharedProgress;
}
export type MaintenanceReply =
  { readonly result: unknown } | { readonly failure: string; readonly code: string | undefined };

/** The texts for a job in progress. */
interface JobDisplay {
  /** The text of the progress line. */
  readonly textOf: (done: number, total: number) => string;
  /** What a cancelled job leaves. */
  readonly cancelled: string;
}

/** The user cancelled a command; the message says what that leaves. */
class CancelledCommand extends Error {
  override readonly name = 'AbortError';
}

/**
 * Does a job in a thread of its own, because it would block this one: Ctrl-C cancels it, and its progress is
 * shown on a terminal. Rejects with an `AbortError` if it was cancelled.
 */
export async function runMaintenance<J extends MaintenanceJob>(
  job: J,
  { textOf, cancelled }: JobDisplay,
): Promise<MaintenanceResults[J['kind']]> {
  using line = new ProgressLine(() => systemClock().nowMs());
  const report = (done: number, total: number) => {
    if (!line.signal.aborted) line.update(textOf(done, total));
  };
  const reply = await withSharedProgress({ signal: line.signal, report }, systemClock(), (progress) =>
    request({ job, progress }),
  );
  if ('result' in reply) return reply.result as MaintenanceResults[J['kind']];
  if (reply.code === 'CANCELLED') throw new CancelledCommand(`cancelled: ${cancelled}`);
  throw new Error(reply.failure);
}

function request(workerData: MaintenanceRequest): Promise<MaintenanceReply> {
  const worker = new Worker(new URL('maintenance-worker.js', import.meta.url), { workerData });
  return replyOf(worker, (message: MaintenanceReply) => message);
}
