import { parentPort, workerData } from 'node:worker_threads';
import { recordOf } from '../base/codes/coded-text.js';
import { yieldToEventLoop } from '../base/event-loop.js';
import { codeOf } from '../base/fault.js';
import { runBackupJob, type BackupJob } from './backup-job.js';
import { reasonOf } from './failure-reason.js';
import type { WorkerMessage } from './run-backup-job.js';

const controller = new AbortController();
parentPort?.once('message', () => controller.abort());

async function run(): Promise<WorkerMessage> {
  try {
    const result = await runBackupJob(workerData as BackupJob, {
      signal: controller.signal,
      report: async (done, total) => {
        parentPort?.postMessage({ done, total } satisfies WorkerMessage);
        await yieldToEventLoop();
        controller.signal.throwIfAborted();
      },
    });
    return { result };
  } catch (thrown) {
    return { failure: recordOf(reasonOf(thrown)), code: codeOf(thrown) };
  }
}

parentPort?.postMessage(await run());
