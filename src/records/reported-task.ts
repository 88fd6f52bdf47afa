import { RpcError } from '../client/errors.js';
import type { Caller } from './caller.js';

/** Shortest time between two reports, ms: the console shows no more. */
const REPORT_MS = 1000;

/** The console cancelled a command. */
export class CancelledByOwner extends Error {
  override readonly name = 'AbortError';
}

/**
 * Lists a command in the console while `work` runs. `report` rejects with an `AbortError` if the owner
 * cancelled it there. A gateway that has no such list does not matter.
 */
export async function asTask<T>(
  gateway: Caller,
  {
    kind,
    total,
    nowMs,
  }: { readonly kind: 'export' | 'import'; readonly total: number; readonly nowMs: () => number },
  work: (report: (done: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const id = await begin(gateway, kind, total);
  let reportedMs = nowMs();
  const report = async (done: number) => {
    if (id === undefined || Math.abs(nowMs() - reportedMs) < REPORT_MS) return;
    reportedMs = nowMs();
    if ((await gateway.call('GW_ReportTask', id, done)) !== true)
      throw new CancelledByOwner('cancelled in the console');
  };
  let failure = 'it failed or was cancelled';
  try {
    const result = await work(report);
    failure = '';
    return result;
  } finally {
    // It may be the connection that failed; the list then drops the task by itself.
    if (id !== undefined) await gateway.call('GW_EndTask', id, failure).catch(() => undefined);
  }
}

/** The id of a new task; undefined if the gateway is older, or too many tasks are running. */
async function begin(gateway: Caller, kind: string, total: number): Promise<number | undefined> {
  try {
    return (await gateway.call('GW_BeginTask', kind, total)) as number;
  } catch (thrown) {
    if (thrown instanceof RpcError) return undefined;
    throw thrown;
  }
}
