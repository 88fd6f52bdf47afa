import { Worker } from 'node:worker_threads';
import { fromRecord, type TextRecord } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';
import type { BackupJob, BackupResults } from './backup-job.js';
import { replyOf } from '../base/worker-reply.js';
import type { TaskProgress } from '../base/tasks/task-list.js';

/** What the worker reports: how far it is, and at the end its result or failure. */
export type WorkerMessage =
  | { readonly done: number; readonly total: number }
  | { readonly result: unknown }
  | { readonly failure: TextRecord; readonly code: string | undefined };

/** The failures that a job reports under their own code; all others are failures of the target. */
const CODES = ['RECOVERY_KEY_WRONG', 'BACKUP_DAMAGED', 'STORE_UNUSABLE'] as const;

/**
 * Does a job in a thread of its own: it reads, encrypts and waits for networks for minutes. Rejects with
 * `CANCELLED`, `BACKUP_TARGET_FAILED`, `BACKUP_DAMAGED`, `RECOVERY_KEY_WRONG`, `STORE_UNUSABLE`.
 */
export async function runInWorker<J extends BackupJob>(
  job: J,
  { signal, report }: TaskProgress,
): Promise<BackupResults[J['kind']]> {
  const worker = new Worker(new URL('backup-worker.js', import.meta.url), { workerData: job });
  const cancel = () => worker.postMessage('cancel');
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  try {
    const reply = await replyOf(worker, (message: WorkerMessage) => {
      if (!('done' in message)) return message;
      report(message.done, message.total);
      return undefined;
    });
    if ('failure' in reply) throw failureOf(reply);
    return reply.result as BackupResults[J['kind']];
  } catch (thrown) {
    if (signal.aborted) throw fault('CANCELLED');
    throw thrown;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function failureOf({ failure, code }: Extract<WorkerMessage, { failure: unknown }>): Error {
  const own = CODES.find((known) => known === code);
  return fault(own ?? 'BACKUP_TARGET_FAILED', fromRecord(failure));
}
