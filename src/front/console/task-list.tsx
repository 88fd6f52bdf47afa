import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { Cancel } from '../../base/clock.js';
import { realTiming } from '../../client/timing.js';
import { useApp } from './app.js';
import { words } from './i18n/console-texts.js';

/** GW_PROGRESS: `[id, kind, done, total, state, text]`. */
const PROGRESS = 20405;
/** Work that ends sooner is not shown, ms. */
const SHOWN_AFTER_MS = 500;

interface Task {
  readonly id: number;
  readonly kind: string;
  readonly done: number;
  /** 0: unknown. */
  readonly total: number;
}

/** The tasks in progress, each with a button that cancels it. */
export function TaskList() {
  const app = useApp();
  const tasks = useSignal<ReadonlyMap<number, Task>>(new Map());
  const shown = useSignal<ReadonlySet<number>>(new Set());
  useEffect(() => {
    const timers = new Map<number, Cancel>();
    const put = (task: Task) => {
      tasks.value = new Map(tasks.peek()).set(task.id, task);
      if (timers.has(task.id)) return;
      const show = () => (shown.value = new Set(shown.peek()).add(task.id));
      timers.set(task.id, realTiming.after(SHOWN_AFTER_MS, show));
    };
    const remove = (id: number) => {
      timers.get(id)?.();
      timers.delete(id);
      tasks.value = new Map([...tasks.peek()].filter(([other]) => other !== id));
    };
    const stop = app.gateway.observe(({ Message, Data }) => {
      if (Message !== PROGRESS) return;
      const [id, kind, done, total, state] = Data as [number, string, number, number, string];
      if (state === 'running') put({ id, kind, done, total });
      else remove(id);
    });
    tasks.value = new Map();
    app.call('GW_GetTasks').then(
      (running) => {
        for (const { ID, Kind, Done, Total } of running)
          put({ id: ID, kind: Kind, done: Done, total: Total });
      },
      // Without a connection; it is read again with the next one.
      () => undefined,
    );
    return () => {
      stop();
      for (const cancel of timers.values()) cancel();
    };
  }, [app.gateway.state.value.kind]);
  return (
    <ul class="tasks" aria-live="polite" aria-label={words().tasks.label}>
      {[...tasks.value.values()]
        .filter(({ id }) => shown.value.has(id))
        .map((task) => (
          <TaskItem key={task.id} task={task} />
        ))}
    </ul>
  );
}

function TaskItem({ task: { id, kind, done, total } }: { readonly task: Task }) {
  const app = useApp();
  const labelId = useId();
  const { tasks } = words();
  const name = tasks.kinds[kind] ?? kind;
  return (
    <li>
      <span id={labelId}>{name}</span>
      <progress aria-labelledby={labelId} {...(total > 0 && { value: done, max: total })} />
      <button
        class="plain"
        type="button"
        aria-label={tasks.cancelName(name)}
        onClick={() => void app.act(() => app.call('GW_CancelTask', id))}
      >
        {tasks.cancel}
      </button>
    </li>
  );
}
