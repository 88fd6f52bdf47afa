import { Type } from '@sinclair/typebox';
import type { TaskState } from '../../base/tasks/task-list.js';
import { declare, int, type FunctionDeclaration } from '../../device/declare.js';
import type { Ports } from '../ports.js';
import { listOf, named } from '../shapes.js';

const taskRecord = named(
  'TaskRecord',
  'Long work that is running. Kind: backup, search or reaggregation. Total is 0 while it is unknown.',
  {
    ID: Type.Integer(),
    Kind: Type.String(),
    User: Type.String(),
    StartedMs: Type.Integer(),
    Done: Type.Integer(),
    Total: Type.Integer(),
  },
);

/** Long work: what is running, and its end. */
export function taskFunctions({ tasks }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetTasks',
      parameters: [],
      result: 'array',
      shape: listOf(taskRecord),
      help: 'The long work that is running: backups, hardware searches, re-aggregations. Message 20405 reports its progress.',
      run: () => tasks.all().map(recordOf),
    }),
    declare({
      name: 'GW_CancelTask',
      parameters: [int('TaskID')],
      result: 'boolean',
      audited: true,
      help: 'Cancels long work, whose call then fails with CANCELLED; false if it has ended.',
      run: (_caller, id) => tasks.cancel(id),
    }),
  ];
}

const recordOf = ({ id, kind, user, startedMs, done, total }: TaskState) => ({
  ID: id,
  Kind: kind,
  User: user,
  StartedMs: startedMs,
  Done: done,
  Total: total,
});
