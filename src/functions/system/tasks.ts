import { coded } from '../../base/codes/coded-text.js';
import { Type } from '@sinclair/typebox';
import type { TaskState } from '../../base/tasks/task-list.js';
import { ClientTasks, clientTaskKinds } from '../../base/tasks/client-tasks.js';
import { fault } from '../../base/fault.js';
import { declare, int, optional, text, type FunctionDeclaration } from '../../device/declare.js';
import type { Ports } from '../ports.js';
import { listOf, named } from '../shapes.js';

/** Characters that are kept of the reason of a failure. */
const FAILURE_LIMIT = 500;

const taskRecord = named(
  'TaskRecord',
  'A task in progress. Kind: backup, search, reaggregation, export or import. Total is 0 while it is unknown.',
  {
    ID: Type.Integer(),
    Kind: Type.String(),
    User: Type.String(),
    StartedMs: Type.Integer(),
    Done: Type.Integer(),
    Total: Type.Integer(),
  },
);

/** Lists and cancels tasks. */
export function taskFunctions(ports: Ports): FunctionDeclaration[] {
  const { tasks } = ports;
  return [
    ...clientTaskFunctions(ports),
    declare({
      name: 'GW_GetTasks',
      parameters: [],
      result: 'array',
      shape: listOf(taskRecord),
      help: 'The tasks in progress: backups, hardware searches, re-aggregations, and those that clients report. Message 20405 reports their progress.',
      run: () => tasks.all().map(recordOf),
    }),
    declare({
      name: 'GW_CancelTask',
      parameters: [int('TaskID')],
      result: 'boolean',
      audited: true,
      help: 'Cancels a task; its call fails with CANCELLED. False if the task has ended.',
      run: (_caller, id) => tasks.cancel(id),
    }),
  ];
}

/** Tasks that clients do with many calls, such as an import of records. */
function clientTaskFunctions({ tasks, clock }: Ports): FunctionDeclaration[] {
  const clientTasks = new ClientTasks(tasks, clock);
  const TaskID = int('TaskID');
  return [
    declare({
      name: 'GW_BeginTask',
      parameters: [text('Kind'), int('Total')],
      result: 'integer',
      help: 'Registers a task that the caller does, and returns its ID. Kind: export or import. Total is 0 while it is unknown. A task without a report for 60 s fails.',
      run: ({ user }, given, total) => {
        const kind = clientTaskKinds.find((one) => one === given);
        if (kind === undefined)
          throw fault(
            'PARAMETER_TYPE',
            'Kind',
            coded`EXPECTED_ONE_OF: expected one of ${clientTaskKinds.join(', ')}`,
          );
        if (total < 0) throw fault('PARAMETER_BOUNDS', 'Total');
        return clientTasks.begin(kind, user, total);
      },
    }),
    declare({
      name: 'GW_ReportTask',
      parameters: [TaskID, int('Done')],
      result: 'boolean',
      help: "Reports the progress of the caller's work; false if it was cancelled or has ended: the caller must stop then.",
      run: (_caller, id, done) => clientTasks.report(id, done),
    }),
    declare({
      name: 'GW_EndTask',
      parameters: [TaskID, optional(text('Reason'))],
      result: 'boolean',
      help: "Ends the caller's work; Reason says why it failed. False if it was cancelled or has ended.",
      run: (_caller, id, failure = '') => clientTasks.end(id, failure.slice(0, FAILURE_LIMIT)),
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
