import type { Clock } from '../clock.js';
import { fault, messageOf } from '../fault.js';
import { Signal } from '../signal.js';

/** Kinds of tasks, which users see and can cancel. */
type TaskKind = 'backup' | 'search' | 'reaggregation' | 'export' | 'import';

/** Long work, as users see it. */
export interface TaskState {
  readonly id: number;
  readonly kind: TaskKind;
  readonly user: string;
  readonly startedMs: number;
  readonly done: number;
  /** 0: unknown. */
  readonly total: number;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** Why it failed; empty otherwise. */
  readonly text: string;
}

/** What the work uses to report how far it is, and to notice that it was cancelled. */
export interface TaskProgress {
  readonly signal: AbortSignal;
  report(done: number, total: number): void;
}

/** Shortest time between two reports of a task that listeners receive, ns: a display needs no more. */
const REPORT_NS = 250_000_000n;

interface Task {
  state: TaskState;
  reportedNs: bigint;
  readonly controller: AbortController;
}

/** The tasks in progress. */
export class TaskList {
  /** Emitted at the start and at the end of a task, and at most every 250 ms in between. */
  readonly changed = new Signal<TaskState>();
  readonly #clock: Pick<Clock, 'nowMs' | 'monotonicNs'>;
  readonly #tasks = new Map<number, Task>();
  #lastId = 0;

  constructor(clock: Pick<Clock, 'nowMs' | 'monotonicNs'>) {
    this.#clock = clock;
  }

  /** Those that are running, the oldest first. */
  all(): TaskState[] {
    return [...this.#tasks.values()].map(({ state }) => state);
  }

  /** Requests that a task ends; false if there is none with that id. */
  cancel(id: number): boolean {
    const task = this.#tasks.get(id);
    task?.controller.abort();
    return task !== undefined;
  }

  /** Runs work as a task. Rejects as the work does, and with `CANCELLED` if that is why it ended. */
  async run<T>(
    kind: TaskKind,
    user: string,
    work: (progress: TaskProgress, id: number) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    const id = ++this.#lastId;
    const startedMs = this.#clock.nowMs();
    const state: TaskState = { id, kind, user, startedMs, done: 0, total: 0, state: 'running', text: '' };
    const task: Task = { state, reportedNs: this.#clock.monotonicNs() - REPORT_NS, controller };
    this.#tasks.set(id, task);
    this.changed.emit(state);
    const report = (done: number, total: number) => {
      task.state = { ...task.state, done, total };
      const nowNs = this.#clock.monotonicNs();
      if (nowNs - task.reportedNs < REPORT_NS || !this.#tasks.has(id)) return;
      task.reportedNs = nowNs;
      this.changed.emit(task.state);
    };
    try {
      const result = await work({ signal: controller.signal, report }, id);
      this.#end(task, 'done', '');
      return result;
    } catch (thrown) {
      if (!controller.signal.aborted) {
        this.#end(task, 'failed', messageOf(thrown));
        throw thrown;
      }
      this.#end(task, 'cancelled', '');
      throw fault('CANCELLED');
    }
  }

  #end(task: Task, state: TaskState['state'], text: string): void {
    this.#tasks.delete(task.state.id);
    this.changed.emit({ ...task.state, state, text });
  }
}
