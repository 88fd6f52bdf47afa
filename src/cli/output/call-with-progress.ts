import { systemClock, delay } from '../../base/clock.js';
import type { AnyFunction, Client } from '../../client/index.js';
import { ProgressLine } from './progress-line.js';

/** Interval for asking how far the gateway is, ms. */
const POLL_MS = 500;

interface Task {
  readonly ID: number;
  readonly Kind: string;
  readonly Done: number;
  readonly Total: number;
}

/**
 * Calls a function that is a task of the kind `backup`, and shows its progress, however long it takes. Ctrl-C
 * cancels the task; the call then rejects with `CANCELLED`.
 */
export async function callWithProgress(
  gateway: Client<AnyFunction>,
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  using line = new ProgressLine(() => systemClock().nowMs());
  const stop = new AbortController();
  // Others may run, such as the backup of a schedule. If they cannot be read, the call says why.
  const others = new Set((await backupTasks(gateway).catch(() => [])).map(({ ID }) => ID));
  const call = gateway.callLong(method, ...params).finally(() => stop.abort());
  void follow(gateway, { line, others, signal: stop.signal });
  return await call;
}

interface Following {
  readonly line: ProgressLine;
  /** The tasks that ran before the call. */
  readonly others: ReadonlySet<number>;
  readonly signal: AbortSignal;
}

/** Shows the progress until the call has ended. Does not reject: the call says what is wrong. */
async function follow(gateway: Client<AnyFunction>, { line, others, signal }: Following): Promise<void> {
  try {
    for (;;) {
      await delay(systemClock(), POLL_MS, signal);
      const task = (await backupTasks(gateway)).find(({ ID }) => !others.has(ID));
      if (task === undefined) continue;
      if (line.signal.aborted) {
        await gateway.call('GW_CancelTask', task.ID);
        return;
      }
      if (task.Total > 0) line.update(`${Math.floor((100 * task.Done) / task.Total)} %`);
    }
  } catch {
    // The call has ended, or the gateway cannot be reached, which the call reports.
  }
}

/** The oldest first. */
async function backupTasks(gateway: Client<AnyFunction>): Promise<readonly Task[]> {
  const tasks = (await gateway.call('GW_GetTasks')) as readonly Task[];
  return tasks.filter(({ Kind }) => Kind === 'backup');
}
