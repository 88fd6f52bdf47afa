import { Worker } from 'node:worker_threads';
import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { replyOf } from '../../base/worker-reply.js';

/** What a running gateway exports: its data directory and its configuration. */
export interface ExportRequest {
  readonly data: string;
  readonly config: string;
  readonly values: boolean;
}

interface ExportResult {
  readonly text: string;
  readonly notes: readonly string[];
}

export type ExportReply = { readonly result: ExportResult } | { readonly failure: string };

/** As `stellwerk export`, in a thread of its own. Rejects with `FILE_FAILED`, and if the thread ends. */
export async function runExport(workerData: ExportRequest): Promise<ExportResult> {
  const worker = new Worker(new URL('export-worker.js', import.meta.url), { workerData });
  const reply = await replyOf(worker, (message: ExportReply) => message);
  if ('result' in reply) return reply.result;
  throw fault('FILE_FAILED', coded`WHAT_EXPORT: The export`, reply.failure);
}
