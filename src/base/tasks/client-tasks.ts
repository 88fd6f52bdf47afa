import { coded } from '../codes/coded-text.js';
import type { Cancel, Clock } from '../clock.js';
import { fault } from '../fault.js';
import type { TaskList, TaskProgress } from './task-list.js';

/** Kinds of tasks that clients do with many calls. */
export const clientTaskKinds = ['export', 'import'] as const;

/** A client that has not reported its progress for this long is gone, ms. */
const EXPIRY_MS = 60_000;
/** Maximum number of tasks of clients; each is a row on the pages of the owner. */
const TASKS_LIMIT = 20;

interface ClientTask {
  readonly progress: TaskProgress;
  readonly ended: PromiseWithResolvers<void>;
  readonly total: number;
  cancelExpiry: Cancel;
}

/** Tasks that clients do and report: they are listed, and can be cancelled, like the gateway's own. */
export class ClientTasks {
  readonly #tasks: TaskList;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #running = new Map<number, ClientTask>();

  constructor(tasks: TaskList, clock: Pick<Clock, 'after'>) {
    this.#tasks = tasks;
    this.#clock = clock;
  }

  /** Begins a task and returns its id. A `total` of 0 is unknown. Throws `BUSY` if there are too many. */
  begin(kind: (typeof clientTaskKinds)[number], user: string, total: number): number {
    if (this.#running.size >= TASKS_LIMIT)
      throw fault('BUSY', coded`TASKS_REPORTED: ${TASKS_LIMIT} client tasks are already running`);
    const ended = Promise.withResolvers<void>();
    let id = 0;
    this.#tasks
      .run(kind, user, (progress, taskId) => {
        id = taskId;
        progress.signal.addEventListener('abort', () => ended.reject(progress.signal.reason as Error));
        const cancelExpiry = this.#expiry(id);
        this.#running.set(id, { progress, ended, total, cancelExpiry });
        if (total > 0) progress.report(0, total);
        return ended.promise;
      })
      // The list reports how it ended; the client knows it.
      .catch(() => undefined)
      .finally(() => {
        this.#running.get(id)?.cancelExpiry();
        this.#running.delete(id);
      });
    return id;
  }

  /** Reports progress; false if the task was cancelled or has ended. */
  report(id: number, done: number): boolean {
    const task = this.#running.get(id);
    if (task === undefined || task.progress.signal.aborted) return false;
    task.cancelExpiry();
    task.cancelExpiry = this.#expiry(id);
    task.progress.report(done, task.total);
    return true;
  }

  /** Ends a task; `failure` is '' if it is done. False if it was cancelled or has ended. */
  end(id: number, failure: string): boolean {
    const task = this.#running.get(id);
    if (task === undefined || task.progress.signal.aborted) return false;
    this.#running.delete(id);
    task.cancelExpiry();
    if (failure === '') task.ended.resolve();
    else task.ended.reject(new Error(failure));
    return true;
  }

  #expiry(id: number): Cancel {
    return this.#clock.after(EXPIRY_MS, () => void this.end(id, 'the client is gone'));
  }
}
