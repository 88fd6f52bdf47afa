import type { TaskProgress } from '../base/tasks/task-list.js';
import type { ArchiveRequests } from './worker-protocol.js';

type Step = ArchiveRequests['rebuildSummaries'];

/**
 * Rebuilds the summaries of a variable in steps, each of which is a transaction. If it is cancelled, the
 * remaining summaries stay as they were.
 */
export async function rebuildAllSummaries(
  variableId: number,
  request: (fields: Step['request']) => Promise<Step['reply']>,
  progress: TaskProgress | undefined,
): Promise<void> {
  let [done, total] = [0, 0];
  for (let after: number | undefined = 0; after !== undefined;) {
    progress?.signal.throwIfAborted();
    const step: Step['reply'] = await request({ variableId, after });
    total = step.total ?? total;
    done += step.count;
    after = step.next;
    progress?.report(done, total);
  }
}
