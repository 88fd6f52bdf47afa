import { fault } from '../../src/base/fault.js';
import { declare, int, text, type FunctionDeclaration } from '../../src/device/declare.js';
import type { OpenInstances } from '../../src/device/module.js';
import { Notifier } from './notifier.js';
import { priorities } from './services.js';

/** The functions of the module Notification. */
export function notificationFunctions(
  instances: OpenInstances,
  module: { readonly id: string; readonly name: string },
): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_SendNotification',
      parameters: [int('InstanceID'), text('Title'), text('Text'), int('Priority', priorities)],
      result: 'boolean',
      audited: 'outside',
      help: 'Sends a message to people. An empty Title is the name of the instance; Priority is 0 (low), 1 (normal) or 2 (high). Returns when the message is queued: the variables SENT and FAILED count what became of it.',
      run: (_caller, id, ...[title, body, level]) => {
        const notifier = instances.openInstance(id, module);
        if (!(notifier instanceof Notifier)) throw fault('WRONG_MODULE', id, module.name);
        notifier.send(title, body, priorities[level] ?? 'normal');
        return true;
      },
    }),
  ];
}
