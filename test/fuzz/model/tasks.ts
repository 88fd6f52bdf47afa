import type { Model, Rule } from './model.js';
import type { Query } from './queries-by-type.js';
import { ModelFault } from './snapshot-types.js';

/** A client that has not reported its progress for this long is gone, seconds. */
const EXPIRY_S = 60;

/** The tasks that clients have begun, without those that have expired. */
function running(model: Model) {
  for (const [id, { reportedS }] of model.tasks)
    if (model.now - reportedS >= EXPIRY_S) model.tasks.delete(id);
  return model.tasks;
}

const end = (model: Model, id: number): boolean => running(model).delete(id);

/** Work that a client does with many calls, and reports. */
export const taskRules: Readonly<Record<string, Rule>> = {
  GW_BeginTask: (model: Model, ...[kind, total, made]: [string, number, number]) => {
    if (kind !== 'export' && kind !== 'import') throw new ModelFault('PARAMETER_TYPE');
    if (total < 0) throw new ModelFault('PARAMETER_BOUNDS');
    running(model).set(made, { kind, total, done: 0, reportedS: model.now });
    return made;
  },
  GW_ReportTask: (model: Model, id: number, done: number) => {
    const task = running(model).get(id);
    if (task === undefined) return false;
    model.tasks.set(id, { ...task, done, reportedS: model.now });
    return true;
  },
  GW_CancelTask: end,
  GW_EndTask: end,
};

/** The list of tasks, in the order in which they began. */
export function tasksQuery(model: Model): Query {
  const records = [...running(model)].map(([ID, { kind: Kind, done: Done, total: Total }]) => ({
    ID,
    Kind,
    Done,
    Total,
  }));
  return ['GW_GetTasks', [], records];
}
